/**
 * A loop in which every kind of write occurs, worked by the real `aot run` in a real repository: two workers side by
 * side, a split, a choice that is given up above integrated work, work that is lost with it, a base case that first fails.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import type { Constraints, State } from "../../src/core/state.ts";
import { isAlive } from "../../src/host/process.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { filesExist, writeFiles } from "../scenarios/stage.ts";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { eventually } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";

const AGENT = fileURLToPath(new URL("../fixtures/agents/crash-agent.sh", import.meta.url));
const TRAPS = ["crash-trap", "clock-trap"].flatMap((name) => [
  "--require",
  fileURLToPath(new URL(`../fixtures/programs/${name}.cjs`, import.meta.url)),
]);
/** Carried by every process of a scene. */
const MARK = "AOT_SCENE";
const LONGEST_RUN_MS = 60_000;

const LIMITS = { max_parallel_agents: 2, max_iterations: 40, max_stall_count: 40 };

interface Variant {
  readonly constraints?: Partial<Constraints>;
  /** What A and B wait for. */
  readonly first?: readonly string[];
}

function stateFor({ constraints = {}, first = [] }: Variant): State {
  const state = stateOf({
    atoms: [
      { id: "A", depends_on: first },
      { id: "B", depends_on: first },
      { id: "P" },
      { id: "Q" },
      { id: "P1" },
      { id: "X", depends_on: ["P1"] },
      { id: "R", depends_on: ["P1", "X"] },
      { id: "Z", depends_on: ["P", "A", "B", "X"] },
    ],
    groups: [
      { name: "g", choices: ["P", "Q"] },
      { name: "h", choices: ["R"] },
    ],
    splits: [["P", ["P1", "R"]]],
    constraints: { ...LIMITS, ...constraints },
  });
  const base_case = filesExist("a", "b2", "q", "x", "z", "fix");
  return { ...state, objective: { ...state.objective, goal: "scene", base_case } };
}

/** What a loop came to, without what differs from run to run. */
export interface End {
  readonly exit_code: number | null;
  readonly control: object;
  readonly atoms: readonly object[];
  readonly groups: readonly object[];
  readonly decompositions: readonly object[];
  readonly trail: readonly object[];
  /** Files of the integrated commit, with their content's id. */
  readonly tree: string;
  /** Whether the person's branch holds it. */
  readonly handed_over: boolean;
}

export interface Ran {
  /** null: killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Scene {
  readonly top: string;
  readonly root: string;
  readonly stateFile: string;
  /** `aot` in this scene. @param trap the variables of crash-trap.cjs and clock-trap.cjs */
  aot(args: readonly string[], trap?: Readonly<Record<string, string>>): Promise<Ran>;
  /** `aot run` with the scene's agent. */
  run(trap?: Readonly<Record<string, string>>, ...more: string[]): Promise<Ran>;
  state(): State;
  end(ran: Ran): End;
  git(...args: string[]): string;
  /** Names of the files in the integrated commit. */
  integrated(): readonly string[];
  remove(): void;
}

/** Made once: a copy of it is a scene. @returns the folder, which the caller removes */
export function makeTemplate(variant: Variant = {}): string {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "aot-crash-")));
  const root = join(top, "project");
  writeFiles(root, { "README.md": "a project\n" });
  commitAll(root);
  writeFiles(root, { ".claude/aot-loop-state.md": createStateText(stateFor(variant), "Please do it.") });
  return top;
}

/** A copy of the template, removed by the caller. @param folder where it is made */
export function sceneFrom(template: string, folder: string = tmpdir()): Scene {
  const top = realpathSync(mkdtempSync(join(folder, "aot-crash-")));
  cpSync(template, top, { recursive: true });
  return sceneAt(top);
}

