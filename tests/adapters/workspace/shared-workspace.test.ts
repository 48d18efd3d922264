/**
 * Work that travels by git between hosts: one bare remote, and workers that share nothing else (SHARED-WORKSPACE-1 to
 * 4).
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shareLine } from "../../../src/adapters/workspace/share-line.ts";
import { createMirrors, type Mirrors } from "../../../src/adapters/workspace/shared-clone.ts";
import {
  openSharedWorkspace,
  type SharedOptions,
  type SharedWorkspace,
} from "../../../src/adapters/workspace/shared-workspace.ts";
import type { Delivered } from "../../../src/loop/hosted-loop.ts";
import type { Integration } from "../../../src/loop/ports.ts";
import { RunReplaced } from "../../../src/loop/run-failure.ts";
import { tempFolder } from "../../fixtures/programs.ts";
import { attemptOf, gitIn, integratedFiles, testProject, workOf, type Project, tamperedIn } from "./project.ts";

const FIRST = { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "sub/keep.txt": "k\n" };

interface Field {
  readonly remote: string;
  readonly project: Project;
  readonly mirrors: Mirrors;
  task(more?: Partial<SharedOptions>): Promise<SharedWorkspace>;
  tip(): string;
  attempt(atom: string, change: (dir: string) => Promise<void>, run?: number): Promise<Delivered | null>;
  integrate(atom: string, work: Delivered | null, run?: number): Promise<Integration>;
}

async function field(prefix = ""): Promise<Field> {
  const project = await testProject(FIRST);
  const folder = tempFolder();
  const remote = join(folder, "shared.git");
  gitIn(folder, "init", "-q", "--bare", remote);
  const line = await shareLine(project.options({ root: join(project.root, prefix) }), remote);
  if (!line.ok) throw new Error(line.problem.message);
  expect(line.value).toMatchObject({ branch: "aot/demo/integration", prefix });
  const mirrors = createMirrors(join(folder, "mirrors"));
  let tasks = 0;
  const task: Field["task"] = async (more = {}) =>
    await openSharedWorkspace({
      mirrors,
      remote,
      loop: "demo",
      prefix,
      state_file: ".claude/aot-loop-state.md",
      run: 1,
      protected: [],
      dir: join(folder, `task-${++tasks}`),
      ...more,
    });
  const within = async <T>(
    more: Partial<SharedOptions>,
    use: (workspace: SharedWorkspace) => Promise<T>,
  ): Promise<T> => {
    const workspace = await task(more);
    try {
      return await use(workspace);
    } finally {
      await workspace.close();
    }
  };
  return {
    remote,
    project,
    mirrors,
    task,
    tip: () => gitIn(remote, "rev-parse", "aot/demo/integration"),
    attempt: async (atom, change, run = 1) =>
      await within({ run }, async (workspace) => {
        const { dir } = await workspace.start(attemptOf(atom));
        await change(dir);
        return await workspace.deliver(attemptOf(atom));
      }),
    integrate: async (atom, work, run = 1) =>
      await within({ run, work }, (workspace) => workspace.integrate(attemptOf(atom), workOf(atom))),
  };
}

const write =
  (name: string, text: string) =>
  async (dir: string): Promise<void> =>
    await writeFile(join(dir, name), text);

async function filesOf({ task }: Field, names: readonly string[]): Promise<Record<string, string | undefined>> {
  const workspace = await task();
  try {
    return await integratedFiles(workspace, names);
  } finally {
    await workspace.close();
  }
}

test("SPEC 13: an attempt is delivered by one host, integrated by another, and checked by a third", async () => {
  const here = await field();
  const first = await here.attempt("A1", write("b.txt", "b\n"));
  const second = await here.attempt("A2", write("c.txt", "c\n"));
  expect(first?.branch).toBe("aot/demo/attempt/A1-1-r1");
  expect(await here.integrate("A1", first)).toMatchObject({ kind: "integrated", files: ["b.txt"] });
  expect(await here.integrate("A2", second)).toMatchObject({ kind: "integrated", files: ["c.txt"] });
  expect(await filesOf(here, ["b.txt", "c.txt", "a.txt"])).toEqual({
    "b.txt": "b\n",
    "c.txt": "c\n",
    "a.txt": FIRST["a.txt"],
  });
  expect(gitIn(here.remote, "for-each-ref", "refs/heads/aot/demo/attempt")).toBe("");
  expect(await here.integrate("A3", await here.attempt("A3", async () => {}))).toMatchObject({ commit: null });
});

test("SPEC 13: nothing of a task is left on its host", async () => {
  const here = await field();
  await here.integrate("A1", await here.attempt("A1", write("b.txt", "b\n")));
  await filesOf(here, ["b.txt"]);
  const left = await readdir(join(here.remote, ".."));
  expect(left.toSorted()).toEqual(["mirrors", "shared.git"]);
  expect(existsSync(join(here.project.root, "b.txt"))).toBe(false);
});

test("SPEC 13: nothing is left of a task that could not be opened, however often it is tried", async () => {
  const here = await field();
  const gone = { protected: ["a.txt"], aligned_commit: "1".repeat(40) };
  for (let turn = 0; turn < 2; turn++) await expect(here.task(gone)).rejects.toThrow(/is not in the repository/);
  expect((await readdir(join(here.remote, ".."))).toSorted()).toEqual(["mirrors", "shared.git"]);
});

test("SPEC 13: locks that a power cut left in a mirror keep no later worker from its tasks", async () => {
  const here = await field();
  const folder = join(tempFolder(), "other");
  await (await here.task({ mirrors: createMirrors(folder) })).close();
  await here.integrate("A1", await here.attempt("A1", write("b.txt", "b\n")));
  const [mirror = ""] = await readdir(folder);
  for (const lock of ["packed-refs.lock", "refs/heads/aot/demo/integration.lock", "refs/aot/demo/tip.lock"])
    writeFileSync(join(folder, mirror, lock), "");
  const later = await here.task({ mirrors: createMirrors(folder) });
  expect(await integratedFiles(later, ["b.txt"])).toEqual({ "b.txt": "b\n" });
  await later.close();
});

/** Makes the mirror as one is after many tasks: loose objects that nobody needs. */
function worn(mirror: string): void {
  const texts = tempFolder();
  const names = Array.from({ length: 5_000 }, (_, i) => join(texts, String(i)));
  for (const name of names) writeFileSync(name, name);
  execFileSync("git", ["hash-object", "-w", "--stdin-paths"], { cwd: mirror, input: names.join("\n"), stdio: "pipe" });
}

