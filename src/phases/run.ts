/**
 * `aot phases run` (SPEC section 11): phases one after the other, each worked by the runner of AoT loops, and the gates
 * between them. What is next is asked of the state file before every step (`next-step.ts`), so that a run that was killed
 * goes on where it stood.
 *
 * PHASES-RUN-1 one run at a time; nobody's lock is held while a person is waited for;
 * PHASES-RUN-2 what is begun is in a file before it is done: a phase before its work, a work before its loop, a gate's
 *    answer before what follows from it;
 * PHASES-RUN-3 a phase is complete only when its loop is verified and the person's branch holds its work;
 * PHASES-RUN-4 limits are those of the whole, and what was spent stays spent.
 */
import { randomBytes } from "node:crypto";
import { holdRunLock } from "../adapters/store/run-lock.ts";
import { watchRequests } from "../adapters/store/requests.ts";
import { describeProblems, refused, type Result } from "../core/problem.ts";
import { EXIT_CODES } from "../core/state.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { readKind } from "../statefile/read-json-value.ts";
import { looks } from "../history/follow.ts";
import { createMessenger, type Messenger } from "../run/unattended.ts";
import { readHistory, writeTask } from "./file.ts";
import { spentBy } from "./phase-budget.ts";
import { planPhases, tooDear } from "./plan.ts";
import { actOnPhases, readPhases } from "./answer.ts";
import { createStopper, tellJournal, type Halt, type PhaseRun } from "./phase-run.ts";
import { stepPhases } from "./steps.ts";
import type { PhasesEnd, PhasesRunOptions, PhasesWatch } from "./run-options.ts";
import { ownName } from "../host/atomic-write.ts";
import { gatherRunAgents } from "../run/agents.ts";
import type { NoRun } from "../run/options.ts";

/** Works a phase loop until it is complete, a person is needed, or something stops it. Never rejects for what agents, checks or files do. */
export async function runPhases(given: PhasesRunOptions, watch: PhasesWatch): Promise<PhasesEnd> {
  const options = { ...given, stateFile: ownName(given.stateFile) };
  const { notify } = options;
  const { root } = options.run;
  const place = { root, stateFile: options.stateFile, ...(notify === undefined ? {} : { notify }) };
  const messenger = createMessenger(place, (message) => watch.tell(message));
  const stopper = createStopper();
  const run: PhaseRun = {
    id: randomBytes(4).toString("hex"),
    options,
    watch: {
      ...watch,
      line(line) {
        messenger.line(line);
        watch.line(line);
      },
    },
    stopper,
    worked: [],
    notes: [],
    paused: false,
  };
  watch.started?.(stopper);
  const end = await untilRest(run, messenger);
  await messenger.ended(
    end.ok ? { ...end, report: { ...end.report, ...end.report.spent, goal: end.report.loop.loop } } : end,
  );
  return end;
}

async function untilRest(run: PhaseRun, messenger: Messenger): Promise<PhasesEnd> {
  for (let first = true; ; first = false) {
    const halt = await underLock(run, first);
    if (!halt.ok) return halt;
    const gate = run.options.wait && halt.waits === true ? halt.gate : undefined;
    if (gate === undefined) return reported(run, halt);
    messenger.tell({ event: "needs_confirmation", message: halt.message });
    run.watch.tell(`${halt.message.replace(/\.$/, "")}; ${typed(run, halt.next_step)}`);
    await gateAnswered(run, gate);
  }
}

/** PHASES-RUN-1. */
async function underLock(run: PhaseRun, first: boolean): Promise<Halt | NoRun> {
  const { stateFile } = run.options;
  const known = readPhases(stateFile);
  if (!known.ok) return { ok: false, exit_code: 2, problems: known.problems };
  const lock = holdRunLock(stateFile);
  if (!lock.ok) return { ok: false, exit_code: 1, problems: refused(lock.message, phaseHint(lock.hint)).problems };
  try {
    const requests = watchRequests(loopPaths(stateFile).requests, {
      read: (body) => readKind(body, { pause: () => ({}) }, "a request to a phase loop"),
      carryOut: () => Promise.resolve(pause(run)),
      refused: (message) => run.notes.push(message),
    });
    if (!requests.ok) return { ok: false, exit_code: 1, problems: requests.problems };
    try {
      const begun = first ? await begin(run) : null;
      const halt = begun ?? (await stepPhases(run));
      return await rest(run, halt);
    } finally {
      await requests.value.close();
    }
  } finally {
    lock.release();
  }
}

