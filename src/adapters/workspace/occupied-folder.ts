/** The folder that attempts share in place: who is in it, what it holds, and how it is put back (SPEC section 7). */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeOwnFile } from "../../host/own-file.ts";
import { textAt } from "../../host/regular-file.ts";
import { shelveMessage } from "./commit-message.ts";
import type { Marks } from "./ignored-work.ts";
import { readHistory } from "./history.ts";
import { updateRefs, type IntegrationLine } from "./integration-line.ts";
import type { PlaceTools } from "./place-work.ts";
import { named } from "./repository.ts";
import { readFolder, switchFolder, type ShadowRepository } from "./shadow-repository.ts";
import { commitTree } from "./tree-merge.ts";
import type { InPlaceOptions } from "./workspace-options.ts";

/** The attempt that works in the folder; written beside the repository, so that the next run finds it after a crash. */
export interface Occupant {
  readonly attempt: string;
  readonly name: string;
  readonly base: string;
  /** What git ignores and was there before. */
  readonly ignored: Marks;
}

/** What the functions of the in-place workspace share. */
export interface InPlace extends PlaceTools {
  readonly options: InPlaceOptions;
  readonly shadow: ShadowRepository;
  readonly dir: string;
  readonly line: IntegrationLine;
  readonly notes: string[];
  readonly scratchIndex: () => string;
  readonly number: () => number;
  occupant: Occupant | null;
  /** Where work of attempts was kept that were put out before anybody asked to shelve them. */
  readonly kept: Map<string, string | null>;
}

/**
 * Makes the folder hold a commit; call `readFolder` before. The ref tells the next run that it was done
 * (SHADOW-REPOSITORY-3).
 */
export async function setFolder({ shadow, refs }: InPlace, commit: string): Promise<void> {
  await switchFolder(shadow, commit);
  await updateRefs(shadow.git, [`update ${refs.own}folder ${commit}`]);
}

/** What the person changed meanwhile becomes part of the branch. */
export async function settleFolder(place: InPlace): Promise<void> {
  const { shadow, line, refs } = place;
  const found = await readFolder(shadow, line.tip());
  if (found.changes.length === 0) return;
  const files = named(found.changes.map((change) => change.path));
  const commit = await commitTree(shadow.git, found.tree, [line.tip()], `Changed outside the loop\n\n${files}\n`);
  await line.advance(commit, [`update ${refs.own}folder ${commit}`]);
}

/** Keeps what the occupant did (PORTS-1) and puts the folder back. */
export async function putOut(place: InPlace, reason: string): Promise<string | null> {
  const { occupant, shadow } = place;
  if (occupant === null) return null;
  const history = await readHistory(shadow.git, place.line.base, place.line.tip());
  const integrated = history.some(
    ({ message }) => message.kind === "work" && message.trailers.workspace === occupant.name,
  );
  const kept: string[] = [];
  // Once more after putting .gitignore back: what the attempt had hidden with it shows up then.
  for (let round = 1; round <= (integrated ? 0 : 4); round++) {
    const found = await readFolder(shadow, occupant.base);
    if (found.changes.length === 0) break;
    kept.push(
      await keepTree(
        place,
        round === 1 ? occupant.name : `${occupant.name}.${round}`,
        { base: occupant.base, tree: found.tree },
        reason,
      ),
    );
    await switchFolder(shadow, occupant.base);
  }
  await vacate(place);
  return kept.length === 0 ? null : kept.join(", ");
}

/** The folder is free for the next attempt. */
export async function vacate(place: InPlace): Promise<void> {
  await rm(occupantFile(place.shadow), { force: true });
  place.occupant = null;
}

/** A ref in the shadow repository, and a patch file that needs no repository. Answers the patch's path. */
export async function keepTree(
  place: InPlace,
  name: string,
  { base, tree }: { readonly base: string; readonly tree: string },
  reason: string,
): Promise<string> {
  const { git, refs } = place;
  const commit = await commitTree(git, tree, [base], shelveMessage(name, reason));
  await updateRefs(git, [`update refs/heads/${refs.attempts}${name} ${commit}`]);
  const patch = patchOf(place, name);
  const diff = await git.run([
    "diff",
    "--binary",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    base,
    commit,
  ]);
  if (!diff.ok) return `${refs.attempts}${name} in ${place.shadow.gitDir}`;
  const written = writeOwnFile(patch, Buffer.from(diff.stdout, "latin1"));
  if (!written.ok) throw new Error(written.message);
  return patch;
}

/** Where the patch of an attempt's work is. @param name of its branch */
export function patchOf({ dir }: Pick<InPlace, "dir">, name: string): string {
  return join(dir, "patches", `${name}.patch`);
}

/** Where the occupant is written down. */
export function occupantFile(shadow: ShadowRepository): string {
  return join(shadow.gitDir, "aot-occupant.json");
}

/** The attempt that a run left in the folder, or null. */
export async function readOccupant(shadow: ShadowRepository): Promise<Occupant | null> {
  const text = textAt(occupantFile(shadow));
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Partial<Occupant> | null;
    const { attempt, name, base, ignored = {} } = value ?? {};
    if (typeof attempt === "string" && typeof name === "string" && typeof base === "string")
      return { attempt, name, base, ignored };
  } catch {
    // A half-written file: the attempt had not started.
  }
  return null;
}
