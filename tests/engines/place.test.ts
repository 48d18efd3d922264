/** The place of a task on a worker: what is left when it cannot be had (SPEC section 13). */
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shareLine } from "../../src/adapters/workspace/share-line.ts";
import { createPlaces } from "../../src/engines/place.ts";
import { termsOf } from "../../src/engines/terms.ts";
import { createLoop } from "../../src/core/loop.ts";
import { createProject, gitIn } from "../adapters/workspace/project.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { needs } from "../support/needs.ts";
import { stateOf } from "../support/loops.ts";

const limits = { timeout_ms: 60_000, max_wait_ms: 0 };
const crew = { agent: "command:true", judge: "none", planner: "none" };
const task = { id: "check_base_case#1", effect: { type: "check_base_case" } } as const;

test("SPEC 15: a worker confines what its tasks run: no other task's files, nothing of the host is written to", async () => {
  needs("bwrap", "unshare");
  const project = await createProject({ "a.txt": "1\n" });
  onTestFinished(() => project.remove());
  const [remote, dir] = [join(tempFolder(), "shared.git"), tempFolder()];
  gitIn(dir, "init", "-q", "--bare", remote);
  expect(await shareLine(project.options(), remote)).toMatchObject({ ok: true });
  const terms = termsOf({ remote, line: "demo", prefix: "", state_file: ".claude/aot-loop-state.md", crew, limits });
  mkdirSync(join(dir, "tasks/other"), { recursive: true });
  writeFileSync(join(dir, "tasks/other/file"), "of another loop");
  const told: string[] = [];
  const places = createPlaces(dir, (message) => void told.push(message), { setting: "require" });
  const loop = createLoop(stateOf({ atoms: [{ id: "A1" }] }));
  const { ports, close } = await places.open({
    name: "x",
    task,
    loop,
    terms,
    run: 1,
    signal: new AbortController().signal,
  });
  const { dir: folder, release } = await ports.workspace.checkout();
  const holds = [
    "test -f a.txt",
    `case "$(pwd)" in "${realpathSync(dir)}/projects/"*) ;; *) exit 9;; esac`,
    `! cat ${join(dir, "tasks")}/other/*`,
    "! touch /etc/aot-planted",
    "git status",
  ];
  const base_case = { checklist: [{ item: "x", check: { type: "command" as const, value: holds.join(" && ") } }] };
  const { verdict } = await ports.verifier.verify(base_case, folder, new AbortController().signal, { env: undefined });
  expect(verdict.passed, JSON.stringify(verdict)).toBe(true);
  expect(told.join()).toContain("sandbox: Linux namespaces");
  await release();
  await close();
  await places.close();
});

test("SPEC 13: of a place that cannot be had nothing is left, however often it is tried", async () => {
  const project = await createProject({ "a.txt": "1\n" });
  onTestFinished(() => project.remove());
  const [remote, dir] = [join(tempFolder(), "shared.git"), tempFolder()];
  gitIn(dir, "init", "-q", "--bare", remote);
  expect(await shareLine(project.options(), remote)).toMatchObject({ ok: true });
  const terms = termsOf({ remote, line: "other", prefix: "", state_file: ".claude/aot-loop-state.md", crew, limits });
  const loop = createLoop(stateOf({ atoms: [{ id: "A1" }] }));
  const places = createPlaces(dir, () => {});
  const { signal } = new AbortController();
  for (let run = 1; run <= 2; run++)
    await expect(places.open({ name: "x", task, loop, terms, run, signal })).rejects.toThrow(/other/);
  const tasks = join(dir, "tasks");
  expect(existsSync(tasks) ? readdirSync(tasks) : []).toEqual([]);
  await places.close();
});
