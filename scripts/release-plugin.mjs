// Puts the built plugin and its marketplace file onto a branch of their own, from which clients install
// (`claude plugin marketplace add OWNER/REPO#plugin`): the sources' branch holds no bundle. Nothing is pushed.
//   node scripts/release-plugin.mjs [branch]   default plugin
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPlugin } from "./build-plugin.mjs";

/**
 * @param root a checkout whose plugin is built
 * @returns the branch's new commit
 */
export function releasePlugin(root, branch) {
  const dir = mkdtempSync(join(tmpdir(), "aot-release-"));
  // The person's own index is left alone.
  const env = { ...process.env, GIT_INDEX_FILE: join(dir, "index") };
  const git = (...words) =>
    execFileSync("git", words, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  try {
    git("add", "--force", "--", ".agents", ".claude-plugin", "plugin", "plugin-codex");
    const tree = git("write-tree");
    const source = git("rev-parse", "HEAD");
    const ref = `refs/heads/${branch}`;
    const before = git("for-each-ref", "--format=%(objectname)", ref);
    const parent = before === "" ? [] : ["-p", before];
    const commit = git("commit-tree", tree, ...parent, "-m", `The plugin as built from ${source}`);
    git("update-ref", ref, commit, before);
    return commit;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const branch = process.argv[2] ?? "plugin";
  await buildPlugin(join(root, "plugin", "lib", "aot.cjs"));
  console.log(`${branch}: ${releasePlugin(root, branch)}`);
}
