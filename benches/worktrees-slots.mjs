/**
 * Attempts that begin at the same moment, in all slots, as JSON: milliseconds of the first round and of the third, and the disk of
 * each slot. Called by worktrees.mjs: folder of the bundles, repository, slots, whether they share a checkout.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { median } from "./statistics.mjs";
import { attemptMs, opened } from "./worktrees-attempt.mjs";

const [folder, root, slots, sharing] = [process.argv[2], process.argv[3], Number(process.argv[4]), process.argv[5]];
const load = (name) => import(pathToFileURL(join(folder, name)).href);

const isInside = process.env.AOT_OWN_MOUNTS !== undefined;
const { ownMounts, runWithOwnMounts } = await load("own-mounts.mjs");
if (sharing === "true" && !isInside) {
  const code = await runWithOwnMounts();
  if (code === null) console.log("null");
  process.exit(code ?? 0);
}
const { createGitWorkspace } = await load("git-workspace.mjs");
const more = sharing === "true" ? { mounts: ownMounts(), shares_checkout: true } : {};
const workspace = await opened(createGitWorkspace, root, `slots-${sharing}`, more);
const rounds = [];
let disk_mb = 0;
for (let round = 0; round < 3; round++) {
  // In the round of which no time is reported.
  const look = round === 1 ? () => (disk_mb = Math.max(disk_mb, mbOf(ownFolders()) / slots)) : () => undefined;
  const attempts = Array.from({ length: slots }, (_, slot) => attemptMs(workspace, 100 + round * slots + slot, look));
  rounds.push(await Promise.all(attempts));
}
const overlays = join(root, ".claude/aot-loop/overlays", "slots-true");
const shared_mb =
  sharing === "true" ? mbOf(namesIn(overlays).filter((path) => basename(path).startsWith("+check-shared"))) : 0;
await workspace.close();
console.log(JSON.stringify({ first: median(rounds[0]), later: median(rounds[2]), disk_mb, shared_mb }));
process.exit(0);

/** What there is of each attempt: its folder or its changes, git's own files, its index. */
function ownFolders() {
  const folders = ["true", "false"].flatMap((kind) => [
    ...namesIn(join(root, ".claude/aot-loop/overlays", `slots-${kind}`)).filter(
      (path) => !basename(path).startsWith("+"),
    ),
    ...namesIn(join(root, ".claude/worktrees/aot-loop", `slots-${kind}`)),
  ]);
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
