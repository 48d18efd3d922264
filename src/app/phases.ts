/**
 * Phase loops by hand: beginning one, reading it, and every action on it (SPEC section 11).
 *
 * Q1 an action is tried on what stands in the file, under its lock; a state that breaks a rule is not touched;
 * Q2 `last_updated` grows with every action, whatever the clock does;
 * Q3 each action is journaled as done "by hand", with its time: the lines give the state again.
 */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isMissing, makeFolder } from "../adapters/store/file-bytes.ts";
import { entriesOf, readJournalSync } from "../adapters/store/journal.ts";
import { accepted, refused, type Problem, type Result } from "../core/problem.ts";
import { targetOf } from "../host/atomic-write.ts";
import { isoNow, isoTime } from "../host/clock.ts";
import { loopPaths } from "../host/loop-paths.ts";
import type { Action } from "../phases/action.ts";
import { apply } from "../phases/apply.ts";
import type { LoopDefinition } from "../phases/definition.ts";
import { generate } from "../phases/generate.ts";
import { stateText } from "../phases/print-state.ts";
import { breachProblem, type StateText } from "../phases/read-state.ts";
import { breachesOf } from "../phases/rules.ts";
import { currentPhase, gateIn } from "../phases/sequence.ts";
import type { PhaseLoop } from "../phases/state.ts";
import { appendByHand, BY_HAND, runnerRefusal } from "./edit-loop.ts";
import { projectOf } from "./find-state-file.ts";
import { phaseFile, readDefinitionFile, writeDefinitionFile } from "./phases-file.ts";
import { definitionBeside, newStateFile } from "./phases-place.ts";

export interface ReadPhases {
  readonly definition: LoopDefinition;
  readonly loop: PhaseLoop;
  readonly document: StateText;
  /** What the definition leaves open or contradicts. */
  readonly warnings: readonly Problem[];
}

export interface ActedOn extends ReadPhases {
  readonly before: PhaseLoop;
  /** What went wrong beside it: the action itself stands. */
  readonly notes: readonly string[];
}

/** A phase loop as it stands, whether or not it breaks a rule. */
export function readPhases(stateFile: string, definitionFile = definitionBeside(stateFile)): Result<ReadPhases> {
  const document = phaseFile.read(stateFile);
  if (!document.ok) return document;
  const read = readDefinitionFile(definitionFile, "copy the loop.json that the state was made from there");
  if (!read.ok) return { ok: false, problems: inFile(read.problems, definitionFile) };
  const { definition, warnings } = read.value;
  return accepted({ definition, loop: document.value.loop, document: document.value, warnings });
}

/** What breaks the eleven rules, each at its place in the state file. */
export function phaseProblems({ definition, document }: Omit<ReadPhases, "warnings">): readonly Problem[] {
  return breachesOf(definition, document.loop).map((breach) => breachProblem(document, breach));
}

export interface Begun {
  readonly stateFile: string;
  readonly definition: LoopDefinition;
  readonly loop: PhaseLoop;
  readonly warnings: readonly Problem[];
  readonly notes: readonly string[];
}

export interface BeginOptions {
  readonly cwd: string;
  /** In the place of `.claude/loops/<id>.state.json`. */
  readonly stateFile?: string;
  /** In the place of the definition's own mode. */
  readonly mode?: string;
  /** Over a state that stands there. */
  readonly restart?: boolean;
}

/** Turns a loop definition into a state file, and keeps the definition beside it. */
export async function beginPhases(loopFile: string, options: BeginOptions): Promise<Result<Begun>> {
  const source = resolve(options.cwd, loopFile);
  const read = readDefinitionFile(source, "name a loop definition, or make one with `aot phases new`");
  if (!read.ok) return read;
  const { text, definition, warnings } = read.value;
  const stateFile =
    options.stateFile === undefined
      ? newStateFile(options.cwd, definition.id)
      : resolve(options.cwd, options.stateFile);
  const stands = !isMissing(stateFile);
  if (stands && options.restart !== true)
    return refused(
      `the loop ${definition.id} has begun already: ${stateFile}`,
      "go on with `aot phases status`, or begin anew with --restart",
    );
  const busy = stands ? runnerRefusal(stateFile) : null;
  if (busy !== null) return busy;
  const folder = makeFolder(dirname(stateFile));
  const kept = folder.ok ? writeDefinitionFile(definitionBeside(stateFile), text) : folder;
  if (!kept.ok) return kept;
  const loop = generate(definition, isoNow(), options.mode);
  const created = phaseFile.create(stateFile, stateText(loop), { what: "beginning a phase loop", replace: stands });
  if (!created.ok) return created;
  const notes = await journaled(stateFile, loop.started_at, "phases_begun", { loop: loop.loop, mode: loop.mode });
  return accepted({ stateFile, definition, loop, warnings, notes });
}

