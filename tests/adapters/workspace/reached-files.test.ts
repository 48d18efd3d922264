/** What of the person's checkout checks read that nothing confines (REACHED-FILES-1 to 4). */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createGit } from "../../../src/adapters/workspace/git.ts";
import { reachedFiles, type Reaching } from "../../../src/adapters/workspace/reached-files.ts";
import { writeFiles } from "../../scenarios/stage.ts";

const CHANGED = [
  ".git/config",
  "README.md",
  "build/data.json",
  "node_modules/adder/index.js",
  "packages/lib/index.js",
  "src/pkg/core.py",
];

interface Place {
  readonly root: string;
  readonly clone: string;
  reached(change?: Partial<Reaching>): Promise<readonly string[]>;
}

/** @param files of the commit */
function place(files: Readonly<Record<string, string>> = {}): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "aot-reach-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: readonly string[]): string => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });
  git("init", "-q");
  writeFiles(root, { "a.js": "1", ...files });
  git("add", "-A");
  git("-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "init");
  writeFiles(root, Object.fromEntries(CHANGED.filter((path) => path !== ".git/config").map((path) => [path, "x"])));
  const clones = join(root, ".claude", "worktrees", "aot-loop");
  const clone = join(clones, "loop", "+check-1");
  writeFiles(clone, { "a.js": "1", ...files });
  const known = { roots: [root], clone, clones, git: createGit({ cwd: root }), base: "HEAD", commit: "HEAD" } as const;
  return {
    root,
    clone,
    reached: (change) => reachedFiles(CHANGED, { ...known, checks: "npm test", env: {}, ...change }),
  };
}

test("a check that is led nowhere reads nothing there, whatever changed", async () => {
  expect(await place({ Dockerfile: "WORKDIR /app\n" }).reached()).toEqual([]);
});

test("where git cannot say what the work brought, all that changed may have been read", async () => {
  expect(await place().reached({ base: "0".repeat(40) })).toEqual(CHANGED);
  const installed = place({ "a.js": "require('x')" });
  expect(await installed.reached({ base: "HEAD", commit: "HEAD:a.js" })).toEqual(CHANGED);
});

test("REACHED-FILES-1: links of the clone, committed or made, and links where they lead", async () => {
  const linked = place();
  symlinkSync(join(linked.root, "build"), join(linked.clone, "build"), "junction");
  expect(await linked.reached()).toEqual(["build/data.json"]);
  const installed = place();
  mkdirSync(join(installed.root, "node_modules"), { recursive: true });
  symlinkSync(join(installed.root, "packages", "lib"), join(installed.root, "node_modules", "lib"), "junction");
  symlinkSync(join(installed.root, "node_modules"), join(installed.clone, "node_modules"), "junction");
  expect(await installed.reached()).toEqual(["node_modules/adder/index.js", "packages/lib/index.js"]);
});

test("REACHED-FILES-2: a package that the commit or a check names, and the clone has not got", async () => {
  const named = place({ "b.js": "require('adder')" });
  expect(await named.reached()).toEqual(["node_modules/adder/index.js"]);
  expect(await place().reached({ checks: "node -e \"require('adder/sub')\"" })).toEqual([
    "node_modules/adder/index.js",
  ]);
  writeFiles(named.clone, { "node_modules/adder/index.js": "its own" });
  expect(await named.reached()).toEqual([]);
});

test("REACHED-FILES-3: sources of an editable install, and nothing else beside them", async () => {
  const editable = place();
  const library = join(editable.root, ".venv", "lib", "python3.12", "site-packages");
  writeFiles(library, { "__editable__.pkg-1.pth": `${editable.root}\n` });
  expect(await editable.reached()).toEqual([]);
  writeFiles(editable.root, { ".venv/pyvenv.cfg": "" });
  expect(await editable.reached()).toEqual(["src/pkg/core.py"]);
});

test("REACHED-FILES-4: paths that a check or a search path names", async () => {
  const { root, reached } = place();
  expect(await reached({ checks: `cat ${root}/build/*.json` })).toEqual(["build/data.json"]);
  expect(await reached({ checks: `cat ${root}-other/build/data.json` })).toEqual([]);
  expect(await reached({ env: { PYTHONPATH: `/x:${root}/src`, PWD: root } })).toEqual(["src/pkg/core.py"]);
  expect(await reached({ checks: `cd ${root} && make` })).toEqual(CHANGED);
});
