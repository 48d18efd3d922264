/** A loop handed to an engine: whose it is from then on, and that its work comes back (SPEC section 13). */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownerOf } from "../../src/adapters/store/owner.ts";
import { editStateFile, editView, readStateFile } from "../../src/adapters/store/state-file.ts";
import { placeFor } from "../../src/align/align-loop.ts";
import { addAtomTo } from "../../src/edit/atoms.ts";
import { engineNamed } from "../../src/engines/client.ts";
import { remoteForWorkers } from "../../src/engines/origin.ts";
import { pullView, sendRequest } from "../../src/engines/owned-loop.ts";
import { startWorker, type RunningWorker } from "../../src/engines/worker.ts";
import { runLoop } from "../../src/index.ts";
import { submitLoop, type SubmitOptions } from "../../src/engines/submit-loop.ts";
import { accepted, describeProblems, type Result } from "../../src/core/problem.ts";
import type { State } from "../../src/core/state.ts";
import type { Engine, LoopView } from "../../src/loop/engine.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { postgresPrograms, startPostgres, type Postgres } from "../support/engines/dbos-postgres.ts";
import { SILENT } from "../support/engines/silent-engine.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { stateOf, type Sketch } from "../support/loops.ts";
import { hostedLines } from "../support/lines.ts";

process.env["GIT_CONFIG_GLOBAL"] = join(process.cwd(), "no-such-gitconfig");
process.env["GIT_CONFIG_NOSYSTEM"] = "1";

const LIMITS = { timeout_ms: 60_000, max_wait_ms: 1_000 };
const SETTINGS = { verify_each: false, confirmed: false };
/** Writes a file named after the atom, and waits first where the project says so. */
const AGENT = `let t="";process.stdin.on("data",(d)=>t+=d).on("end",()=>{const {atom}=JSON.parse(t);require("fs").writeFileSync(atom.id+".txt","by "+atom.id);console.log(JSON.stringify({success:true,summary:"did "+atom.id,artifacts:[atom.id+".txt"]}))})`;

interface Project {
  readonly root: string;
  readonly stateFile: string;
  readonly remote: string;
  readonly agent: string;
  git(...args: string[]): string;
}

function project(sketch: Sketch, check = "test -f A2.txt"): Project {
  const folder = tempFolder();
  const [root, remote, agent] = [join(folder, "project"), join(folder, "shared.git"), join(folder, "agent.cjs")];
  const git = (...args: string[]): string => gitIn(root, ...args);
  mkdirSync(join(root, ".claude"), { recursive: true });
  writeFileSync(agent, AGENT);
  writeFileSync(join(root, "first.txt"), "1\n");
  commitAll(root);
  git("init", "-q", "--bare", remote);
  const state = stateOf(sketch);
  const objective = { ...state.objective, base_case: { type: "command", value: check } as const };
  const stateFile = join(root, ".claude", "aot-loop-state.md");
  writeFileSync(stateFile, createStateText({ ...state, objective }, "Do it."));
  return { root, stateFile, remote, agent, git };
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(describeProblems(result.problems));
  return result.value;
}

async function stateIn(stateFile: string): Promise<State> {
  return valueOf(await readStateFile(stateFile)).state;
}

const CHAIN: Sketch = { atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] };

test("SPEC 13: a remote that is named by a relative path is the same repository for a worker, wherever that was started", async () => {
  const { root, stateFile, remote } = project(CHAIN);
  const begun: unknown[] = [];
  const engine: Engine = {
    ...SILENT,
    start: (_, { terms }) => {
      begun.push(terms);
      return Promise.resolve({ ok: true, message: "it begins" });
    },
  };
  const crew = { agent: "command:true" };
  valueOf(await submitLoop({ stateFile, engine, remote: "../shared.git", crew, limits: LIMITS, settings: SETTINGS }));
  expect(begun).toEqual([expect.objectContaining({ remote: realpathSync(remote) })]);
  for (const url of [
    "https://git.example/x.git",
    "git@git.example:x.git",
    "file:///srv/x.git",
    "C:\\x.git",
    "/srv/x.git",
  ])
    expect(await remoteForWorkers(root, url)).toBe(url);
});

