/** SIGKILL at any moment (SPEC section 8): nothing integrated twice, nothing lost, no folder left over. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { removeDeadLock } from "../../../src/adapters/workspace/sweep.ts";
import { bundleFixture, chance, eventually, startWorker, temporaryFolder } from "../../support/bundle.ts";
import { attemptOf, created, testProject } from "./project.ts";

const ATOMS = ["A1", "A2", "A3", "A4", "A5", "A6"];

/** Whether a process that inherited the mark lives; a git that outlives its loop for a moment has it. */
function marked(mark: string): boolean {
  if (process.platform !== "linux") return false;
  return readdirSync("/proc").some((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
}

for (const git of [true, false])
  test.skipIf(process.platform === "win32")(
    `SPEC 8: killed at any moment, the next run goes on (in git: ${git})`,
    { timeout: 120_000 },
    async () => {
      const project = await testProject({ "a.txt": "a\n" }, { git });
      const program = await bundleFixture("workspace/attempts-worker.ts");
      const mark = `aot-crash-${process.pid}-${git}`;
      process.env["AOT_CRASH_MARK"] = mark;
      onTestFinished(() => {
        delete process.env["AOT_CRASH_MARK"];
      });
      const random = chance(20261121);
      const done = new Set<string>();
      for (let round = 1; ; round++) {
        const worker = startWorker(program, project.root, `r${round}`, ...ATOMS);
        // From before it is open to the middle of an integration.
        const timer = round > 12 ? undefined : setTimeout(() => worker.kill(), random() * 600);
        let last: string | null = null;
        do {
          last = await worker.line().catch(() => null);
          if (last?.startsWith("done ") === true) done.add(last.slice(5));
          if (last?.startsWith("open") !== true) continue;
          const atoms = last
            .split(" ")
            .slice(1)
            .flatMap((attempt) => attempt.split(".")[0] || []);
          // Nothing that was announced is missing, and nothing is there twice.
          expect(new Set(atoms).size).toBe(atoms.length);
          for (const atom of done) expect(atoms).toContain(atom);
          for (const atom of atoms) done.add(atom);
        } while (last !== null && last !== "end");
        clearTimeout(timer);
        await worker.ended();
        await eventually("the dead loop's git ends", () => !marked(mark));
        if (last === "end") break;
      }
      expect([...done].sort()).toEqual(ATOMS);
      const own = git ? [] : ["--git-dir=.claude/aot-loop/folder.git", "--work-tree=."];
      expect(project.git(...own, "worktree", "list").split("\n")).toHaveLength(1);
      const workspace = await created(project.options({ loop: "crash", run: "last" }));
      const { integrated, base } = await workspace.open();
      expect(integrated.map((work) => work.atom).sort()).toEqual(ATOMS);
      for (const atom of ATOMS) expect(readFileSync(join(project.root, `${atom}.txt`), "utf8")).toBe(`${atom}\n`);
      expect(project.git(...own, "log", "--format=%s", `${base}..HEAD`).split("\n")).toHaveLength(ATOMS.length);
      expect(project.git(...own, "status", "--porcelain")).toBe("");
    },
  );

test("SPEC 8: what a git that died left of its lock on the packed refs does not keep the next run from its branches", async () => {
  const project = await testProject({ "a.txt": "a\n" });
  const opened = async (run: string) => {
    const workspace = await created(project.options({ run }));
    return { ...workspace, ...(await workspace.open()) };
  };
  await (await opened("r1")).start(attemptOf("A1"));
  project.git("pack-refs", "--all");
  const left = ["packed-refs.lock", "packed-refs.new"].map((name) => join(project.root, ".git", name));
  for (const file of left) writeFileSync(file, "");
  const { notes } = await opened("r2");
  expect(notes.filter((note) => left.every((file) => note.includes(file)))).toHaveLength(1);
  expect(left.filter((file) => existsSync(file))).toEqual([]);
  expect(project.git("branch", "--list", "aot/*/A1*")).toBe("");
});

test("a git that lives keeps its lock on the packed refs", async () => {
  const folder = temporaryFolder();
  const [lock, writing] = [join(folder, "packed-refs.lock"), join(folder, "packed-refs.new")];
  writeFileSync(lock, "");
  const removed = removeDeadLock(folder, 400);
  for (let line = 0; line < 20; line++) {
    appendFileSync(writing, `${line}\n`);
    await sleep(50);
    expect(existsSync(lock) && existsSync(writing)).toBe(true);
  }
  for (const file of [writing, lock]) rmSync(file);
  expect(await removed).toEqual([]);
});
