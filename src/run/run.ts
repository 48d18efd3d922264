/**
 * `aot run`: works a loop to a halt (SPEC sections 4 to 9). Takes the loop up where it stands (new,
 * halted or crashed), works it, and tells how it ended.
 */
import { randomBytes } from "node:crypto";
import { keepCopy } from "../adapters/store/kept-copy.ts";
import { createLoopStore } from "../adapters/store/loop-store.ts";
import { openJournal, type Journal } from "../adapters/store/journal.ts";
import { holdRunLock, type RunLock } from "../adapters/store/run-lock.ts";
import { editStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { WorkspaceError } from "../adapters/workspace/problem.ts";
import { inheritedBy, trustOf } from "../core/entrance.ts";
import type { Event } from "../core/event.ts";
import { limitsOf, type Limits, type WorstCase } from "../core/fuel.ts";
import { createLoop } from "../core/loop.ts";
import { accepted, describeProblems, refused, type Problem } from "../core/problem.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { makeOwnFolder } from "../host/own-file.ts";
import type { Holder } from "../host/lock.ts";
import { setGuardian } from "../host/process.ts";
import { createCoordinator, type Coordinator } from "../loop/coordinator.ts";
import { systemClock } from "../project/clock.ts";
import { gatherRunAgents, plannerSetting, type RunAgents } from "./agents.ts";
import { endRun, whyItBroke } from "./end.ts";
import { agentRefusal } from "../project/agent-restrictions.ts";
import { enter, type Entry } from "../project/run-entry.ts";
import { ownName } from "../host/atomic-write.ts";
import { guardRun } from "./guardian.ts";
import type { PlaceFacts } from "../loop/ports.ts";
import { placeFacts } from "../project/place-facts.ts";
import { openPlace, type RunPlace } from "./place.ts";
import type { RunControl, NoRun, RunEnd, RunOptions, RunWatch } from "./options.ts";
import { notifyAndReport } from "./unattended.ts";
import { checkDiskSpace, type DiskSpaceOptions } from "../project/disk-space.ts";
import { planOf, whyTooDear, type Begun } from "./plan.ts";
import { createStory } from "../history/run-story.ts";
import { createRedirectAnswers, serveRequests } from "./requests.ts";
import { takeOver } from "./take-over.ts";

/** Works the loop of a state file until it halts. Never rejects for what agents, checks or files do. */
export async function runLoop(given: RunOptions, watch: RunWatch): Promise<RunEnd> {
  const options = { ...given, stateFile: ownName(given.stateFile) };
  const unattended = notifyAndReport(options, watch);
  const end = await runNamed(options, unattended.watch);
  await unattended.ended(end);
  return end;
}

async function runNamed(options: RunOptions, watch: RunWatch): Promise<RunEnd> {
  const own = agentRefusal(options.stateFile);
  if (own !== null) return lost(1, own.problems);
  const lock = holdRunLock(options.stateFile);
  if (!lock.ok)
    return lost((await readStateFile(options.stateFile)).ok ? 1 : 2, refused(lock.message, lock.hint).problems);
  const guardian = await guardRun(loopPaths(options.stateFile).dir, lock.after_crash);
  setGuardian(guardian);
  const keeper = keepLock(lock);
  try {
    return await runLocked(options, {
      ...watch,
      started: (control) => {
        keeper.onLost((who) =>
          control.stop(`the lock of this run was taken: pid ${who.pid} on host ${who.host} has it`),
        );
        watch.started?.(control);
      },
    });
  } catch (error) {
    return lost(1, whyItBroke(error, loopPaths(options.stateFile).dir));
  } finally {
    keeper.close();
    setGuardian(null);
    guardian.close();
    lock.release();
  }
}

const LOOK_AT_LOCK_MS = 250;

/** An agent can delete the lock: it is put back, so that no second run finds the loop free (SPEC section 8). */
function keepLock(lock: Extract<RunLock, { ok: true }>): { onLost(then: (who: Holder) => void): void; close(): void } {
  let reported: ((who: Holder) => void) | null = null;
  const timer = setInterval(() => {
    const who = lock.keep();
    if (who === null) return;
    reported?.(who);
    clearInterval(timer);
  }, LOOK_AT_LOCK_MS);
  timer.unref();
  return { onLost: (then) => (reported = then), close: () => clearInterval(timer) };
}

function lost(exit_code: 1 | 2 | 3 | 17, problems: readonly Problem[]): NoRun {
  return { ok: false, exit_code, problems };
}

async function runLocked(options: RunOptions, watch: RunWatch): Promise<RunEnd> {
  const entered = await enter(options);
  if (!entered.ok) return lost(entered.exit_code, entered.problems);
  const taken = takeOver(options.stateFile, entered, options.take_over === true);
  if (!taken.ok) return lost(1, taken.problems);
  const { entry, notes: reported } = taken.value;
  const run = randomBytes(4).toString("hex");
  const runAgents = await gatherRunAgents(options);
  if (!runAgents.ok)
    return runAgents.unknown === true ? lost(2, runAgents.problems) : await unavailable(options, runAgents.problems);
  try {
    const tooDear = whyTooDear(entry, options, runAgents.value);
    if (tooDear !== null) return lost(2, tooDear.problems);
    return await inPlace({ ...options, place: runAgents.value.place }, entry, run, (place, journal, notes) =>
      work(options, watch, { run, entry, reported, runAgents: runAgents.value, place, journal, notes }),
    );
  } finally {
    await runAgents.value.close();
  }
}

/** Opens the place of work and the journal, and closes both whatever happens. */
async function inPlace(
  options: RunOptions & Pick<RunAgents, "place">,
  entry: Entry,
  run: string,
  then: (place: RunPlace, journal: Journal, notes: Notes) => Promise<RunEnd>,
): Promise<RunEnd> {
  // What comes up while the workspace opens is in the answer of `open`; the run tells the rest as it comes.
  const notes: Notes = { tell: () => {} };
  const onNote = (message: string): void => notes.tell(message);
  const place = await openPlace({ ...options, run, onNote }, entry.state);
  if (!place.ok) return lost(place.problems.some(({ code }) => code === "file_unwritable") ? 1 : 2, place.problems);
  const journal = openJournal(entry.paths.journal);
  if (!journal.ok) return lost(1, journal.problems);
  try {
    return await then(place.value, journal.value, notes);
  } finally {
    journal.value.close();
    keepCopy(options.stateFile, false);
    await place.value.workspace.close().catch(forTheNextRun);
  }
}

/** What could not be cleaned up must not hide how the run ended (a full disk: both fail); the next run cleans up. */
function forTheNextRun(error: unknown): void {
  if (!(error instanceof WorkspaceError)) throw error;
}

/** `aot run --plan`: the worst case, without starting anything. */
export async function planRun(options: RunOptions): Promise<PlannedRun | NoRun> {
  const entry = await enter({ stateFile: ownName(options.stateFile), restart: options.restart, accept_goal: true });
  if (!entry.ok) return lost(entry.exit_code, entry.problems);
  return await planOn({ state: entry.state, spent_usd: entry.known.memory.cost_usd }, options);
}

/** The same, of a state that no file has yet. */
export async function planOn(begun: Begun, options: RunOptions): Promise<PlannedRun | NoRun> {
  const runAgents = await gatherRunAgents(options);
  if (!runAgents.ok) return lost(runAgents.unknown === true ? 2 : 17, runAgents.problems);
  const plan = planOf(begun, options, runAgents.value);
  await runAgents.value.close();
  const limits = limitsOf(begun.state.objective.constraints, options.settings);
  const { worker, place } = runAgents.value;
  return { ok: true, plan, agent: worker.name, limits, sandbox: place?.summary ?? null };
}

/** What a run may take at most. */
export interface PlannedRun {
  readonly ok: true;
  readonly plan: WorstCase;
  readonly agent: string;
  /** Those in force. */
  readonly limits: Limits;
  /** What confines agents and checks, in a sentence; null: nothing was asked for. */
  readonly sandbox: string | null;
}

/**
 * SPEC section 9: no agent that can work is an outcome of its own, and the state says so; but for a completed loop, which
 * no run has begun again.
 */
async function unavailable(options: RunOptions, problems: readonly Problem[]): Promise<RunEnd> {
  const reason = describeProblems(problems);
  const edited = await editStateFile(options.stateFile, ({ state }) =>
    accepted(
      state.control.status === "completed"
        ? state
        : {
            ...state,
            control: {
              ...state.control,
              status: "stopped" as const,
              outcome: "agent_unavailable" as const,
              stop_reason: reason,
            },
          },
    ),
  );
  return lost(17, edited.ok ? problems : [...problems, ...edited.problems]);
}

// ── working ─────────────────────────────────────────────────────────────────

/** What is reported about the workspace while the run is active. */
interface Notes {
  tell: (message: string) => void;
}

/** All that a run needs, at hand. */
interface Ready {
  readonly run: string;
  readonly entry: Entry;
  /** Of the session that had the loop before. */
  readonly reported: readonly string[];
  readonly runAgents: RunAgents;
  readonly place: RunPlace;
  readonly journal: Journal;
  readonly notes: Notes;
}

async function work(options: RunOptions, watch: RunWatch, ready: Ready): Promise<RunEnd> {
  const { run, entry, runAgents, journal, notes } = ready;
  const { workspace } = ready.place;
  const { paths } = entry;
  if (options.restart) {
    const marked = journal.append([{ time: systemClock.now(), run, iteration: 0, event: "restarted" }]);
    if (!marked.ok) return lost(1, marked.problems);
  }
  const opened = await workspace.open();
  makeOwnFolder(paths.logs);
  const story = createStory("newest_run");
  const answers = createRedirectAnswers();
  const state = ready.place.stateOf(entry.state, opened.base);
  const facts = factsFor(options, runAgents, state.objective.aligned_commit ?? opened.base);
  const inherited = inheritedBy(state, entry.known, opened);
  const coordinator = createCoordinator(createLoop(state), {
    ports: {
      ...runAgents,
      workspace,
      facts: () => facts,
      store: createLoopStore({ stateFile: options.stateFile, document: entry.document, journal, run }),
      clock: systemClock,
      ...(options.room === undefined ? {} : { room: diskOf(options.room, paths) }),
    },
    limits: { ...options.limits, logs: options.limits.logs ?? paths.logs },
    watch: (line) => {
      story.read(line);
      answers.line(line);
      watch.line(line);
      if (line.event === "run_started") runAgents.onNote(notes.tell);
      // By now the state file says what the reverts made of it.
      if (inherited.commits.length > 0 && line.event === "run_started")
        coordinator.send({ event: "reverts_done", commits: inherited.commits });
    },
  });
  const requests = serveRequests(paths.requests, coordinator, answers);
  if (!requests.ok) return lost(1, requests.problems);
  notes.tell = (message) => coordinator.send({ event: "note", message });
  watch.started?.(controlOf(coordinator));
  const start: Event = {
    type: "run_started",
    at: systemClock.now(),
    run,
    from: entry.from,
    ...inherited.start,
    settings: {
      ...options.settings,
      trust: trustOf(options.settings, entry.known.memory),
      ...plannerSetting(runAgents),
    },
    ...(options.forget_answers === true ? { forget_answers: true } : {}),
  };
  try {
    const loop = await coordinator.run(start, [...ready.reported, ...entry.notes, ...opened.notes]);
    const told = { story: story.now(), doubts: entry.known.doubts };
    return await endRun(loop, workspace, opened.integrated, { ...told, journal, watch });
  } finally {
    answers.close();
    await requests.value.close();
  }
}

/** Of the project as it was aligned. */
function factsFor(
  { root, set_up, sandbox }: RunOptions,
  { place }: RunAgents,
  commit: string | null,
): Promise<PlaceFacts> {
  return placeFacts(root, {
    ...(commit === null ? {} : { commit }),
    ...(set_up === undefined ? {} : { set_up }),
    ...(place === undefined || place.kind === "none" ? {} : { network: sandbox?.allow_domains ?? [] }),
  });
}

function diskOf(room: DiskSpaceOptions, { dir, logs }: LoopPaths): () => string | null {
  return () => checkDiskSpace(dir, logs, room);
}

function controlOf(coordinator: Coordinator): RunControl {
  const stop = (reason: string): void => coordinator.send({ type: "stop_requested", at: systemClock.now(), reason });
  return {
    stop,
    kill: () => {
      stop("killed");
      coordinator.kill();
    },
    note: (message) => coordinator.send({ event: "note", message }),
  };
}
