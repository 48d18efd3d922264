/**
 * Attempts that begin at the same moment, in all slots, as JSON: milliseconds of the first round and of the third, and the disk of
 * each slot. Called by worktrees.mjs: folder of the bundles, repository, slots.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { median } from "./statistics.mjs";
import { attemptMs, opened } from "./worktrees-attempt.mjs";

const [folder, root, slots] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const { createGitWorkspace } = await import(pathToFileURL(join(folder, "git-workspace.mjs")).href);
const workspace = await opened(createGitWorkspace, root, "slots");
const rounds = [];
let disk_mb = 0;
for (let round = 0; round < 3; round++) {
  // In the round of which no time is reported.
  const look = round === 1 ? () => (disk_mb = Math.max(disk_mb, mbOf(ownFolders()) / slots)) : () => undefined;
  const attempts = Array.from({ length: slots }, (_, slot) => attemptMs(workspace, 100 + round * slots + slot, look));
  rounds.push(await Promise.all(attempts));
}
await workspace.close();
console.log(JSON.stringify({ first: median(rounds[0]), later: median(rounds[2]), disk_mb }));
process.exit(0);

/** What there is of each attempt: its folder or its changes, git's own files, its index. */
function ownFolders() {
  const folders = namesIn(join(root, ".claude/worktrees/aot-loop/slots"));
  return [...folders, join(root, ".claude/aot-loop/scratch"), join(root, ".git/worktrees")];
}

function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function mbOf(paths) {
  const there = paths.filter((path) => existsSync(path));
  const said = there.length === 0 ? "" : execFileSync("du", ["-skc", ...there], { encoding: "utf8" });
  return Number(/(\d+)\ttotal/.exec(said)?.[1] ?? 0) / 1024;
}