const looseIn = (mirror: string): number => Number(gitIn(mirror, "count-objects").split(" ")[0]);

test("SPEC 13: a worn mirror goes when no task of its repository is running, never before, and is fetched anew with all that tasks need", async () => {
  const here = await field();
  const folder = join(here.remote, "..", "mirrors");
  await here.integrate("A1", await here.attempt("A1", write("b.txt", "b\n")));
  const delivered = await here.attempt("A2", write("c.txt", "c\n"));
  const atWork = await here.task();
  const [name = ""] = await readdir(folder);
  const mirror = join(folder, name);
  worn(mirror);
  const refs = gitIn(here.remote, "for-each-ref");
  await (await here.task()).close();
  await here.mirrors.still();
  expect(looseIn(mirror)).toBeGreaterThan(5_000);
  expect(await integratedFiles(atWork, ["b.txt"])).toEqual({ "b.txt": "b\n" });
  await atWork.close();
  await here.mirrors.still();
  expect(await readdir(folder)).toEqual([]);
  expect(gitIn(here.remote, "for-each-ref")).toBe(refs);
  expect(await here.integrate("A2", delivered)).toMatchObject({ kind: "integrated", files: ["c.txt"] });
  expect(await filesOf(here, ["b.txt", "c.txt"])).toEqual({ "b.txt": "b\n", "c.txt": "c\n" });
});

test("SPEC 7: a remote that is away for a moment costs no finished work: it is pushed again", async () => {
  const here = await field();
  const count = join(here.remote, "count");
  const refusal = `#!/bin/sh\necho x >> "${count}"\ntest "$(wc -l < "${count}")" -gt 1\n`;
  writeFileSync(join(here.remote, "hooks", "pre-receive"), refusal, { mode: 0o755 });
  const work = await here.attempt("A1", write("b.txt", "b\n"));
  expect(gitIn(here.remote, "rev-parse", "aot/demo/attempt/A1-1-r1")).toBe(work?.commit);
  expect(readFileSync(count, "utf8")).toBe("x\nx\n");
});

