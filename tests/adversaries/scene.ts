/**
 * A project with two atoms, of which A1 is worked by an adversary (`fixtures/adversaries/`) and B1 honestly, and the
 * real `aot` on it. The base case holds only when both did their work; an adversary never does.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { EXIT_CODES, type Constraints, type Objective, type Outcome } from "../../src/core/state.ts";
import { isAlive } from "../../src/host/process.ts";
import { stageAt, type Files, type Stage } from "../scenarios/stage.ts";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { pidsWritten } from "../support/pids.ts";

const AGENT = fileURLToPath(new URL("../fixtures/adversaries/agent.mjs", import.meta.url));

/** What decides the verdict: protected, and red until both atoms were worked honestly. */
const GOAL_TEST = `
const { readFileSync } = require("node:fs");
for (const file of ["made.txt", "b.txt"]) if (readFileSync(file, "utf8") !== "honest\\n") process.exit(1);
`;

const BASE_CASE: Objective["base_case"] = {
  checklist: [{ item: "the goal's test passes", check: { type: "command", value: "node test/goal.cjs" } }],
};

export interface Play {
  readonly constraints?: Partial<Constraints>;
  readonly files?: Files;
  readonly base_case?: Objective["base_case"];
}

export interface LoopRequest {
  /** `<file>#<deed>` of `fixtures/adversaries/`. */
  readonly deed: string;
  /** How many attempts the adversary spoils; then it is honest. */
  readonly strikes?: number;
  readonly args?: readonly string[];
}

export interface Ended {
  /** Null: killed. */
  readonly code: number | null;
  readonly outcome: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly err: string;
}

export interface Running {
  readonly pid: number;
  kill(): void;
  ended(): Promise<Ended>;
}

export interface Scene {
  readonly stage: Stage;
  readonly root: string;
  readonly wings: string;
  start(request: LoopRequest): Running;
  run(request: LoopRequest): Promise<Ended>;
  /** A command beside the run, as a person gives it. */
  aot(...args: string[]): Promise<Ended>;
  /** What the adversary's own calls of `aot` were answered. */
  said(): readonly { readonly args: readonly string[]; readonly code: number; readonly out: string }[];
  has(flag: string): boolean;
  /** Ids of the adversary's processes. */
  noted(): readonly number[];
  /** Attempts that really were started, in order, by their ids. */
  attempts(): readonly string[];
  notes(): string;
}

/** Everything that a test leaves running is ended by its id. */
const started = new Set<() => void>();
const noted: string[] = [];
afterAll(() => {
  for (const kill of started) kill();
  for (const file of noted) for (const pid of pidsWritten(file)) end(pid);
});

function end(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // Gone, as it should be.
  }
}

export function setScene(play: Play = {}): Scene {
  const top = temporaryFolder();
  const stage = stageAt(top, {
    atoms: [{ id: "A1" }, { id: "B1" }],
    constraints: { max_parallel_agents: 2, max_iterations: 1, ...play.constraints },
    objective: { base_case: play.base_case ?? BASE_CASE, protected: ["test/**", "package.json"] },
    files: {
      "test/goal.cjs": GOAL_TEST,
      "package.json": "{}\n",
      ".gitignore": "node_modules\n.claude\n",
      ...play.files,
    },
  });
  // The person's own: not committed, and not to be touched.
  writeFileSync(join(stage.root, "notes.txt"), "mine\n");
  const wings = join(top, "adversary");
  mkdirSync(wings);
  noted.push(join(wings, "pids"));
  const spawnAot = (args: readonly string[]): Running => startAot(args, stage.root);
  const start = ({ deed, strikes = 9, args = [] }: LoopRequest): Running =>
    spawnAot([
      "run",
      "--agent",
      `command:"${process.execPath}" "${AGENT}" "${wings}" ${deed} ${strikes}`,
      ...(args.some((arg) => arg.includes("attempt_timeout")) ? [] : ["--set=attempt_timeout=30s"]),
      ...args,
      "--json",
    ]);
  return {
    stage,
    root: stage.root,
    wings,
    start,
    run: (request) => start(request).ended(),
    aot: (...args) => spawnAot([...args, "--json"]).ended(),
    said: () => linesIn(join(wings, "said")),
    attempts: () =>
      readFileSync(join(wings, "calls"), "utf8")
        .split("\n")
        .flatMap((line) => (line.startsWith("worker ") ? [line.slice("worker ".length)] : [])),
    noted: () => pidsWritten(join(wings, "pids")),
    has: (flag) => existsSync(join(wings, flag)),
    notes: () =>
      stage
        .journal()
        .flatMap((line) => (line.event === "note" || line.event === "run_ended" ? [line.message] : []))
        .join("\n"),
  };
}

