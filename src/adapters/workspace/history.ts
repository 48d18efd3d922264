/**
 * What the integration branch says of itself: its commits since the base, read by their trailers
 * (SPEC section 8: what was integrated stays integrated).
 */
import type { IntegratedWork } from "../../loop/ports.ts";
import { readMessage } from "./commit-message.ts";
import type { ReadMessage } from "./commit-message.ts";
import { fieldsOf, must, textOf } from "./git.ts";
import type { Git } from "./git.ts";

export interface Entry {
  readonly commit: string;
  readonly tree: string;
  /** First parent; every entry has one, because the base is before it. */
  readonly parent: string;
  readonly message: ReadMessage;
}

/** First-parent commits after `base` up to `tip`, oldest first. */
export async function readHistory(git: Git, base: string, tip: string): Promise<Entry[]> {
  if (base === tip) return [];
  const out = await must(git, [
    "log",
    "-z",
    "--first-parent",
    "--reverse",
    "--no-notes",
    "--format=%H %T %P%n%B",
    `${base}..${tip}`,
    "--",
  ]);
  return fieldsOf(out).map((record) => {
    const end = record.indexOf("\n");
    const [commit = "", tree = "", parent = ""] = record.slice(0, end).split(" ");
    return { commit, tree, parent, message: readMessage(textOf(record.slice(end + 1))) };
  });
}

/** A change that is in the tree: of an attempt, or of somebody else who committed there (`atom` null). */
export interface Unit {
  readonly atom: string | null;
  readonly entry: Entry;
}

/** The units that are still in after each entry, given those before it: a revert takes all of an atom's out. */
export function unitsAfter(units: readonly Unit[], entry: Entry): readonly Unit[] {
  const { message } = entry;
  if (message.kind === "revert")
    return units.filter((unit) => unit.atom === null || !message.atoms.includes(unit.atom));
  return [...units, { atom: message.kind === "work" ? message.trailers.atom : null, entry }];
}

/** What the branch holds now, oldest first. */
export function unitsIn(history: readonly Entry[]): readonly Unit[] {
  return history.reduce<readonly Unit[]>(unitsAfter, []);
}

export function integratedWork(history: readonly Entry[]): IntegratedWork[] {
  const work: IntegratedWork[] = [];
  for (const { entry } of unitsIn(history)) {
    if (entry.message.kind !== "work") continue;
    const { attempt, atom, summary, artifacts } = entry.message.trailers;
    work.push({ attempt, atom, commit: entry.commit, summary, artifacts });
  }
  return work;
}