test("SPEC 13: a state file that names an engine is a view: every other writer is refused, with what to do", async () => {
  const { stateFile } = project(CHAIN);
  const own = (engine: string | null): ReturnType<typeof editView> =>
    editView(stateFile, ({ state }) => accepted({ ...state, control: { ...state.control, engine } }));
  valueOf(await own("postgres://10.0.0.1:5432/aot/loop-1"));
  expect(ownerOf(await stateIn(stateFile))).toEqual({ engine: "postgres://10.0.0.1:5432/aot", loop: "loop-1" });
  const before = readFileSync(stateFile, "utf8");
  const by = { message: expect.stringContaining("postgres://10.0.0.1:5432/aot works this loop as loop-1") };
  const refusal = { ok: false, problems: [{ ...by, hint: expect.stringContaining("aot stop") }] };
  expect(await editStateFile(stateFile, ({ state }) => accepted({ ...state }))).toMatchObject(refusal);
  expect(await addAtomTo(stateFile, { id: "x", description: "x", depends_on: [] })).toMatchObject(refusal);
  const run = { stateFile, root: ".", merge: false, restart: true, settings: SETTINGS, limits: LIMITS };
  expect(await runLoop(run, { line: () => {} })).toMatchObject({ ...refusal, exit_code: 1 });
  for (const force of [false, true])
    expect(await placeFor(stateFile, force)).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining("as loop-1"), hint: expect.stringContaining("--state-file") }],
    });
  expect(readFileSync(stateFile, "utf8")).toBe(before);
  valueOf(await own(null));
  expect(await addAtomTo(stateFile, { id: "x", description: "x", depends_on: [] })).toMatchObject({ ok: true });
});

