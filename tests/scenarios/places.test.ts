/** Where a loop may be worked, and what is in the way (SPEC sections 7 and 8). */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { aot } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { gitIn } from "../support/git.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";
import { filesExist, setStage, stageAt, type Play } from "./stage.ts";

const ONE: Play = {
  atoms: [{ id: "A1" }],
  objective: { base_case: filesExist("a") },
  script: { A1: [{ write: { a: "1" } }] },
};
/** The first choice spoils the folder and fails; the second wants it clean. */
const BACKTRACKS: Play = {
  files: { keep: "kept\n" },
  atoms: [{ id: "A1" }, { id: "A2" }, { id: "A3", depends_on: ["A1"] }],
  groups: [{ name: "g", choices: ["A1", "A2"] }],
  objective: { base_case: filesExist("a", "b") },
  script: {
    A1: [{ write: { keep: null, trash: "x" } }, { answer: { success: false, summary: "no" } }],
    A2: [{ sh: "test ! -e trash && test -f keep" }, { write: { a: "1" } }],
    A3: [{ sh: "test -f a" }, { write: { b: "1" } }],
  },
};

test("SPEC 7: outside git attempts work in copies of the folder, as in a repository, and the run says so", async () => {
  const stage = setStage({ ...BACKTRACKS, git: false, constraints: { max_parallel_agents: 3 } });
  expect(await stage.run()).toMatchObject({
    exit_code: 0,
    report: {
      merged: true,
      notes: [expect.stringContaining("is not in a git repository"), expect.stringContaining("A1-1-")],
    },
  });
  expect(["a", "b", "keep", "trash"].map(stage.read)).toEqual(["1", "1", "kept\n", null]);
});

test("SPEC 7: a repository without a commit is refused and says how to go on", async () => {
  const stage = setStage({ ...ONE, git: false });
  gitIn(stage.root, "init", "-q");
  expect(await stage.run()).toMatchObject({
    exit_code: 2,
    problems: [{ hint: expect.stringContaining("git commit --allow-empty -m init") }],
  });
});

test.each(["sub/folder/.claude/aot-loop-state.md", "loops/my loop ü 漢.md"])(
  "SPEC 2: the state file may stand anywhere in the project: %s",
  async (state_file) => {
    const stage = setStage({ ...ONE, state_file, files: { "sub/x": "1", "loops/x": "1" } });
    expect(await stage.run()).toMatchObject({ exit_code: 0, report: { merged: true } });
    expect(stage.read("a")).toBe("1");
    expect(existsSync(join(loopPaths(stage.stateFile).dir, "journal.jsonl"))).toBe(true);
  },
);

test("SPEC 7: a project under a path with spaces and other letters", async () => {
  const top = join(temporaryFolder(), "my projects 'ü' 漢");
  mkdirSync(top);
  const stage = stageAt(top, BACKTRACKS);
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
});

test("SPEC 8: whatever link the state file is named by, it is one loop", async () => {
  const stage = setStage(ONE);
  const link = join(dirname(stage.root), "link.md");
  symlinkSync(stage.stateFile, link);
  expect(await stage.run({ stateFile: link })).toMatchObject({ exit_code: 0 });
  expect(stage.journal().at(-1)).toMatchObject({ event: "run_ended" });
  expect(existsSync(`${link}.aot-loop`)).toBe(false);
});

const isRoot = process.getuid?.() === 0;

test.skipIf(isRoot || process.platform === "win32")(
  "SPEC 2: a folder that cannot be written to is reported before anything starts (not as root)",
  async () => {
    const stage = setStage(ONE);
    chmodSync(dirname(stage.stateFile), 0o555);
    onTestFinished(() => chmodSync(dirname(stage.stateFile), 0o755));
    expect(await stage.run()).toMatchObject({ ok: false });
  },
);

test.skipIf(!canMount)(
  "SPEC 7, 8: a disk that an attempt filled is named with what frees it, `aot clean --all` does, and the loop goes on",
  async () => {
    const disk = smallDisk("6m");
    const big =
      'const fs = require("fs"), f = fs.openSync("big", "w"); for (;;) fs.writeSync(f, Buffer.alloc(65536, 1));';
    const stage = stageAt(disk, { ...ONE, files: { "fill.cjs": big } });
    stage.rewrite({ A1: [{ write: { a: "1" } }, { sh: `"${process.execPath}" fill.cjs` }] });
    const env = { TMPDIR: disk };
    const ends = [await stage.run(), await stage.run()];
    for (const end of ends) expect(JSON.stringify(end)).toMatch(/is full: free some space \(`aot clean --all`/);
    expect((await aot(["clean", "--yes"], { cwd: stage.root, env })).out).toMatch(/stay, .*aot clean --all/);
    const cleaned = await aot(["clean", "--all", "--yes"], { cwd: stage.root, env });
    expect(cleaned).toMatchObject({
      code: 0,
      out: expect.stringMatching(/removed slot .* with work that no commit has/),
    });
    stage.rewrite(ONE.script ?? {});
    expect(await stage.run()).toMatchObject({ exit_code: 0 });
  },
);

test.skipIf(!canMount)("SPEC 8: a read-only file system is reported before anything starts", async () => {
  const disk = smallDisk("4m");
  const stage = stageAt(disk, ONE);
  execFileSync("mount", ["-o", "remount,ro", disk]);
  const end = await stage.run();
  execFileSync("mount", ["-o", "remount,rw", disk]);
  expect(end).toMatchObject({ ok: false, exit_code: 1 });
  expect(JSON.stringify(end)).toMatch(/read-only|EROFS/i);
  expect(stage.state().control.status).toBe("pending");
});
