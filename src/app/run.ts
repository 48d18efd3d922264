/**
 * `aot run`: works a loop to a halt (SPEC sections 4 to 9). Takes the loop up where it stands (new,
 * halted or crashed), works it, and tells how it ended.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createLoopStore } from "../adapters/store/loop-store.ts";
import { entriesOf, openJournal, readJournalSync, type Journal } from "../adapters/store/journal.ts";
import { holdRunLock } from "../adapters/store/run-lock.ts";
import { editStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { WorkspaceError } from "../adapters/workspace/problem.ts";
import { reopenAtom } from "../core/backtrack.ts";
import type { Event, RunSettings } from "../core/event.ts";
import { worstCase, type WorstCase } from "../core/fuel.ts";
import { createRecall, recovered, toAdopt, type JournalLine, type Recollection } from "../core/journal.ts";
import { activeMs, createLoop, type Loop } from "../core/loop.ts";
import { gateOf, restarted } from "../core/operations.ts";
import { accepted, refused, type Problem, type Result } from "../core/problem.ts";
import { EXIT_CODES, type Outcome, type State } from "../core/state.ts";
import { boardOf } from "../core/view.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { setGuardian } from "../host/process.ts";
import { createCoordinator, type Coordinator } from "../loop/coordinator.ts";
import type { CallLimits } from "../loop/perform.ts";
import type { Workspace } from "../loop/ports.ts";
import { RunFailure } from "../loop/run-failure.ts";
import type { StateDocument } from "../statefile/document.ts";
import { systemClock } from "./clock.ts";
import { gatherCrew, type Crew, type CrewOptions } from "./run-crew.ts";
import { guardRun } from "./run-guard.ts";
import { openPlace, type Place, type PlaceOptions } from "./run-place.ts";
import { createReportKeeper, type RunReport } from "./run-report.ts";
import { serveRequests } from "./run-requests.ts";

export interface RunOptions extends CrewOptions, Omit<PlaceOptions, "run" | "onNote"> {
  /** Works a completed loop from the beginning. */
  readonly restart: boolean;
  /** What this run narrows of the state file's limits. */
  readonly settings: RunSettings;
  readonly limits: CallLimits;
}

/** How a run can be ended from outside. */
export interface RunControl {
  /** Attempts in flight are finished, then the loop stops. */
  stop(reason: string): void;
  /** As `stop`, and every agent is killed at once. */
  kill(): void;
}

export interface RunWatch {
  /** Each journal line, once it is on disk. */
  line(line: JournalLine): void;
  /** The run has begun and can be ended. */
  started?(control: RunControl): void;
}

export type RunEnd =
  | { readonly ok: true; readonly exit_code: number; readonly report: RunReport }
  | { readonly ok: false; readonly exit_code: 1 | 2 | 3 | 17; readonly problems: readonly Problem[] };

/** Works the loop of a state file until it halts. Never rejects for what agents, checks or files do. */
export async function runLoop(wish: RunOptions, watch: RunWatch): Promise<RunEnd> {
  const options = { ...wish, stateFile: ownName(wish.stateFile) };
  const lock = holdRunLock(options.stateFile);
  if (!lock.ok)
    return lost((await readStateFile(options.stateFile)).ok ? 1 : 2, refused(lock.message, lock.hint).problems);
  const guardian = await guardRun(loopPaths(options.stateFile).dir, lock.after_crash);
  setGuardian(guardian);
  try {
    return await runLocked(options, watch);
  } catch (error) {
    if (error instanceof RunFailure) return lost(1, refused(error.message, error.hint).problems);
    if (error instanceof WorkspaceError) return lost(1, refused(error.problem.message, error.problem.hint).problems);
    throw error;
  } finally {
    setGuardian(null);
    guardian.close();
    lock.release();
  }
}

/** Links followed: whatever the loop is called by, its journal, lock and requests lie in one place. */
function ownName(stateFile: string): string {
  try {
    return targetOf(stateFile);
  } catch {
    // Its folder does not exist, which is told when it is read.
    return stateFile;
  }
}

function lost(exit_code: 1 | 2 | 3 | 17, problems: readonly Problem[]): RunEnd {
  return { ok: false, exit_code, problems };
}

async function runLocked(options: RunOptions, watch: RunWatch): Promise<RunEnd> {
  const entry = await enter(options);
  if (!entry.ok) return lost(entry.gate ? 3 : 2, entry.problems);
  const crew = await gatherCrew(options);
  if (!crew.ok) return await unavailable(options, crew);
  try {
    return await runWith(options, watch, entry, crew.value);
  } finally {
    await crew.value.close();
  }
}