test("REMOTE-PATIENCE-2: a remote that is away is waited for, before a task and behind it, and whoever waits says so", async () => {
  const here = await field();
  const aside = `${here.remote}.aside`;
  const said: (string | null)[] = [];
  const patience = {
    waiting: (wait: string | null): void => {
      said.push(wait);
      if (wait !== null && existsSync(aside)) renameSync(aside, here.remote);
    },
  };
  renameSync(here.remote, aside);
  const workspace = await here.task({ patience });
  const { dir } = await workspace.start(attemptOf("A1"));
  await writeFile(join(dir, "b.txt"), "b\n");
  renameSync(here.remote, aside);
  const work = await workspace.deliver(attemptOf("A1"));
  await workspace.close();
  expect(gitIn(here.remote, "rev-parse", "aot/demo/attempt/A1-1-r1")).toBe(work?.commit);
  const away = expect.stringMatching(/^the remote, since 20.*Z: .*shared\.git/s);
  expect(said).toEqual([away, null, away, null]);
});

test("REMOTE-PATIENCE-1: nobody waits for a remote once the task is not wanted any more", async () => {
  const here = await field();
  renameSync(here.remote, `${here.remote}.aside`);
  const abort = new AbortController();
  const opening = here.task({ patience: { signal: abort.signal, waiting: () => abort.abort() } });
  await expect(opening).rejects.toThrow(/shared repository/);
});

test("SPEC 7: others changed the same lines: a conflict, and nothing moves; a protected file: refused", async () => {
  const here = await field();
  const [one, two] = [
    await here.attempt("A1", write("a.txt", "one\n")),
    await here.attempt("A2", write("a.txt", "two\n")),
  ];
  await here.integrate("A1", one);
  const tip = here.tip();
  expect(await here.integrate("A2", two)).toEqual({ kind: "conflict", files: ["a.txt"] });
  expect(here.tip()).toBe(tip);
  const workspace = await here.task({ protected: ["a.txt"], work: two });
  expect(await workspace.integrate(attemptOf("A2"), workOf("A2"))).toEqual({ kind: "protected", files: ["a.txt"] });
  await workspace.close();
  expect(gitIn(here.remote, "rev-parse", "aot/demo/attempt/A2-1-r1")).toBe(two?.commit);
});

test("SPEC 13: an integration that is begun again is done once, and answers the same", async () => {
  const here = await field();
  const work = await here.attempt("A1", write("b.txt", "b\n"));
  const first = await here.integrate("A1", work);
  const tip = here.tip();
  expect(await here.integrate("A1", work, 2)).toEqual(first);
  expect(here.tip()).toBe(tip);
});

test("SPEC 13: who was replaced, or comes back late, is refused by the remote", async () => {
  const here = await field();
  const work = await here.attempt("A1", write("b.txt", "b\n"));
  const other = await here.attempt("A2", write("c.txt", "c\n"));
  // It has read the branch, and is cut off while another one integrates.
  const late = await here.task({ work });
  await here.integrate("A2", other);
  const tip = here.tip();
  await expect(late.integrate(attemptOf("A1"), workOf("A1"))).rejects.toThrow(/stale info|rejected/);
  await late.close();
  expect(here.tip()).toBe(tip);
  expect(await here.integrate("A1", work, 2)).toMatchObject({ kind: "integrated" });
  // What is delivered stands: neither another run nor the same one moves it.
  const delivered = await here.attempt("A3", write("d.txt", "1\n"));
  const again = [await here.attempt("A3", write("d.txt", "2\n")), await here.attempt("A3", write("d.txt", "3\n"), 2)];
  expect(new Set([delivered, ...again].map((one) => one?.branch)).size).toBe(3);
  expect(gitIn(here.remote, "rev-parse", "aot/demo/attempt/A3-1-r1")).toBe(delivered?.commit);
});

