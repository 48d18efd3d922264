/** A project with a phase loop and a scripted agent that works its skills (the script: see fixtures/agents/scripted.mjs). */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { readHistory } from "../../src/phases/file.ts";
import { actOnPhases, beginPhases, phaseProblems, readPhases } from "../../src/phases/answer.ts";
import { runPhases, type PhasesRunOptions } from "../../src/index.ts";
import type { PhasesEnd, PhasesReport } from "../../src/phases/run-options.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import type { RunControl } from "../../src/run/options.ts";
import { accepted } from "../../src/core/problem.ts";
import type { Action } from "../../src/phases/core/action.ts";
import { deliverablesOf, type LoopDefinition } from "../../src/phases/core/definition.ts";
import type { PhaseHistory } from "../../src/phases/core/history.ts";
import { NO_SANDBOX } from "./aot.ts";
import { commitAll, gitIn } from "./git.ts";
import type { PhaseLoop } from "../../src/phases/core/state.ts";

export type Script = Readonly<Record<string, readonly object[]>>;

export interface PhaseOverrides extends Partial<Omit<PhasesRunOptions, "run">> {
  readonly run?: Partial<PhasesRunOptions["run"]>;
  readonly during?: (line: JournalLine, control: RunControl) => void;
  readonly reported?: (message: string) => void;
}

export interface PhaseStage {
  readonly root: string;
  readonly stateFile: string;
  readonly definition: LoopDefinition;
  options(request?: PhaseOverrides): PhasesRunOptions;
  run(request?: PhaseOverrides): Promise<PhasesEnd>;
  /** As `run`, and fails where there is no report. */
  report(request?: PhaseOverrides): Promise<PhasesReport>;
  act(action: Action): Promise<void>;
  loop(): PhaseLoop;
  history(): PhaseHistory;
  /** Breaks of the eleven rules. */
  problems(): readonly unknown[];
  /** Calls of the agent so far, by attempt, in the order they began. */
  calls(): readonly string[];
  asked(call: string): { readonly prompt: string; readonly nogoods: readonly { readonly reason: string }[] };
  rewrite(script: Script): void;
  write(file: string, text: string): void;
  read(file: string): string | null;
  git(...args: string[]): string;
}

const AGENT = fileURLToPath(new URL("../fixtures/agents/scripted.mjs", import.meta.url));

export async function setPhaseStage(
  definition: object | string,
  { script, git = true, task }: { readonly script?: Script; readonly git?: boolean; readonly task?: string } = {},
): Promise<PhaseStage> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "aot-phases-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  const [root, wings] = [join(top, "project"), join(top, "wings")];
  for (const folder of [root, join(wings, "flags")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "README.md"), "a project\n");
  if (git) commitAll(root);
  // Beside the project, so that the project is as it was committed.
  const file = join(top, "loop.json");
  writeFileSync(file, typeof definition === "string" ? definition : JSON.stringify(definition));
  const begun = await beginPhases(file, { cwd: root, ...(task === undefined ? {} : { task }) });
  if (!begun.ok) throw new Error(JSON.stringify(begun.problems));
  const { stateFile } = begun.value;
  const stage: PhaseStage = {
    root,
    stateFile,
    definition: begun.value.definition,
    options: ({ run, during: _, reported: __, ...rest } = {}) => ({
      stateFile,
      skills: [],
      checks: new Map(),
      wait: false,
      ...rest,
      run: {
        root,
        merge: true,
        agent: `command:"${process.execPath}" "${AGENT}" "${wings}"`,
        planner: "none",
        ...NO_SANDBOX,
        settings: { verify_each: false, confirmed: false },
        limits: { timeout_ms: 60_000, max_wait_ms: 0 },
        ...run,
      },
    }),
    run: async (request = {}) => {
      let control: RunControl = { stop: () => {}, kill: () => {}, note: () => {} };
      return await runPhases(stage.options(request), {
        started: (given) => (control = given),
        line: (line) => request.during?.(line, control),
        tell: (message) => request.reported?.(message),
      });
    },
    report: async (request = {}) => {
      const end = await stage.run(request);
      if (!end.ok) throw new Error(JSON.stringify(end));
      return end.report;
    },
    act: async (action) => {
      const done = await actOnPhases(stateFile, () => accepted(action), { who: "ada" });
      if (!done.ok) throw new Error(JSON.stringify(done.problems));
    },
    loop: () => reading(stateFile).loop,
    history: () => readHistory(stateFile, begun.value.definition),
    problems: () => phaseProblems(reading(stateFile)),
    calls: () =>
      existsSync(join(wings, "traffic"))
        ? readFileSync(join(wings, "traffic"), "utf8")
            .split("\n")
            .flatMap((line) => (line.startsWith("+") ? [line.slice(1)] : []))
        : [],
    asked: (call) => JSON.parse(readFileSync(join(wings, "asked", `${call}.json`), "utf8")),
    rewrite: (next) => writeFileSync(join(wings, "script.json"), JSON.stringify(next)),
    write: (name, text) => {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    },
    read: (name) => (existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : null),
    git: (...args) => gitIn(root, ...args),
  };
  stage.rewrite(script ?? scriptFor(begun.value.definition));
  return stage;
}

/** The last skill of each phase makes what the phase has to leave behind; a phase without skills does so itself. */
function scriptFor(definition: LoopDefinition): Script {
  const script: Record<string, object[]> = {};
  for (const phase of definition.phases) {
    const files = deliverablesOf(definition, phase);
    const atom = phase.skills.at(-1)?.id ?? "deliverables";
    if (files.length > 0)
      script[atom] = [{ write: Object.fromEntries(files.map((file) => [file, `${phase.name}\n`])) }];
  }
  return script;
}

function reading(stateFile: string): Extract<ReturnType<typeof readPhases>, { ok: true }>["value"] {
  const read = readPhases(stateFile);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}