async function runWith(options: RunOptions, watch: RunWatch, entry: Entry, crew: Crew): Promise<RunEnd> {
  const tooDear = whyTooDear(entry.state, options, crew, entry.known);
  if (tooDear !== null) return lost(2, tooDear.problems);
  const run = randomBytes(4).toString("hex");
  // What comes up while the workspace opens is in the answer of `open`; the run tells the rest as it comes.
  const notes: Notes = { tell: () => {} };
  const onNote = (message: string): void => notes.tell(message);
  const place = await openPlace({ ...options, run, onNote }, entry.state);
  if (!place.ok) return lost(2, place.problems);
  try {
    return await work(options, watch, { run, entry, crew, place: place.value, notes });
  } finally {
    await place.value.workspace.close().catch(forTheNextRun);
  }
}

/** What could not be cleaned up must not hide how the run ended (a full disk: both fail); the next run cleans up. */
function forTheNextRun(error: unknown): void {
  if (!(error instanceof WorkspaceError)) throw error;
}

// ── entering ────────────────────────────────────────────────────────────────

interface Entry {
  readonly ok: true;
  /** The state file as it was read: what somebody writes from here on is foreign. */
  readonly document: StateDocument;
  readonly state: State;
  readonly known: Recollection;
  readonly from: Extract<Event, { type: "run_started" }>["from"];
  readonly paths: LoopPaths;
}

/** SPEC section 8: a run may begin on a loop that is pending, stopped, or left running by a crash. */
async function enter(
  options: RunOptions,
): Promise<Entry | { readonly ok: false; readonly gate: boolean; readonly problems: readonly Problem[] }> {
  const paths = loopPaths(options.stateFile);
  if (options.restart) {
    const begun = await editStateFile(options.stateFile, (document) => accepted(restarted(document.state)));
    if (!begun.ok) return { ...begun, gate: false };
    const journal = openJournal(paths.journal);
    if (!journal.ok) return { ...journal, gate: false };
    journal.value.append([{ time: systemClock.now(), run: "", iteration: 0, event: "restarted" }]);
    journal.value.close();
  }
  const read = await readStateFile(options.stateFile);
  if (!read.ok) return { ...read, gate: false };
  const { state } = read.value;
  const gate = gateOf(state);
  const missing = gate.missing.filter((name) => !(gate.status === "running" && name.startsWith("control.status")));
  if (missing.length > 0) {
    const hint =
      gate.status === "completed"
        ? "work it again from the beginning with `aot run --restart`, or align a new goal with `aot align`"
        : "set it with `aot align` or `aot redirect set`";
    return {
      ok: false,
      gate: true,
      problems: refused(`the loop cannot be entered: ${missing.join(", ")}`, hint).problems,
    };
  }
  const recall = createRecall();
  for (const line of entriesOf(readJournalSync(paths.journal))) recall.read(line);
  const known = recall.answer();
  const from =
    gate.status === "running"
      ? "crashed"
      : gate.status === "stopped"
        ? "halted"
        : known.unfinished === null
          ? "pending"
          : "crashed";
  return { ok: true, document: read.value, state: recovered(state, known), known, from, paths };
}

/** SPEC section 4: a run whose worst case costs more than `--max-cost-usd` is refused when prices are known. */
function whyTooDear(
  state: State,
  options: RunOptions,
  crew: Crew,
  known: Recollection,
): Extract<Result<never>, { ok: false }> | null {
  const worst = planOf(state, options, crew, known);
  const limit = options.settings.max_cost_usd;
  if (limit === undefined || worst.cost_usd === null || worst.cost_usd <= limit) return null;
  return refused(
    `in the worst case this run costs ${worst.cost_usd.toFixed(2)} USD (${worst.agent_calls} calls), the limit is ${limit} USD`,
    "lower --max-iterations, --parallel or --max-call-usd, or raise --max-cost-usd",
  );
}

function planOf(state: State, options: RunOptions, crew: Crew, known: Recollection): WorstCase {
  const price = options.limits.max_call_usd ?? crew.worker.max_call_usd;
  return worstCase(state, options.settings, {
    max_call_usd: price,
    call_timeout_ms: options.limits.timeout_ms,
    spent_usd: known.memory.cost_usd,
  });
}

/** `aot run --plan`: the worst case, without starting anything. */
export async function planRun(
  options: RunOptions,
): Promise<Result<{ readonly plan: WorstCase; readonly agent: string }>> {
  const entry = await enter({ ...options, stateFile: ownName(options.stateFile), restart: false });
  if (!entry.ok) return entry;
  const crew = await gatherCrew(options);
  if (!crew.ok) return crew;
  const plan = planOf(entry.state, options, crew.value, entry.known);
  await crew.value.close();
  return accepted({ plan, agent: crew.value.worker.name });
}

/** SPEC section 9: no agent that can work is an outcome of its own, and the state says so. */
async function unavailable(options: RunOptions, crew: Extract<Result<Crew>, { ok: false }>): Promise<RunEnd> {
  const reason = crew.problems.map((problem) => problem.message).join("; ");
  const edited = await editStateFile(options.stateFile, ({ state }) => {
    if (state.control.status === "pending") return accepted(state);
    return accepted({
      ...state,
      control: {
        ...state.control,
        status: "stopped" as const,
        outcome: "agent_unavailable" as const,
        stop_reason: reason,
      },
    });
  });
  return lost(17, edited.ok ? crew.problems : [...crew.problems, ...edited.problems]);
}

