/**
 * A stage for whole runs: a project of its own (a real git repository), a state file, and an agent that plays
 * a script. After every run the stage looks that nothing was left behind: no process, no worktree, no lock.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { readJournal } from "../../src/adapters/store/journal-reader.ts";
import { runnerOf } from "../../src/adapters/store/run-lock.ts";
import { runLoop, type RunOptions } from "../../src/index.ts";
import type { RunControl, RunEnd } from "../../src/run/options.ts";
import type { RunSettings } from "../../src/core/event.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import type { Objective, State } from "../../src/core/state.ts";
import { isAlive } from "../../src/host/process.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import type { CallLimits } from "../../src/loop/perform.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { NO_SANDBOX } from "../support/aot.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { stateOf, type Sketch } from "../support/loops.ts";

process.env["GIT_CONFIG_GLOBAL"] = join(tmpdir(), "aot-no-such-gitconfig");
process.env["GIT_CONFIG_NOSYSTEM"] = "1";

/** What an agent does, in this order within a step; the steps one after the other. */
export interface Act {
  /** Text of files in its folder; null removes. */
  readonly write?: Readonly<Record<string, string | null>>;
  readonly append?: Readonly<Record<string, string>>;
  /** Waits for a flag of the stage. */
  readonly await?: string;
  /** Raises a flag. */
  readonly flag?: string;
  /** Milliseconds. */
  readonly nap?: number;
  readonly sh?: string;
  /** From here on SIGTERM is ignored. */
  readonly deaf?: true;
  readonly answer?: object;
  readonly say?: string;
  readonly hang?: true;
  readonly exit?: number;
  readonly stderr?: string;
}
export type Script = Readonly<Record<string, readonly Act[]>>;
export type Files = Readonly<Record<string, string>>;

export interface Play extends Sketch {
  readonly objective?: Partial<Objective>;
  /** Files of the first commit. */
  readonly files?: Files;
  readonly script?: Script;
  readonly git?: boolean;
  /** Relative to the project. */
  readonly state_file?: string;
}

export interface RunOverrides extends Partial<Omit<RunOptions, "settings" | "limits">> {
  readonly settings?: Partial<RunSettings>;
  readonly limits?: Partial<CallLimits>;
  /** Sees each line with the means to end the run. */
  readonly during?: (line: JournalLine, control: RunControl) => void;
}

export interface Stage {
  readonly root: string;
  readonly stateFile: string;
  /** Shell line of the scripted agent. */
  readonly agent: string;
  options(request?: RunOverrides): RunOptions;
  /** Works the loop, and looks that nothing was left behind. */
  run(request?: RunOverrides): Promise<RunEnd>;
  rewrite(script: Script): void;
  raise(flag: string): void;
  isRaised(flag: string): boolean;
  state(): State;
  edit(change: (text: string) => string): void;
  journal(): readonly JournalLine[];
  /** What a call was asked, as the agent read it on stdin. */
  asked(call: string): {
    readonly atom: object;
    readonly prompt: string;
    readonly bindings: object;
    readonly nogoods: readonly { readonly reason: string }[];
  };
  pidOf(call: string): number;
  git(...args: string[]): string;
  /** Name of the integration branch. */
  branch(): string;
  /** Text of a file in the integration branch; null: it has none. */
  integrated(file: string): string | null;
  read(file: string): string | null;
  /** Throws when something of a run is left: agents, worktrees, the run lock, an invalid state. */
  expectClean(): void;
}

const AGENT = fileURLToPath(new URL("../fixtures/agents/scripted.mjs", import.meta.url));

/** A base case that holds once these files are there. */
export function filesExist(...files: readonly string[]): Objective["base_case"] {
  return { checklist: files.map((file) => ({ item: `${file} is there`, check: { type: "file", value: file } })) };
}

export function setStage(play: Play): Stage {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "aot-stage-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  return stageAt(top, play);
}