function phaseHint(hint: string): string {
  return hint.replaceAll("aot status --watch", "aot phases status").replaceAll("aot stop", "aot phases pause");
}

/** What a person says by running it: a task, a failed loop once more, a paused one onwards. */
async function begin(run: PhaseRun): Promise<NoRun | null> {
  const { stateFile, task, reopen } = run.options;
  const dear = await whyTooDear(run);
  if (dear !== null) return dear;
  const noted = task === undefined ? null : writeTask(stateFile, task);
  if (noted?.ok === false) return { ok: false, exit_code: 1, problems: noted.problems };
  run.notes.push(...tellJournal(run, { event: "phases_run" }));
  const unknown = await whyNobody(run);
  if (unknown !== null) return unknown;
  // Whoever left it alone (detach.ts) may go: what a wrong word can prevent has not happened.
  run.watch.tell(`run ${run.id} started`);
  const read = readPhases(stateFile);
  if (!read.ok) return { ok: false, exit_code: 2, problems: read.problems };
  if (reopen === undefined && read.value.loop.status !== "paused") return null;
  const resumed = await actOnPhases(
    stateFile,
    () => ({ ok: true, value: { type: "resume", ...(reopen === undefined ? {} : { reopen }) } }),
    { run: run.id },
  );
  return resumed.ok ? null : { ok: false, exit_code: 1, problems: resumed.problems };
}

/** SPEC section 4: refused before anything is spent; while the loop is worked it cannot become dearer than it was. */
async function whyTooDear({ options }: PhaseRun): Promise<NoRun | null> {
  if (options.run.settings.max_cost_usd === undefined) return null;
  const plan = await planPhases(options);
  if (!plan.ok) return plan;
  const problems = tooDear(plan);
  return problems === null ? null : { ok: false, exit_code: 2, problems };
}

/** A name that no agent has is a person's mistake; an agent that is not to be had now may be, by the time it is needed. */
async function whyNobody({ options: { stateFile, run } }: PhaseRun): Promise<NoRun | null> {
  const { record: _untouched, ...names } = run;
  const runAgents = await gatherRunAgents({ ...names, stateFile });
  if (runAgents.ok) await runAgents.value.close();
  return runAgents.ok || runAgents.unknown !== true ? null : { ok: false, exit_code: 2, problems: runAgents.problems };
}

function pause(run: PhaseRun): object {
  run.paused = true;
  run.stopper.stop("paused");
  return { ok: true, message: "the run finishes the attempts in flight, then the loop is paused" };
}

/** The last line of this stretch: whoever runs it again is a person. */
async function rest(run: PhaseRun, halt: Halt | NoRun): Promise<Halt | NoRun> {
  const { stateFile } = run.options;
  const paused: Result<unknown> | null = run.paused
    ? await actOnPhases(stateFile, () => ({ ok: true, value: { type: "pause" } }), { run: run.id })
    : null;
  if (paused?.ok === false) run.notes.push(`not paused: ${describeProblems(paused.problems)}`);
  const said = halt.ok
    ? { outcome: halt.outcome, message: halt.message, gate: halt.gate ?? null }
    : { message: describeProblems(halt.problems), exit_code: halt.exit_code };
  run.notes.push(...tellJournal(run, { event: "phases_halted", ...said }));
  return halt;
}

function reported(run: PhaseRun, halt: Halt): PhasesEnd {
  const { stateFile } = run.options;
  const read = readPhases(stateFile);
  if (!read.ok) return { ok: false, exit_code: 2, problems: read.problems };
  const { definition, loop } = read.value;
  const history = readHistory(stateFile, definition);
  const { outcome, message, gate = null } = halt;
  return {
    ok: true,
    exit_code: EXIT_CODES[outcome],
    report: {
      run: run.id,
      outcome,
      message,
      next_step: typed(run, halt.next_step),
      loop,
      gate,
      worked: run.worked,
      answers: history.answers,
      spent: spentBy(stateFile, history),
      notes: run.notes,
    },
  };
}

function typed({ options }: PhaseRun, words: string): string {
  return options.typed?.(words) ?? words;
}

/** Until the gate, or the loop, is no longer as it was left; or the run is to stop. */
async function gateAnswered({ options, stopper }: PhaseRun, gate: string): Promise<void> {
  const statusNow = (): string => {
    const read = readPhases(options.stateFile);
    if (!read.ok) return "unreadable";
    const { gates, status } = read.value.loop;
    return `${status} ${gates.find(({ id }) => id === gate)?.status}`;
  };
  const before = statusNow();
  for await (const _ of looks(stopper.signal)) if (statusNow() !== before) return;
}
