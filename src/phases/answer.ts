/**
 * Phase loops by hand: beginning one, reading it, and every action on it (SPEC section 11).
 *
 * PHASES-ANSWER-1 an action is tried on what is in the file, under its lock; a state that breaks a rule is not touched;
 * PHASES-ANSWER-2 `last_updated` grows with every action, whatever the clock does;
 * PHASES-ANSWER-3 each action is journaled with its time and who did it, a person "by hand" or a run, before it is in
 *    the state: what the state tells of, the journal knows (a run that is killed in between leaves a line of what was
 *    not done);
 * PHASES-ANSWER-4 while a run works the loop, a person waits for it or ends it; counting alone is no matter to it.
 */
import { dirname, resolve } from "node:path";
import { isMissing, makeFolder } from "../adapters/store/file-bytes.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { accepted, refused, type Problem, type Refused, type Result } from "../core/problem.ts";
import { isoNow } from "../host/clock.ts";
import type { Action } from "./core/action.ts";
import { apply } from "./core/apply.ts";
import type { LoopDefinition } from "./core/definition.ts";
import { generate } from "./core/generate.ts";
import { stateText } from "./core/print-state.ts";
import { breachProblem, type StateText } from "./core/read-state.ts";
import { breachesOf } from "./core/rules.ts";
import { currentPhase } from "./core/sequence.ts";
import type { PhaseLoop } from "./core/state.ts";
import { BY_HAND } from "../core/journal-line.ts";
import { appendByHand, runnerRefusal } from "../edit/edit-loop.ts";
import { phaseState } from "./phase-alignment.ts";
import { asFound, NO_OBSTACLES, obstaclesTo, whyNotHere, type Obstacles } from "./phase-obstacles.ts";
import { phaseFile, readDefinitionFile, readHistory, writeDefinitionFile, writeTask } from "./file.ts";
import { definitionBeside, newStateFile } from "../project/find-phase-file.ts";
import { userInfo } from "node:os";

export interface ReadPhases {
  readonly definition: LoopDefinition;
  readonly loop: PhaseLoop;
  readonly document: StateText;
  /** What the definition leaves open or contradicts. */
  readonly warnings: readonly Problem[];
}

export interface ActedOn extends ReadPhases {
  /** What was done. */
  readonly action: Action;
  /** It is not what was asked for (phase-obstacles.ts). */
  readonly instead: boolean;
  readonly before: PhaseLoop;
  /** What went wrong beside it: the action itself stands. */
  readonly notes: readonly string[];
}

/** A phase loop as it is, whether or not it breaks a rule. */
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
  /** Over a state that is there. */
  readonly restart?: boolean;
  /** What the loop is about, for those who work it. */
  readonly task?: string;
}

/** Turns a loop definition into a state file, and keeps the definition beside it. */
export async function beginPhases(loopFile: string, options: BeginOptions): Promise<Result<Begun>> {
  const source = resolve(options.cwd, loopFile);
  const read = readDefinitionFile(source, "name a loop definition, or make one with `aot phases new`");
  if (!read.ok) return read;
  const { text, definition, warnings } = read.value;
  const unfit = loopProblems(definition);
  if (unfit.length > 0) return { ok: false, problems: unfit };
  const stateFile =
    options.stateFile === undefined
      ? newStateFile(options.cwd, definition.id)
      : resolve(options.cwd, options.stateFile);
  const stands = !isMissing(stateFile);
  if (stands && options.restart !== true)
    return refused(
      `the loop ${definition.id} has already begun: ${stateFile}`,
      "go on with `aot phases status`, or begin anew with --restart",
    );
  const busy = stands ? runnerRefusal(stateFile) : null;
  if (busy !== null) return busy;
  const folder = makeFolder(dirname(stateFile));
  const kept = folder.ok ? writeDefinitionFile(definitionBeside(stateFile), text) : folder;
  if (!kept.ok) return kept;
  const reported = options.task === undefined ? accepted(null) : writeTask(stateFile, options.task);
  if (!reported.ok) return reported;
  const loop = generate(definition, isoNow(), options.mode);
  // Before the state: what worked an earlier loop works none of this one.
  const begun = { time: loop.started_at, run: BY_HAND, iteration: 0, event: "phases_begun" };
  const notes = appendByHand(stateFile, [{ ...begun, loop: loop.loop, mode: loop.mode }]);
  if (notes.length > 0 && stands) return unnoted(notes);
  const created = phaseFile.create(stateFile, stateText(loop), { what: "beginning a phase loop", replace: stands });
  if (!created.ok) return created;
  return accepted({ stateFile, definition, loop, warnings, notes });
}

/** What is wrong with the AoT loops that phases are. */
function loopProblems(definition: LoopDefinition): readonly Problem[] {
  return definition.phases.flatMap((phase, index) => {
    const state = phaseState({ definition, phase, task: "", mode: "", skills: [], round: 1 });
    if (state.ok) return [];
    return state.problems.map((problem) => ({
      ...problem,
      path: ["phases", index, "aot", ...(problem.path ?? [])],
    }));
  });
}

