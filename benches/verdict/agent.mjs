/** A worker that does what a plan says (`node agent.mjs PLAN.json`) in the current folder, and claims success. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const { write = {}, remove = [], programs = [], add = [] } = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const path of remove) rmSync(path, { recursive: true, force: true });
for (const [path, content] of Object.entries(write)) {
  mkdirSync(dirname(path), { recursive: true });
  // What is there may be shared with other folders by a hard link.
  rmSync(path, { force: true });
  writeFileSync(path, content);
}
for (const path of programs) chmodSync(path, 0o755);
if (add.length > 0) execFileSync("git", ["add", "--force", "--", ...add]);
process.stdin.resume().on("end", () => {
  console.log(JSON.stringify({ success: true, summary: "done: the tests pass", artifacts: [] }));
});