function linesIn(file: string): ReturnType<Scene["said"]> {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ReturnType<Scene["said"]>[number]);
}

const LIMIT_MS = 300_000;

function startAot(args: readonly string[], cwd: string): Running {
  const child = spawn(process.execPath, [aotPath(), ...args], {
    cwd,
    env: cleanEnv({ AOT_TEST_BIN: aotPath(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  started.add(kill);
  const patience = setTimeout(kill, LIMIT_MS);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => {
      clearTimeout(patience);
      started.delete(kill);
      const json = out.trim() === "" ? {} : (JSON.parse(out) as Record<string, unknown>);
      resolve({ code, outcome: String(json["outcome"]), json, err });
    });
  });
  return { pid: child.pid ?? -1, kill, ended: () => ended };
}

/** Everything that holds after a run that did not reach its goal, whatever the adversary did. */
export function expectUnverified(scene: Scene, ended: Ended, outcome: Exclude<Outcome, "verified">): void {
  expect(ended, ended.err).toMatchObject({ code: EXIT_CODES[outcome], outcome });
  expect(scene.stage.state().control).toMatchObject({ status: "stopped", outcome });
  expectUnharmed(scene);
}

/** The goal was reached after all, truly: the honest work is in the integrated commit, and the judge is the aligned one. */
export function expectTrulyVerified(scene: Scene, ended: Ended): void {
  const { stage } = scene;
  expect(ended, ended.err).toMatchObject({ code: 0, outcome: "verified" });
  expect(stage.state().control).toMatchObject({ status: "completed", outcome: "verified" });
  expect([stage.integrated("made.txt"), stage.integrated("b.txt")]).toEqual(["honest", "honest"]);
  expect(stage.integrated("test/goal.cjs")).toBe(GOAL_TEST.trimEnd());
  expect(stage.read("notes.txt")).toBe("mine\n");
  expect(stage.read("made.txt"), "what is called merged is there").toBe(
    ended.json["merged"] === true ? "honest\n" : null,
  );
  expectNothingLeft(scene);
}

/**
 * The person's things are as they were, and the neighbour's work is there.
 * @param spare attempts beyond the limit: where the journal is gone, the state file may lag an iteration behind
 */
export function expectUnharmed(scene: Scene, spare = 0): void {
  const { stage } = scene;
  expect(stage.read("notes.txt")).toBe("mine\n");
  expect(stage.read("README.md")).toBe("a project\n");
  expect(stage.git("log", "--format=%s", "HEAD")).toBe("first");
  // Not by a list of files: there may be very many.
  const integrated = (file: string): string => stage.git("show", `${stage.branch()}:${file}`);
  expect(integrated("b.txt"), "the neighbour's work is integrated").toBe("honest");
  expect(integrated("test/goal.cjs")).toBe(GOAL_TEST.trimEnd());
  const { max_iterations, max_parallel_agents } = stage.state().objective.constraints;
  expect(scene.attempts().length).toBeLessThanOrEqual(max_iterations * max_parallel_agents + spare);
  expectNothingLeft(scene);
}

export function expectNothingLeft({ stage, wings }: Scene): void {
  stage.expectClean();
  for (const pid of pidsWritten(join(wings, "pids")))
    expect(isAlive(pid), `process ${pid} outlived the run`).toBe(false);
}

/** Starts a run, waits until the adversary raised its flag, and kills the run as a power cut does. */
export async function killedWhen(scene: Scene, flag: string, request: LoopRequest): Promise<void> {
  const run = scene.start(request);
  await eventually(`the adversary's flag ${flag}`, () => scene.has(flag), 30_000);
  run.kill();
  expect((await run.ended()).code).toBe(null);
}
