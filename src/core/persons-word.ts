/** What a person says of items that no program can decide (SPEC sections 6 and 8). */
import { checkTypeRow } from "./check-types.ts";
import { addAtoms } from "./decompose.ts";
import { graphOf } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { note, withReason, type Draft } from "./redirect-draft.ts";
import type { BaseCase, CorrectionType, Objective, State } from "./state.ts";
import { describeCheck, leavesOf, type Leaf } from "./verdict.ts";
import { measureOf } from "./view.ts";

/** The item counts as met while nothing more is worked: what a person saw is what is verified. */
export function confirmItem(state: State, named: string): Result<Draft> {
  const item = itemIn(state.objective.base_case, named);
  if (!item.ok) return item;
  if (measureOf(state, graphOf(state)) > 0)
    return refused(
      `there is work left, which may change what ${JSON.stringify(item.value.item)} is about`,
      "let the loop work until it asks: `aot run`",
    );
  const { iteration } = state.control;
  return accepted({
    state,
    description: `${JSON.stringify(item.value.item)}: confirmed by a human`,
    confirmed: { item: item.value.item, iteration },
  });
}

/** An atom that makes the item hold, and the reason as a clarification, which every role is given. */
export function rejectItem(state: State, named: string, reason: string, now: string): Result<Draft> {
  const item = itemIn(state.objective.base_case, named);
  if (!item.ok) return item;
  if (reason.trim() === "") return refused("a rejection needs its reason", "say with --reason what is missing");
  const quoted = JSON.stringify(item.value.item);
  const work = `Make it hold: ${item.value.item}. A human rejected it: ${reason}`;
  const added = addAtoms(state, [{ description: work }], reason, now);
  if (!added.ok) return added;
  const description = `${quoted}: rejected by a human, ${added.value.ids.join(", ")} added`;
  const { clarifications = [] } = state.objective;
  const objective: Objective = {
    ...state.objective,
    clarifications: [
      ...clarifications,
      { question: `Does ${quoted} hold?`, resolution: `No, a human says: ${reason}` },
    ],
  };
  const trail = [...added.value.state.trail, note(withReason(description, reason), now)];
  return accepted({ state: { ...added.value.state, objective, trail }, description });
}

/**
 * Items that a person confirmed, and nothing was worked since. An iteration that is open takes the work of a later redirect,
 * too.
 */
export function confirmedItems({ corrections, control }: Pick<State, "corrections" | "control">): ReadonlySet<string> {
  const since = corrections.slice(
    Math.max(
      0,
      corrections.findLastIndex(({ type }) => !KEEPS_WORK.has(type)),
    ),
  );
  return new Set(
    since.flatMap(({ confirmed }) =>
      confirmed === undefined || confirmed.iteration !== control.iteration ? [] : [confirmed.item],
    ),
  );
}

const KEEPS_WORK: ReadonlySet<CorrectionType> = new Set(["confirmation", "constraint_change"]);

/**
 * The one item that a person means: by its name, by its label as a verdict prints it (`assertion: X`), by the words of the
 * assertion (`X`), or by its number among the items that a person decides. Nothing less: what is near to it may say the opposite.
 * @returns `shown`: how to ask about it
 */
export function itemIn(baseCase: BaseCase, named: string): Result<{ readonly item: string; readonly shown: string }> {
  const items = leavesOf(baseCase).filter(({ check }) => checkTypeRow(check.type).way === "judge");
  const by = (nameOf: (leaf: Leaf, at: number) => string): readonly Leaf[] =>
    items.filter((leaf, at) => plain(nameOf(leaf, at)) === plain(named));
  const found = [
    by(({ item }) => item),
    by(({ check }) => describeCheck(check)),
    by(({ check }) => (check.type === "assertion" ? check.value : describeCheck(check))),
    by((_, at) => String(at + 1)),
  ].find(({ length }) => length > 0);
  const item = found?.[0]?.item;
  // A word on an item counts for all that bear its name.
  const alike = items.filter((leaf) => leaf.item === item);
  if (item !== undefined && alike.length === found?.length)
    return accepted({ item, shown: alike.map(labelOf).join(", ") });
  const known = items.map((leaf, at) => `${at + 1}: ${labelOf(leaf)}`).join("; ");
  return refused(
    `${JSON.stringify(named)} names ${found === undefined ? "no item" : "one of several items of the same name"} that a person decides`,
    items.length === 0
      ? "every item of this base case is decided by a program"
      : `name one by its name or number: ${known}`,
  );
}

function labelOf({ item, check }: Leaf): string {
  return item === describeCheck(check) ? JSON.stringify(item) : `${JSON.stringify(item)} (${describeCheck(check)})`;
}

function plain(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").toLowerCase();
}
