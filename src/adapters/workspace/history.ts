/**
 * What the integration branch says of itself: its commits since the base, read by their trailers
 * (SPEC section 8: what was integrated stays integrated).
 */
import type { Revert } from "../../core/event.ts";
import type { IntegratedWork } from "../../loop/ports.ts";
import { readMessage, type ReadMessage } from "./commit-message.ts";
import { fieldsOf, must, textOf, type Git } from "./git.ts";

export interface Entry {
  readonly commit: string;
  readonly tree: string;
  /** First parent; every entry has one, because the base is before it. */
  readonly parent: string;
  /** Further ones. */
  readonly merged: readonly string[];
  /** Who wrote it, and when, as variables. */
  readonly author: Readonly<Record<string, string>>;
  readonly text: string;
  readonly message: ReadMessage;
}

/** First-parent commits after `base` up to `tip`, oldest first. */
export async function readHistory(git: Git, base: string, tip: string): Promise<Entry[]> {
  if (base === tip) return [];
  const how = ["-z", "--first-parent", "--reverse", "--no-notes", "--date=raw", "--format=%H %T %P%n%an%n%ae%n%ad%n%B"];
  return fieldsOf(await must(git, ["log", ...how, `${base}..${tip}`, "--"])).map((record) => {
    const [ids = "", name = "", address = "", date = "", ...lines] = textOf(record).split("\n");
    const [commit = "", tree = "", parent = "", ...merged] = ids.split(" ");
    const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: address, GIT_AUTHOR_DATE: date };
    const text = `${lines.join("\n").trimEnd()}\n`;
    return { commit, tree, parent, merged, author, text, message: readMessage(text) };
  });
}

/** A change that is in the tree: of an attempt, or of somebody else who committed there (`atom` null). */
export interface Unit {
  readonly atom: string | null;
  readonly entry: Entry;
}

/** What the branch holds now, oldest first: a revert takes all of an atom's out. */
export function unitsIn(history: readonly Entry[]): readonly Unit[] {
  return history.reduce<readonly Unit[]>((units, entry) => {
    const { message } = entry;
    if (message.kind === "revert")
      return units.filter((unit) => unit.atom === null || !message.atoms.includes(unit.atom));
    return [...units, { atom: message.kind === "work" ? message.trailers.atom : null, entry }];
  }, []);
}

/** Of an attempt, with the name of its branch. */
export type WorkEntry = Entry & { readonly name: string };

/** The work of these atoms, if all of it is at the end of the branch. */
export function workAtEnd(history: readonly Entry[], atoms: readonly string[]): readonly WorkEntry[] {
  const theirs = history.flatMap((entry) => {
    const { message } = entry;
    if (message.kind !== "work" || !atoms.includes(message.trailers.atom)) return [];
    return [{ ...entry, name: message.trailers.workspace }];
  });
  return theirs.length > 0 && history.at(-theirs.length)?.commit === theirs[0]?.commit ? theirs : [];
}

/**
 * What attempts integrated and nothing took out since. Work that named no artifacts has the files that it changed, as
 * when it was integrated.
 * @param shown the name that a file of the repository has in the project
 */
export async function integratedWork(
  git: Git,
  history: readonly Entry[],
  shown: (path: string) => string,
): Promise<IntegratedWork[]> {
  const work: IntegratedWork[] = [];
  for (const { entry } of unitsIn(history)) {
    if (entry.message.kind !== "work") continue;
    const { attempt, atom, summary, artifacts } = entry.message.trailers;
    work.push({ attempt, atom, commit: entry.commit, summary, artifacts });
  }
  const silent = work.filter(({ artifacts }) => artifacts.length === 0).map(({ commit }) => commit);
  const files = await filesChangedBy(git, silent);
  return work.map((one) => ({ ...one, artifacts: files.get(one.commit)?.map(shown) ?? one.artifacts }));
}

/** Every revert, with what went with it. */
export function revertsIn(history: readonly Entry[]): Revert[] {
  return history.flatMap(({ commit, message }) => (message.kind === "revert" ? [{ commit, lost: message.lost }] : []));
}

/** The paths in which each commit differs from its parent; one process for all. */
async function filesChangedBy(git: Git, commits: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const files = new Map<string, string[]>();
  if (commits.length === 0) return files;
  const how = ["--stdin", "-r", "-z", "--name-only", "--no-renames"];
  const out = await must(git, ["diff-tree", ...how], { input: `${commits.join("\n")}\n` });
  const asked = new Set(commits);
  let current: string[] = [];
  for (const field of fieldsOf(out)) {
    // A commit's own name is before its paths.
    if (asked.delete(field)) files.set(field, (current = []));
    else current.push(textOf(field));
  }
  return files;
}