// ── working ─────────────────────────────────────────────────────────────────

/** What is told about the workspace while the run is at work. */
interface Notes {
  tell: (message: string) => void;
}

/** All that a run needs, at hand. */
interface Ready {
  readonly run: string;
  readonly entry: Entry;
  readonly crew: Crew;
  readonly place: Place;
  readonly notes: Notes;
}

async function work(options: RunOptions, watch: RunWatch, ready: Ready): Promise<RunEnd> {
  const journal = openJournal(ready.entry.paths.journal);
  if (!journal.ok) return lost(1, journal.problems);
  try {
    return await workOn(options, watch, ready, journal.value);
  } finally {
    journal.value.close();
  }
}

async function workOn(options: RunOptions, watch: RunWatch, ready: Ready, journal: Journal): Promise<RunEnd> {
  const { run, entry, crew, notes } = ready;
  const { workspace } = ready.place;
  const { paths } = entry;
  const opened = await workspace.open();
  const due = await revertDue(workspace, entry);
  mkdirSync(paths.logs, { recursive: true });
  const keeper = createReportKeeper(run, opened.integrated);
  const state = ready.place.stateOf(due.state, opened.base);
  const adopted = toAdopt(
    state,
    entry.known,
    opened.integrated.map((work) => ({ ...work, commit: work.commit })),
  );
  const coordinator = createCoordinator(createLoop(state), {
    ports: {
      ...crew,
      workspace,
      store: createLoopStore({ stateFile: options.stateFile, document: entry.document, journal }),
      clock: systemClock,
    },
    limits: { ...options.limits, logs: options.limits.logs ?? paths.logs },
    watch: (line) => {
      keeper.line(line);
      watch.line(line);
      // By now the state file says what the revert made of it.
      if (due.done && line.event === "run_started") coordinator.send({ event: "reverts_done" });
    },
  });
  const requests = serveRequests(paths.requests, coordinator, keeper);
  if (!requests.ok) return lost(1, requests.problems);
  notes.tell = (message) => coordinator.send({ event: "note", message });
  watch.started?.(controlOf(coordinator));
  const settings: RunSettings = {
    ...options.settings,
    parallel: Math.min(
      workspace.slots,
      options.settings.parallel ?? Infinity,
      state.objective.constraints.max_parallel_agents,
    ),
  };
  const start: Event = {
    type: "run_started",
    at: systemClock.now(),
    run,
    from: entry.from,
    memory: entry.known.memory,
    settings,
    ...(adopted.length > 0 ? { integrated: adopted } : {}),
  };
  try {
    const loop = await coordinator.run(start, opened.notes);
    return await end(loop, workspace, keeper, (line) => journal.append([line]), watch);
  } finally {
    keeper.close();
    await requests.value.close();
  }
}

/** Takes out what a redirect of the stopped loop left to this run, and reopens what could not stand without it. */
async function revertDue(
  workspace: Workspace,
  entry: Entry,
): Promise<{ readonly state: State; readonly done: boolean }> {
  const due = entry.known.reverts_due;
  if (due.length === 0) return { state: entry.state, done: false };
  const { lost } = await workspace.revert(due, "redirected while the loop was stopped");
  const { graph } = boardOf(entry.state).view;
  const reopen = (state: State, atom: string): State => {
    const index = graph.indexOf.get(atom);
    return index === undefined ? state : reopenAtom(state, graph, index);
  };
  return { state: lost.reduce(reopen, entry.state), done: true };
}

function controlOf(coordinator: Coordinator): RunControl {
  const stop = (reason: string): void => coordinator.send({ type: "stop_requested", at: systemClock.now(), reason });
  return {
    stop,
    kill: () => {
      stop("killed");
      coordinator.kill();
    },
  };
}

async function end(
  loop: Loop,
  workspace: Workspace,
  keeper: ReturnType<typeof createReportKeeper>,
  append: (line: object) => Result<null>,
  watch: RunWatch,
): Promise<RunEnd> {
  const outcome: Outcome = loop.run.halted ?? "stop_requested";
  const { message, merged } = await workspace.finish(outcome);
  const line: JournalLine = {
    time: systemClock.now(),
    run: loop.run.id,
    iteration: loop.state.control.iteration,
    event: "run_ended",
    message,
    cost_usd: loop.run.cost_usd,
    active_ms: activeMs(loop.run),
  };
  const written = append(line);
  if (!written.ok) return lost(1, written.problems);
  watch.line(line);
  return { ok: true, exit_code: EXIT_CODES[outcome], report: keeper.report(loop, outcome, { message, merged }) };
}
