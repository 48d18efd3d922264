/** Opens the folder for a run, and brings folder and branch together again after a crash (SPEC section 8). */
import { realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { makeOwnFolder } from "../../host/own-file.ts";
import { protectedBy } from "./change.ts";
import { lineRefs, openLine, readRefs, updateRefs, type LineRefs } from "./integration-line.ts";
import { keepTree, putOut, readOccupant, setFolder, type InPlace } from "./occupied-folder.ts";
import { ownFiles } from "./own-files.ts";
import { openShadow, readFolder, type ShadowRepository } from "./shadow-repository.ts";
import { scratchIndexes } from "./scratch-index.ts";
import { clearScratch, removeStaleLocks } from "./sweep.ts";
import { commitTree, mergeInObjects, mergeInWorktree } from "./tree-merge.ts";
import { safeName } from "./workspace-name.ts";
import type { InPlaceOptions } from "./workspace-options.ts";

/**
 * Loops of the same folder go on while this one's attempts come and go: a phase loop's state, journal and lock change
 * while its phase is worked, and putting them back would undo what it did meanwhile.
 */
const OTHER_LOOPS = ["/.claude/aot-loop*", "/.claude/loops/", "*.aot-loop/"];

/** Opens the shadow repository and brings the folder and the branch together again after a crash. */
export async function enter(options: InPlaceOptions, objects: boolean): Promise<InPlace> {
  makeOwnFolder(options.dir);
  const root = await realpath(options.root);
  const dir = await realpath(options.dir);
  const stateFile = join(
    await realpath(resolve(options.stateFile, "..")).catch(() => resolve(options.stateFile, "..")),
    basename(options.stateFile),
  );
  const notes: string[] = [];
  const note = (text: string): void => {
    notes.push(text);
    options.onNote?.(text);
  };
  const own = ownFiles(root, stateFile, dir);
  // Here the state file is in the attempts' own folder: it is left out altogether.
  const shadow = await openShadow(
    root,
    join(dir, "shadow.git"),
    { ...own, excludes: [...own.excludes, ...OTHER_LOOPS, ...stateExclude(root, stateFile)] },
    note,
  );
  const { git } = shadow;
  const refs = lineRefs(safeName(options.loop));
  await removeStaleLocks(shadow.gitDir, refs);
  const scratch = join(dir, "scratch");
  makeOwnFolder(scratch);
  await clearScratch(scratch);
  let count = 0;
  const number = (): number => ++count;
  const unique = (): string => `${safeName(options.run)}-${number()}`;
  const merger = objects ? mergeInObjects(git) : mergeInWorktree(git, () => join(scratch, unique()));
  const first = await firstCommit(shadow, refs);
  const line = await openLine({ git, refs, note }, { branch: null, commit: first });
  const place: InPlace = {
    options,
    shadow,
    dir,
    line,
    notes,
    git,
    refs,
    merger,
    number,
    isProtected: protectedBy(options.protected),
    scratchIndex: scratchIndexes(scratch, unique),
    occupant: await readOccupant(shadow),
    kept: new Map(),
  };
  await recover(place);
  return place;
}

function stateExclude(root: string, stateFile: string): string[] {
  return stateFile.startsWith(root) ? [`/${stateFile.slice(root.length + 1).replaceAll("\\", "/")}`] : [];
}

/** The commit that the loop starts from: the recorded one, or the folder as it is now. */
async function firstCommit(shadow: ShadowRepository, refs: LineRefs): Promise<string> {
  const known = (await readRefs(shadow.git, [`${refs.own}base`])).get(`${refs.own}base`);
  if (known !== undefined) return known;
  const { tree } = await readFolder(shadow, null);
  const commit = await commitTree(shadow.git, tree, [], "The folder when the loop started\n");
  await updateRefs(shadow.git, [`update ${refs.own}folder ${commit}`]);
  return commit;
}

async function recover(place: InPlace): Promise<void> {
  const { shadow, refs, line } = place;
  const folder = (await readRefs(shadow.git, [`${refs.own}folder`])).get(`${refs.own}folder`);
  const occupant = place.occupant;
  if (occupant !== null) {
    const kept = await putOut(place, "The run that worked on it ended without settling it.");
    if (kept !== null) shadow.note(`Work of an earlier run that had not been settled is kept on ${kept}.`);
  }
  if (folder === undefined || folder === line.tip()) return;
  // A switch of the folder was cut short (SHADOW-REPOSITORY-3): keep what is neither before nor after it, and finish
  // the switch.
  const found = await readFolder(shadow, line.tip());
  if (found.changes.length > 0)
    await keepTree(
      place,
      `interrupted-${safeName(place.options.run)}`,
      { base: folder, tree: found.tree },
      "The folder as a crash left it.",
    );
  await setFolder(place, line.tip());
}