/**
 * Asks an action of a loop. Problems: whatever is wrong with its files, the rules that it breaks, or why it is refused.
 * @param choose the action, on what stands in the file; pure
 */
export async function actOnPhases(
  stateFile: string,
  choose: (loop: PhaseLoop) => Result<Action>,
): Promise<Result<ActedOn>> {
  const read = readPhases(stateFile);
  if (!read.ok) return read;
  const { definition, warnings } = read.value;
  let done: { readonly action: Action; readonly at: string } | undefined;
  const edited = phaseFile.edit(
    stateFile,
    (document) => {
      const busy = runnerRefusal(stateFile);
      if (busy !== null) return busy;
      const problems = phaseProblems({ definition, document, loop: document.loop });
      if (problems.length > 0) return { ok: false, problems };
      const action = choose(document.loop);
      if (!action.ok) return action;
      const why = whyNotHere(stateFile, document.loop, action.value);
      if (why !== null) return why;
      const at = laterThan(document.loop.last_updated);
      done = { action: action.value, at };
      return apply(definition, document.loop, action.value, at);
    },
    { what: "an action on a phase loop" },
  );
  if (!edited.ok) return edited;
  if (done === undefined) throw new Error("an edit without its action");
  const { type, ...rest } = done.action;
  const notes = await journaled(stateFile, done.at, type, rest);
  const { before, after: loop, document } = edited.value;
  const missing = type === "pass_gate" ? missingOf(stateFile, loop, done.action) : [];
  const remarks =
    missing.length === 0 ? notes : [...notes, `passed although these are not there: ${missing.join(", ")}`];
  return accepted({ definition, warnings, before, loop, document, notes: remarks });
}

/** Why the loop, or a phase or gate of it, failed last; null: its journal does not say. */
export function lastFailure(stateFile: string): string | null {
  let reason: string | null = null;
  for (const line of entriesOf(readJournalSync(loopPaths(targetOf(stateFile)).journal))) {
    const { event, reason: told } = line;
    if (typeof event === "string" && event.startsWith("fail_") && typeof told === "string") reason = told;
  }
  return reason;
}

/** The phase that was named, or the one that the loop stands at. */
export function phaseMeant(loop: PhaseLoop, named: string | undefined): Result<string> {
  const name = named ?? currentPhase(loop)?.name;
  return name === undefined ? refused("every phase is over", "see `aot phases status`") : accepted(name);
}

/** What the world, and not the loop's state, has against an action. */
function whyNotHere(stateFile: string, loop: PhaseLoop, action: Action): ReturnType<typeof refused> | null {
  if (action.type === "complete_phase") {
    const gone = absent(stateFile, action.deliverables);
    return gone.length === 0
      ? null
      : refused(`${gone.join(", ")} is not there`, "name files that the phase produced, relative to the project");
  }
  if (action.type !== "pass_gate") return null;
  if ((process.env["AOT_CALL"] ?? "") !== "")
    return refused(`an agent does not pass the gate ${action.gate}`, "a person does, from another terminal");
  const missing = missingOf(stateFile, loop, action);
  const gate = gateIn(loop, action.gate);
  if (gate?.approvalType !== "auto" || missing.length === 0) return null;
  return refused(
    `the gate ${gate.id} passes when its deliverables exist, and these are not there: ${missing.join(", ")}`,
    `make them, or skip it: \`aot phases skip-gate ${gate.id} --reason ...\``,
  );
}

function missingOf(stateFile: string, loop: PhaseLoop, action: Action): readonly string[] {
  return "gate" in action ? absent(stateFile, gateIn(loop, action.gate)?.deliverables ?? []) : [];
}

function absent(stateFile: string, files: readonly string[]): readonly string[] {
  const project = projectOf(stateFile);
  return files.filter((file) => !existsSync(resolve(project, file)));
}

/** Q2. */
function laterThan(time: string): string {
  const now = isoNow();
  const last = Date.parse(time);
  return Number.isNaN(last) || Date.parse(now) > last ? now : isoTime(new Date(last + 1));
}

/** Q3. */
function journaled(stateFile: string, time: string, event: string, more: object): Promise<string[]> {
  return appendByHand(stateFile, [{ time, run: BY_HAND, iteration: 0, event, ...more }]);
}

function inFile(problems: readonly Problem[], file: string): readonly Problem[] {
  // The place is one in the definition, not in the state file that the caller names.
  return problems.map(({ at, path: _, ...problem }) =>
    at === undefined ? problem : { ...problem, message: `${file}:${at.line}:${at.column}: ${problem.message}` },
  );
}