/** Who acts: a run of the phase loop, or a person. */
export type Actor = { readonly run: string } | { readonly who: string };

/**
 * Asks an action of a loop. Problems: whatever is wrong with its files, the rules that it breaks, or why it is refused.
 * @param choose the action, on what is in the file; pure
 */
export async function actOnPhases(
  stateFile: string,
  choose: (loop: PhaseLoop) => Result<Action>,
  actor: Actor = { who: personName() },
): Promise<Result<ActedOn>> {
  const read = readPhases(stateFile);
  if (!read.ok) return read;
  const { definition, warnings } = read.value;
  const wanted = choose(read.value.loop);
  const obstacles: Obstacles =
    wanted.ok && !("run" in actor)
      ? await obstaclesTo(stateFile, definition, read.value.loop, wanted.value)
      : NO_OBSTACLES;
  let done:
    | { readonly action: Action; readonly instead: boolean; readonly time: string; readonly notes: readonly string[] }
    | undefined;
  const edited = phaseFile.edit(
    stateFile,
    (document) => {
      const problems = phaseProblems({ definition, document, loop: document.loop });
      if (problems.length > 0) return { ok: false, problems };
      const chosen = choose(document.loop);
      if (!chosen.ok) return chosen;
      const action = asFound(document.loop, chosen.value, obstacles);
      const busy = "run" in actor ? null : busyRefusal(stateFile, action);
      const why = busy ?? whyNotHere(chosen.value, obstacles);
      if (why !== null) return why;
      // Made anew on what an editor wrote meanwhile, it is the same action: its line stands.
      const again = done !== undefined && isSame(done.action, action) ? done : undefined;
      const time = again === undefined ? laterThan(document.loop.last_updated) : again.time;
      const next = apply(definition, document.loop, action, time);
      if (!next.ok || again !== undefined) return next;
      const { type: event, ...rest } = action;
      const notes = appendByHand(stateFile, [{ time, run: BY_HAND, iteration: 0, event, ...rest, ...actor }]);
      if (notes.length > 0 && isNewStart(action)) return unnoted(notes);
      done = { action: action, instead: action.type !== chosen.value.type, time, notes };
      return next;
    },
    { what: "an action on a phase loop" },
  );
  if (!edited.ok) return withFailure(edited, stateFile, read.value);
  if (done === undefined) throw new Error("an edit without its action");
  const { action, instead, notes } = done;
  const { before, after: loop, document } = edited.value;
  const { missing } = obstacles;
  const remarks =
    action.type !== "pass_gate" || missing.length === 0
      ? notes
      : [...notes, `passed although these are not there: ${missing.join(", ")}`];
  return accepted({ definition, warnings, action, instead, before, loop, document, notes: remarks });
}

/** SPEC section 11, resuming: what is refused because the loop has failed says why it failed. */
function withFailure(
  refusal: { readonly ok: false; readonly problems: readonly Problem[] },
  stateFile: string,
  { definition, loop }: ReadPhases,
): typeof refusal {
  const why = loop.status === "failed" ? readHistory(stateFile, definition).last_failure : null;
  if (why === null) return refusal;
  return { ok: false, problems: refusal.problems.map((one) => ({ ...one, message: `${one.message}: ${why}` })) };
}

function isSame(one: Action, other: Action): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What worked the loop before it is forgotten by its line in the journal, and by nothing else. */
function isNewStart(action: Action): boolean {
  return action.type === "resume" && action.reopen === "restart";
}

function unnoted(notes: readonly string[]): Refused {
  return refused(notes.join("; "), "look at the disk, then do it again");
}

/** Null: nobody works the loop, or it does not matter to who does. */
function busyRefusal(stateFile: string, action: Action): Refused | null {
  // Skills count while they are worked.
  const busy = action.type === "count" ? null : runnerOf(stateFile);
  if (busy === null) return null;
  return refused(
    `a run works this phase loop: pid ${busy.pid} on host ${busy.host}, since ${busy.since}`,
    "wait for it, or end it with `aot phases pause`",
  );
}

/** The phase that was named, or the one that the loop is at. */
export function phaseMeant(loop: PhaseLoop, named: string | undefined): Result<string> {
  const name = named ?? currentPhase(loop)?.name;
  return name === undefined ? refused("every phase is over", "see `aot phases status`") : accepted(name);
}

/** PHASES-ANSWER-2. */
function laterThan(time: string): string {
  const now = isoNow();
  const last = Date.parse(time);
  return Number.isNaN(last) || Date.parse(now) > last ? now : new Date(last + 1).toISOString();
}

function inFile(problems: readonly Problem[], file: string): readonly Problem[] {
  // The place is one in the definition, not in the state file that the caller names.
  return problems.map(({ at, path: _, ...problem }) =>
    at === undefined ? problem : { ...problem, message: `${file}:${at.line}:${at.column}: ${problem.message}` },
  );
}

function personName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as in some containers.
    return "a person";
  }
}