const programs = postgresPrograms();
describe.skipIf(programs === null)("on a real PostgreSQL", { timeout: 240_000 }, () => {
  let postgres: Postgres;
  let worker: RunningWorker;
  let engine: Engine;
  let dir: string;
  const warnings: string[] = [];

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    dir = join(temporaryFolder(), "worker");
    worker = valueOf(
      await startWorker({ engine: postgres.url, name: "w1", slots: 2, dir, warn: (message) => warnings.push(message) }),
    );
    engine = valueOf(engineNamed(postgres.url, {}));
  });
  afterAll(async () => {
    await worker?.close();
    await engine?.close();
    await postgres?.close();
  });

  const submit = (here: Project, more: Partial<SubmitOptions> = {}): ReturnType<typeof submitLoop> =>
    submitLoop({
      stateFile: here.stateFile,
      engine,
      remote: here.remote,
      crew: { agent: `command:node "${here.agent}"`, planner: "none", judge: "none" },
      limits: LIMITS,
      settings: SETTINGS,
      ...more,
    });
  const halted = async (stateFile: string): Promise<LoopView> => {
    for (const end = Date.now() + 90_000; Date.now() < end;) {
      const view = valueOf(await pullView(stateFile, {}));
      if (view.state.control.outcome != null) return view;
      await new Promise((resume) => setTimeout(resume, 100));
    }
    throw new Error(`it did not halt: ${JSON.stringify(await engine.journal("", 0))} ${warnings.join("\n")}`);
  };

  test("SPEC 13: a loop is handed over, worked by a worker, verified there, and its work is on the remote", async () => {
    const here = project(CHAIN);
    const submitted = valueOf(await submit(here));
    expect(ownerOf(await stateIn(here.stateFile))).toEqual(submitted.owner);
    const view = await halted(here.stateFile);
    expect(view.state.control).toMatchObject({ outcome: "verified", status: "completed" });
    expect(view).toMatchObject({ attempts: 2, refused: [] });
    const state = await stateIn(here.stateFile);
    expect(state.control).toMatchObject({
      status: "completed",
      engine: `${submitted.owner.engine}/${submitted.owner.loop}`,
    });
    expect(state.atoms.map(({ status }) => status)).toEqual(["resolved", "resolved"]);
    here.git("fetch", "-q", here.remote, submitted.branch);
    expect(here.git("ls-tree", "--name-only", "FETCH_HEAD").split("\n")).toEqual(["A1.txt", "A2.txt", "first.txt"]);
    expect(here.git("log", "--format=%s", "FETCH_HEAD").split("\n")).toEqual(["do A2", "do A1", "first"]);
    // What the agents said is kept; of the tasks themselves nothing is left.
    for (const atom of ["A1", "A2"])
      expect(await engine.logs(submitted.owner.loop, atom)).toMatchObject([
        { task: `${atom}.1`, run: 1, file: `${atom}.1.log`, text: expect.stringContaining(`did ${atom}`) },
      ]);
    expect(await engine.logs(submitted.owner.loop, "A")).toEqual([]);
    expect(readdirSync(join(dir, "tasks"))).toEqual([]);
    expect(await submit(here)).toMatchObject({ ok: false });
    const reported = await sendRequest(submitted.owner, { kind: "resume" }, {});
    expect(reported).toMatchObject({ ok: false, problems: [{ message: "the loop is completed" }] });
  });

  test("SPEC 7: set-up commands and ports are handed over; what a clone was prepared with is nobody's work", async () => {
    const here = project(
      { atoms: [{ id: "A1" }, { id: "A2" }] },
      'test -f installed.txt && test -n "$AOT_PORT" && test -f A1.txt && test -f A2.txt',
    );
    writeFileSync(
      here.agent,
      `let t="";process.stdin.on("data",(d)=>t+=d).on("end",()=>{const fs=require("fs");const {atom}=JSON.parse(t);fs.readFileSync("installed.txt");fs.writeFileSync(atom.id+".txt",String(process.env.AOT_PORT));console.log(JSON.stringify({success:true,summary:"did "+atom.id,usage:{input_tokens:1e6,output_tokens:5e5}}))})`,
    );
    const set_up = { commands: ["echo yes > installed.txt"], timeout_ms: 60_000, port_base: 42_000 };
    const { owner, branch } = valueOf(await submit(here, { set_up }));
    const view = await halted(here.stateFile);
    expect(view.state.control.outcome).toBe("verified");
    here.git("fetch", "-q", here.remote, branch);
    expect(here.git("ls-tree", "--name-only", "FETCH_HEAD").split("\n")).toEqual(["A1.txt", "A2.txt", "first.txt"]);
    const ports = ["A1", "A2"].map((atom) => Number(here.git("show", `FETCH_HEAD:${atom}.txt`)));
    for (const port of ports) expect(port % 10).toBe(0);
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(42_000);
    const [log] = await engine.logs(owner.loop, "A1");
    expect(log?.text).toContain("set-up: echo yes > installed.txt");
  });

  test("SPEC 7: a set-up that fails on a worker fails the attempt with its reason", async () => {
    const here = project({ atoms: [{ id: "A1" }], constraints: { max_iterations: 1 } });
    const set_up = { commands: ["echo no such tool >&2; exit 3"], timeout_ms: 60_000, port_base: 42_000 };
    const { owner } = valueOf(await submit(here, { set_up }));
    expect((await halted(here.stateFile)).state.control.outcome).toBe("max_iterations");
    expect(JSON.stringify(await engine.journal(owner.loop, 0))).not.toContain("did A1");
    const lines = await hostedLines(engine, owner.loop);
    expect(JSON.stringify(lines)).toContain("no such tool");
  });

  test("SPEC 12: work that a guard rule forbids is not integrated on a worker either, and the next attempt learns why", async () => {
    const here = project({ atoms: [{ id: "A1" }], constraints: { max_iterations: 2, max_parallel_agents: 1 } });
    const rule = (name: string, more: string): void =>
      writeFileSync(
        join(here.root, ".claude", `hookify.${name}.local.md`),
        `---\nname: ${name}\nevent: file\naction: block\n${more}\n---\nNobody writes that here.\n`,
      );
    rule("no-a1", "enabled: true\nconditions:\n  - {field: file_path, operator: ends_with, pattern: A1.txt}");
    rule("off", "enabled: false\npattern: first");
    const { owner, branch } = valueOf(await submit(here));
    const view = await halted(here.stateFile);
    expect(view.state.control.outcome).toBe("max_iterations");
    const journal = await hostedLines(engine, owner.loop);
    const reasons = journal.flatMap((line) => (line.event === "attempt_failed" ? [line.reason] : []));
    expect(reasons).toHaveLength(2);
    for (const reason of reasons)
      expect(reason).toMatch(/guard rules forbid this change[^]*A1\.txt[^]*Nobody writes that here/);
    expect(reasons.join()).not.toContain("off");
    here.git("fetch", "-q", here.remote, branch);
    expect(here.git("ls-tree", "--name-only", "FETCH_HEAD")).toBe("first.txt");
  });

  test("SPEC 6: what does not verify is not called completed, and a person steers the loop from its state file", async () => {
    const here = project({ ...CHAIN, constraints: { max_iterations: 4, max_stall_count: 1 } }, "test -f never.txt");
    const { owner } = valueOf(await submit(here));
    expect((await halted(here.stateFile)).state.control.outcome).toBe("stalled");
    const redirect = {
      kind: "set",
      field: "base_case",
      value: { type: "file", value: "A1.txt" },
      reason: "meant that",
    } as const;
    expect(await sendRequest(owner, { kind: "redirect", redirect }, {})).toMatchObject({ ok: true });
    expect(await sendRequest(owner, { kind: "resume" }, {})).toMatchObject({ ok: true });
    expect((await halted(here.stateFile)).state).toMatchObject({
      control: { outcome: "verified" },
      corrections: [{ type: "objective_change" }],
    });
  });

  test("SPEC 9: an agent that no worker has stops the loop, and no atom is resolved", async () => {
    const here = project(CHAIN);
    valueOf(await submit(here, { crew: { agent: "command:/no/such/program", planner: "none", judge: "none" } }));
    const { state } = await halted(here.stateFile);
    expect(state.control.outcome).not.toBe("verified");
    expect(state.atoms.map(({ status }) => status)).toEqual(["pending", "pending"]);
  });
});
