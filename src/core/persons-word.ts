/** What a person says of items that no program can decide (SPEC sections 6 and 8). */
import { checkTypeRow } from "./check-types.ts";
import { addAtoms } from "./decompose.ts";
import { graphOf } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { note, withReason, type Draft } from "./redirect-draft.ts";
import type { BaseCase, CorrectionType, Objective, State } from "./state.ts";
import { leavesOf } from "./verdict.ts";
import { measureOf } from "./view.ts";

/** The item counts as met while nothing more is worked: what a person saw is what is verified. */
export function confirmItem(state: State, named: string): Result<Draft> {
  const item = itemIn(state.objective.base_case, named);
  if (!item.ok) return item;
  if (measureOf(state, graphOf(state)) > 0)
    return refused(
      `there is work left, which may change what ${JSON.stringify(item.value)} is about`,
      "let the loop work until it asks: `aot run`",
    );
  const { iteration } = state.control;
  return accepted({
    state,
    description: `${JSON.stringify(item.value)}: confirmed by a human`,
    confirmed: { item: item.value, iteration },
  });
}

/** An atom that makes the item hold, and the reason as a clarification, which every role is given. */
export function rejectItem(state: State, named: string, reason: string, now: string): Result<Draft> {
  const item = itemIn(state.objective.base_case, named);
  if (!item.ok) return item;
  if (reason.trim() === "") return refused("a rejection needs its reason", "say with --reason what is missing");
  const quoted = JSON.stringify(item.value);
  const added = addAtoms(
    state,
    [{ description: `Make it hold: ${item.value}. A human rejected it: ${reason}` }],
    reason,
    now,
  );
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

function itemIn(baseCase: BaseCase, named: string): Result<string> {
  const items = leavesOf(baseCase).flatMap(({ item, check }) =>
    checkTypeRow(check.type).way === "judge" ? [item] : [],
  );
  const wanted = named.trim().toLowerCase();
  const exact = items.filter((item) => item.toLowerCase() === wanted);
  const found = exact.length > 0 ? exact : items.filter((item) => item.toLowerCase().includes(wanted));
  const [item] = found;
  if (item !== undefined && new Set(found).size === 1) return accepted(item);
  const known = items.map((one) => JSON.stringify(one)).join(", ");
  return refused(
    `${JSON.stringify(named)} names ${found.length === 0 ? "no item" : "several items"} that a person decides`,
    items.length === 0 ? "every item of this base case is decided by a program" : `the items are ${known}`,
  );
}
