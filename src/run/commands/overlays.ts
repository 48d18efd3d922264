/** `aot run` on a large repository: with mounts of its own, so that attempts share a checkout (SPEC section 16). */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createGit, textOf } from "../../adapters/workspace/git.ts";
import { OVERLAYS } from "../../adapters/workspace/overlay-pool.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { ownMounts, runWithOwnMounts } from "../../host/own-mounts.ts";
import { openSandbox } from "../../verify/sandbox.ts";
import { DETACHED_VARIABLE } from "../detach.ts";
import type { RunOptions } from "../options.ts";

/** Files of a large repository. In a smaller one each attempt has a copy, in which a folder can be renamed, too. */
const MANY_FILES = 20_000;

/**
 * Runs this command line once more where it is needed: attempts are to share a checkout, or did so in a run that was killed.
 * @param inBackground it was detached
 * @returns its exit code; null: the run goes on in this process
 */
export async function runWithOverlays(
  options: Pick<RunOptions, "root" | "stateFile" | "sandbox" | "guard">,
  inBackground: boolean,
): Promise<number | null> {
  const { root, stateFile } = options;
  // What belongs to another user could not be written from there.
  if (process.platform !== "linux" || ownMounts() !== null || statSync(root).uid !== process.getuid?.()) return null;
  const isNeeded = existsSync(join(loopPaths(stateFile).dir, OVERLAYS)) || (await filesIn(root)) >= MANY_FILES;
  if (!isNeeded || !(await isInNamespaces(options))) return null;
  return await runWithOwnMounts(inBackground ? { [DETACHED_VARIABLE]: "1" } : {});
}

/** Whatever else confines attempts, or nothing, does as it does outside: with programs that take another user's rights. */
async function isInNamespaces({ sandbox, ...options }: Parameters<typeof runWithOverlays>[0]): Promise<boolean> {
  const opened = sandbox === undefined ? null : await openSandbox(sandbox, options);
  if (opened?.ok !== true) return false;
  await opened.value?.close();
  return opened.value?.kind === "namespace";
}

/** How many files git has in a checkout, as its index says; 0: none that can be read. */
async function filesIn(root: string): Promise<number> {
  const asked = await createGit({ cwd: root }).run(["rev-parse", "--git-path", "index"]);
  try {
    const file = openSync(resolve(root, textOf(asked.stdout).trim()), "r");
    const head = Buffer.alloc(12);
    readSync(file, head, 0, head.length, 0);
    closeSync(file);
    return head.toString("latin1", 0, 4) === "DIRC" ? head.readUInt32BE(8) : 0;
  } catch {
    return 0;
  }
}