export function sceneAt(top: string): Scene {
  const root = join(top, "project");
  const stateFile = join(root, ".claude", "aot-loop-state.md");
  const git = (...args: string[]): string => gitIn(root, ...args);
  const aot = (args: readonly string[], trap: Readonly<Record<string, string>> = {}): Promise<Ran> =>
    runAot(root, args, { ...trap, [MARK]: top }, Object.keys(trap).length > 0);
  const state = (): State => {
    const read = parseState(readFileSync(stateFile, "utf8"));
    if (!read.ok) throw new Error(`the state file is not valid: ${JSON.stringify(read.problems)}`);
    const problems = checkInvariants(read.document.state);
    if (problems.length > 0) throw new Error(`the state is not valid: ${JSON.stringify(problems)}`);
    return read.document.state;
  };
  return {
    top,
    root,
    stateFile,
    aot,
    run: (trap, ...more) =>
      aot(["run", "--json", "--agent", `command:sh '${AGENT}' '${join(top, "agents")}'`, ...more], trap),
    state,
    end: (ran) => endOf(ran, state(), git),
    git,
    integrated: () => git("ls-tree", "-r", "--name-only", branchOf(git)).split("\n"),
    remove: () => rmSync(top, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function runAot(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  trapped: boolean,
): Promise<Ran> {
  const child = spawn(process.execPath, [...(trapped ? TRAPS : []), aotPath(), ...args], {
    cwd,
    env: cleanEnv({ GIT_CONFIG_GLOBAL: join(cwd, "..", "no-gitconfig"), GIT_CONFIG_NOSYSTEM: "1", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST_RUN_MS,
    killSignal: "SIGABRT",
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const closed = once(child, "close");
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  // What a killed one started may hold its pipes for a moment longer.
  if (code !== null) await closed;
  if (signal === "SIGABRT") throw new Error(`aot ${args.join(" ")} did not end in ${LONGEST_RUN_MS} ms\n${out}${err}`);
  return { code, out, err };
}

function endOf(ran: Ran, state: State, git: Scene["git"]): End {
  const { status, outcome, stop_reason } = state.control;
  return {
    exit_code: ran.code,
    control: { status, outcome, stop_reason },
    atoms: state.atoms,
    groups: state.or_groups,
    decompositions: state.decompositions,
    trail: state.trail.map((entry) => ({ ...entry, timestamp: "" })),
    tree: git("ls-tree", "-r", branchOf(git)),
    // What was taken out again is in the branch, and not in what is handed over.
    handed_over: git("rev-parse", "main^{tree}") === git("rev-parse", `${branchOf(git)}^{tree}`) && existsIn(git, "z"),
  };
}

function existsIn(git: Scene["git"], file: string): boolean {
  return existsSync(join(git("rev-parse", "--show-toplevel"), file));
}

function branchOf(git: Scene["git"]): string {
  return git("for-each-ref", "--format=%(refname)", "refs/heads/aot/*/integration");
}

/** What is on disk when a run has just died. */
export interface Remains {
  /** Commits that the integration branch, kept work and the loop's own refs hold. */
  readonly commits: readonly string[];
}

/**
 * Looked at right after the kill. @param crashes with this one: each may have left half a line
 * @throws when the state file is not whole and valid, or more lines of the journal than those are not
 */
export function remainsOf(scene: Scene, crashes = 1): Remains {
  scene.state();
  journalOf(scene, crashes);
  const refs = ["refs/heads/aot/*/integration", "refs/aot/*/tip", "refs/aot/*/work/*"];
  const named = scene
    .git("for-each-ref", "--format=%(objectname)", ...refs)
    .split("\n")
    .filter((line) => line !== "");
  return { commits: named.length === 0 ? [] : scene.git("rev-list", ...new Set(named)).split("\n") };
}

function journalText(scene: Scene): string {
  const file = join(scene.root, ".claude/aot-loop/journal.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

interface Line {
  readonly time: string;
  readonly event: string;
  readonly iteration: number;
  readonly active_ms?: number;
  readonly attempt?: string;
  readonly commit?: string | null;
}

/** Every line that is whole. @param halves how many lines may be broken: one for each crash */
export function journalOf(scene: Scene, halves: number): readonly Line[] {
  let broken = 0;
  const lines = journalText(scene)
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line): Line[] => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        broken++;
        return [];
      }
    });
  if (broken > halves) throw new Error(`${broken} lines of the journal cannot be read`);
  return lines;
}

/** Temporary files of killed writers are left for a minute to whoever may still write them: that minute has passed. */
export function age(scene: Scene): void {
  for (const folder of [".claude", ".claude/aot-loop", ".claude/aot-loop/requests"]) {
    const path = join(scene.root, folder);
    for (const name of existsSync(path) ? readdirSync(path) : [])
      if (name.endsWith(".tmp"))
        utimesSync(join(path, name), new Date(Date.now() - 3_600_000), new Date(Date.now() - 3_600_000));
  }
}

/**
 * Waits for a program that was asked to stand still. It is killed when the test ends, at the latest.
 * @param hit its CRASH_HIT. @returns its process id
 */
export async function stoodStill(hit: string): Promise<number> {
  const text = (): string => (existsSync(hit) ? readFileSync(hit, "utf8") : "");
  await eventually("it stands still", () => text() !== "", 30_000);
  const pid = Number(text());
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return pid;
}

/** What a crash must not have done, whatever the end is. @param crashes runs that died before the last one */
export async function whatIsWrong(scene: Scene, before: readonly Remains[], crashes: number): Promise<string[]> {
  const wrong: string[] = [];
  const check = (holds: boolean, what: string): void => void (holds || wrong.push(what));
  await eventually("every process of the runs ends", () => processesOf(scene).length === 0, 10_000).catch(() =>
    wrong.push(`left at work: ${processesOf(scene).join(", ")}`),
  );
  const lines = journalOf(scene, crashes);
  checkFuel(scene, lines, check);
  checkCommits(scene, lines, before, check);
  checkKept(scene, check);
  for (const path of leftovers(scene)) wrong.push(`left behind: ${path}`);
  return wrong;
}

type Check = (holds: boolean, what: string) => void;

/** SPEC 4, 8: no attempt beyond the fuel, by the agents' own record. */
function checkFuel(scene: Scene, lines: readonly Line[], check: Check): void {
  const started = lines.filter((line) => line.event === "attempt_started");
  const calls = agentLines(scene, "+").filter((call) => !call.startsWith("planner"));
  check(new Set(calls).size === calls.length, `an attempt was started twice: ${calls.join(" ")}`);
  const known = new Set(started.map((line) => line.attempt));
  for (const call of calls) check(known.has(call), `${call} was started before that was journaled`);
  const batches = new Map<number, number>();
  for (const { iteration } of started) batches.set(iteration, (batches.get(iteration) ?? 0) + 1);
  for (const [iteration, size] of batches)
    check(size <= LIMITS.max_parallel_agents, `iteration ${iteration} has ${size} attempts`);
  const { iteration } = scene.state().control;
  check(iteration <= LIMITS.max_iterations, `iteration ${iteration}`);
  check(
    Math.max(0, ...batches.keys()) <= iteration,
    `the state says iteration ${iteration}, the journal knows later ones`,
  );
}

/** SPEC 8: nothing integrated twice, nothing that was committed lost. */
function checkCommits(scene: Scene, lines: readonly Line[], before: readonly Remains[], check: Check): void {
  const attempts =
    scene.git("log", "--format=%(trailers:key=Aot-Attempt,valueonly)", branchOf(scene.git)).match(/\S+/g) ?? [];
  check(new Set(attempts).size === attempts.length, `integrated twice: ${attempts.join(" ")}`);
  const reachable = new Set(scene.git("rev-list", "--all").split("\n"));
  for (const { commits } of before)
    for (const commit of commits) check(reachable.has(commit), `commit ${commit} is lost`);
  for (const { event, commit } of lines)
    if (event === "attempt_integrated" && typeof commit === "string")
      check(reachable.has(commit), `integrated commit ${commit} is lost`);
}

/** PORTS-1: what an agent wrote is integrated or kept. Agents that write nothing leave nothing. */
function checkKept(scene: Scene, check: Check): void {
  const messages = scene.git("log", "--all", "--format=%B%d");
  const branches = scene.git("for-each-ref", "--format=%(refname)", "refs/heads/aot/*/attempt/*");
  // Where git could not commit it, for want of space, the folder itself is kept.
  const attic = join(scene.root, ".claude/aot-loop/kept");
  const folders = existsSync(attic) ? readdirSync(attic, { recursive: true, encoding: "utf8" }) : [];
  for (const call of agentLines(scene, "w")) {
    if (/^(planner|B\.)/.test(call)) continue;
    const [atom, number] = call.split(".");
    const file = FILES[atom ?? ""] ?? atom?.toLowerCase() ?? "";
    const isFolder = folders.some((path) => path.includes(`/${atom}-${number}-`) && path.endsWith(`.folder/${file}`));
    const kept = messages.includes(`Aot-Attempt: ${call}\n`) || branches.includes(`/${atom}-${number}-`) || isFolder;
    check(kept, `the work of ${call} is lost`);
  }
}

/** What the agent writes for an atom; absent: its name, in lower case. */
const FILES: Readonly<Record<string, string>> = { R: "junk", F: "fix" };

function agentLines(scene: Scene, sign: string): string[] {
  const file = join(scene.top, "agents");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.flatMap((line) => (line.startsWith(`${sign} `) ? [line.split(" ")[1] ?? ""] : []));
}

/** Processes that inherited the scene's mark. */
function processesOf(scene: Scene): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const own = readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${MARK}=${scene.top}\0`);
      return own ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 80)}`] : [];
    } catch {
      return [];
    }
  });
}

/** Worktrees, locks and temporary files of nobody. */
export function leftovers(scene: Scene): string[] {
  const found = scene.git("worktree", "list").split("\n").slice(1);
  const git = join(scene.root, ".git");
  for (const name of names(join(git, "aot-loop"))) if (name.endsWith(".git")) found.push(join(git, "aot-loop", name));
  for (const top of [git, join(scene.root, ".claude")])
    for (const name of names(top, true)) if (/\.(lock|tmp)$|\.lock\./.test(name)) found.push(join(top, name));
  const { dir: loop, worktrees } = loopPaths(scene.stateFile);
  for (const folder of [
    ...names(worktrees).map((name) => join(worktrees, name)),
    join(loop, "scratch"),
    join(loop, "requests"),
  ])
    for (const name of names(folder)) found.push(join(folder, name));
  return found;
}

function names(folder: string, recursive = false): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive, encoding: "utf8" }) : [];
}