/** As `setStage`, in a folder that the caller made and removes. */
export function stageAt(top: string, play: Play): Stage {
  const root = join(top, "project");
  const wings = join(top, "wings");
  for (const folder of ["flags", "asked", "pids"]) mkdirSync(join(wings, folder), { recursive: true });
  const stateFile = join(root, play.state_file ?? ".claude/aot-loop-state.md");
  writeFiles(root, { "README.md": "a project\n", ...play.files });
  const git = (...args: string[]): string => gitIn(root, ...args);
  if (play.git !== false) commitAll(root);
  const state = stateOf(play);
  const text = createStateText({ ...state, objective: { ...state.objective, ...play.objective } }, "Please do it.");
  writeFiles(root, { [play.state_file ?? ".claude/aot-loop-state.md"]: text });
  const stage: Stage = {
    root,
    stateFile,
    agent: `"${process.execPath}" "${AGENT}" "${wings}"`,
    options: (request = {}) => optionsOf(stage, request),
    run: async (request = {}) => {
      let control: RunControl = { stop: () => {}, kill: () => {}, note: () => {} };
      const end = await runLoop(optionsOf(stage, request), {
        line: (line) => request.during?.(line, control),
        started: (given) => (control = given),
      });
      stage.expectClean();
      return end;
    },
    rewrite: (script) => writeFileSync(join(wings, "script.json"), JSON.stringify(script)),
    raise: (flag) => writeFileSync(join(wings, "flags", flag), ""),
    isRaised: (flag) => existsSync(join(wings, "flags", flag)),
    state: () => readState(stateFile),
    edit: (change) => writeFileSync(stateFile, change(readFileSync(stateFile, "utf8"))),
    journal: () => journalOf(stateFile),
    asked: (call) => JSON.parse(readFileSync(join(wings, "asked", `${call}.json`), "utf8")),
    pidOf: (call) => Number(readFileSync(join(wings, "pids", call), "utf8")),
    git,
    branch: () => git("for-each-ref", "--format=%(refname:short)", "refs/heads/aot/*/integration"),
    integrated: (file) => {
      const tree = git("ls-tree", "-r", "--name-only", stage.branch()).split("\n");
      return tree.includes(file) ? git("show", `${stage.branch()}:${file}`) : null;
    },
    read: (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : null),
    expectClean: () => expectClean(stage, wings, play.git !== false),
  };
  stage.rewrite(play.script ?? {});
  return stage;
}

function optionsOf(stage: Stage, request: RunOverrides): RunOptions {
  const { settings, limits, during: _, ...rest } = request;
  return {
    stateFile: stage.stateFile,
    root: stage.root,
    merge: true,
    restart: false,
    agent: `command:${stage.agent}`,
    ...NO_SANDBOX,
    ...rest,
    // What a test counts are its own runs.
    settings: { verify_each: false, confirmed: false, trust: 0, ...settings },
    limits: { timeout_ms: 60_000, max_wait_ms: 0, ...limits },
  };
}

function expectClean(stage: Stage, wings: string, inGit: boolean): void {
  for (const call of readdirSync(join(wings, "pids")).filter((name) => !name.startsWith(".")))
    expect(isAlive(stage.pidOf(call)), `the agent of ${call} outlived the run`).toBe(false);
  expect(runnerOf(stage.stateFile), "the run lock is given back").toBe(null);
  expect(checkInvariants(stage.state())).toEqual([]);
  if (!inGit || !existsSync(join(stage.root, ".git"))) return;
  expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
  // What the person got may be the same work in other commits.
  const lines = ["--exclude=main", "--exclude=aot/*/handed-over", "--branches"];
  const trailers = stage.git("log", ...lines, "--format=%(trailers:key=Aot-Attempt,valueonly)").match(/\S+/g) ?? [];
  expect(trailers.length, `integrated twice: ${trailers.join(" ")}`).toBe(new Set(trailers).size);
}

function readState(stateFile: string): State {
  const read = parseState(readFileSync(stateFile, "utf8"));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.document.state;
}

function journalOf(stateFile: string): readonly JournalLine[] {
  const lines = [...readJournal(loopPaths(stateFile).journal)];
  return lines.flatMap((line) => (line.kind === "entry" ? [line.value as unknown as JournalLine] : []));
}

export function writeFiles(root: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}