test("SPEC 13: once a later run has begun, the late push of an earlier one is refused, and said to be", async () => {
  const one = await field();
  const zombie = await one.task();
  const { dir } = await zombie.start(attemptOf("A1"));
  await write("new.txt", "late")(dir);
  const successor = await one.task({ run: 2 });
  const place = await successor.start(attemptOf("A1"));
  await expect(zombie.deliver(attemptOf("A1"))).rejects.toThrow(RunReplaced);
  await write("new.txt", "in time")(place.dir);
  const delivered = await successor.deliver(attemptOf("A1"));
  expect(delivered?.branch).toBe("aot/demo/attempt/A1-1-r2");
  await Promise.all([zombie.close(), successor.close()]);
  // What was refused is nowhere: its branch holds no file at all.
  expect(gitIn(one.remote, "ls-tree", "-r", "aot/demo/attempt/A1-1-r1")).not.toContain("new.txt");
  await one.integrate("A1", delivered, 2);
  expect(await filesOf(one, ["new.txt"])).toEqual({ "new.txt": "in time" });
});

test("SPEC 13: what an earlier run had pushed in time stays; the places of the others are taken", async () => {
  const one = await field();
  const first = await one.attempt("A1", write("new.txt", "first"));
  const successor = await one.task({ run: 3 });
  await successor.start(attemptOf("A1"));
  expect(gitIn(one.remote, "rev-parse", "aot/demo/attempt/A1-1-r1")).toBe(first?.commit);
  expect(gitIn(one.remote, "rev-parse", "aot/demo/attempt/A1-1-r2")).not.toBe(first?.commit);
  await successor.close();
});

test("SPEC 7: work is taken out on any host, once, and what stood on it is named both times", async () => {
  const here = await field();
  await here.integrate("A1", await here.attempt("A1", write("b.txt", "one\n")));
  await here.integrate("A2", await here.attempt("A2", write("b.txt", "two\n")));
  const revert = async (run: number): Promise<unknown> => {
    const workspace = await here.task({ run });
    try {
      return await workspace.revert(["A1"], "given up");
    } finally {
      await workspace.close();
    }
  };
  const first = await revert(1);
  expect(first).toMatchObject({ lost: ["A2"] });
  const tip = here.tip();
  expect(await revert(2)).toEqual(first);
  expect(here.tip()).toBe(tip);
  expect(await filesOf(here, ["b.txt"])).toEqual({ "b.txt": undefined });
});

test("SPEC 7: a project in a folder of its repository is worked there", async () => {
  const here = await field("sub/");
  const work = await here.attempt("A1", write("new.txt", "n\n"));
  expect(await here.integrate("A1", work)).toMatchObject({ kind: "integrated", files: ["new.txt"] });
  expect(await filesOf(here, ["new.txt", "keep.txt"])).toEqual({ "new.txt": "n\n", "keep.txt": "k\n" });
  expect(gitIn(here.remote, "ls-tree", "--name-only", "-r", here.tip())).toContain("sub/new.txt");
});

test("SPEC 6: protected files are compared with the aligned commit, wherever it is checked", async () => {
  const here = await field();
  const aligned = here.tip();
  await here.integrate("A1", await here.attempt("A1", write("a.txt", "changed\n")));
  const workspace = await here.task({ protected: ["a.txt"], aligned_commit: aligned });
  expect(await tamperedIn(workspace)).toEqual(["a.txt"]);
  await workspace.close();
});

test("SPEC 13: a remote that cannot be used, or holds another loop, is named with what to do", async () => {
  const here = await field();
  const patience = { signal: AbortSignal.abort() };
  await expect(here.task({ remote: join(here.remote, "nowhere"), patience })).rejects.toThrow(
    /shared repository .* cannot be used/,
  );
  await expect(here.task({ loop: "other" })).rejects.toThrow(/there is no aot\/other\/integration in it/);
  await here.integrate("A1", await here.attempt("A1", write("b.txt", "b\n")));
  const elsewhere = await testProject({ "x.txt": "x\n" });
  const shared = await shareLine(elsewhere.options(), here.remote);
  expect(shared).toMatchObject({ ok: false, problem: { message: expect.stringContaining("cannot be pushed") } });
});
