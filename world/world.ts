/**
 * The world around the machine: what its effects ask for, what the answers to them mean, and what outlives a crash. The
 * machine is the real one (`src/core/`). Who answers what, and when, is for a policy to say: everything that can be said
 * (`proofs/`), dice (`tests/support/walk.ts`), scripts (`benches/stall/`).
 *
 * WORLD-1 what an effect asks for is under way until the event that answers it is taken in;
 * WORLD-2 the workspace does one thing at a time, in the order in which it was asked (PORTS-3);
 * WORLD-3 an event is in the journal, and in the state file where it must be, before its effects are performed
 *    (COORDINATOR-1, COORDINATOR-2); a batch holds one event;
 * WORLD-4 a crash leaves the branch, the journal and the state file, and nothing else;
 * WORLD-5 a world is a value: what happens to it makes another one, with whatever a policy keeps beside it.
 */
import { redirectByHand } from "../src/core/apply-redirect.ts";
import type { Attempt, Effect, Fact } from "../src/core/effect.ts";
import { entranceOf, inheritedBy } from "../src/core/entrance.ts";
import type { AdoptedWork, Event, Revert, RunSettings } from "../src/core/event.ts";
import { isUrgent } from "../src/core/state-changes.ts";
import { linesOf, type JournalLine } from "../src/core/journal-line.ts";
import { createRecall, type Recollection } from "../src/core/journal.ts";
import { createLoop, type Loop, type Step } from "../src/core/loop.ts";
import type { Redirect } from "../src/core/redirect.ts";
import type { BaseCase, State } from "../src/core/state.ts";
import { step } from "../src/core/step.ts";
import { judge, type ChecklistVerdict, type Passed } from "../src/core/verdict.ts";

/** `up`: a run is active. `halted`: it halted and has not said so yet. `ended`: nobody works it. `down`: it was killed. */
export type Phase = "up" | "halted" | "ended" | "down";

/** What the workspace does. */
export type Commit = Extract<Effect, { type: "integrate" | "revert" }>;

/** The journal, newest line first. */
export interface Journal {
  readonly line: JournalLine;
  readonly before: Journal | null;
}

/** What is in the repository. */
export interface Held {
  /** Work in the integration branch. */
  readonly branch: readonly AdoptedWork[];
  /** Every time that work was taken out of it, oldest first. */
  readonly reverts: readonly Revert[];
}

export interface World extends Held {
  readonly phase: Phase;
  readonly loop: Loop;
  /** Agents running: attempts whose end was not reported yet. */
  readonly agents: readonly Attempt[];
  /** What the workspace has still to do, in order (WORLD-2). */
  readonly queue: readonly Commit[];
  /** What a check that is running looks at; null: none is. */
  readonly checking: string | null;
  /** The goal that it was asked to check. */
  readonly checkedGoal: string;
  /** Whether a planner is running. */
  readonly planning: boolean;
  /** The atom about which one is asked; null: none. */
  readonly asking: string | null;
  /** What the base case was checked on in this run, and what came of it. */
  readonly checked: { readonly passed: Passed; readonly tip: string; readonly goal: string } | null;
  /** The state file. */
  readonly file: State;
  /** Whether the file holds a state that it need not hold yet. */
  readonly flushed: boolean;
  readonly journal: Journal | null;
  /** Runs so far. */
  readonly runs: number;
}

/** One call of `step`, and what came of it. */
export interface Stepped {
  readonly before: Loop;
  readonly event: Event;
  readonly after: Loop;
  readonly effects: readonly Effect[];
  readonly facts: readonly Fact[];
}

export interface Taken<W extends World> {
  readonly world: W;
  readonly stepped: Stepped;
}

/** Before the first run of a loop. */
export function worldAround(state: State): World {
  return {
    phase: "down",
    loop: createLoop(state),
    agents: [],
    queue: [],
    checking: null,
    checkedGoal: "",
    planning: false,
    asking: null,
    checked: null,
    branch: [],
    reverts: [],
    file: state,
    flushed: false,
    journal: null,
    runs: 0,
  };
}

// ── what is asked for ───────────────────────────────────────────────────────

/** WORLD-1. */
function performed<W extends World>(world: W, effects: readonly Effect[]): W {
  if (effects.length === 0) return world;
  let { agents, queue, checking, checkedGoal, planning, asking } = world;
  for (const effect of effects)
    switch (effect.type) {
      case "start_attempt":
        agents = [...agents, effect.attempt];
        break;
      case "integrate":
      case "revert":
        queue = [...queue, effect];
        break;
      case "check_base_case":
        checking = tipOf(world.branch);
        checkedGoal = world.loop.state.objective.goal;
        break;
      case "replan":
        planning = true;
        break;
      case "ask_planner":
        asking = effect.atom;
        break;
      // Whoever is aborted answers for itself; the others get no answer.
      case "abort_attempt":
      case "abort_background":
      case "shelve":
      case "wake_in":
      case "halt":
        break;
    }
  return { ...world, agents, queue, checking, checkedGoal, planning, asking };
}

// ── what comes back ─────────────────────────────────────────────────────────

/** What an answer says of the world outside the loop: an agent has ended, a commit is there. */
export function heard<W extends World>(world: W, event: Event): W {
  switch (event.type) {
    case "work_succeeded":
    case "work_split":
    case "probe_feasible":
    case "attempt_aborted":
    case "agent_unavailable":
      return without(world, event.attempt);
    case "attempt_failed": {
      const [first, ...rest] = world.queue;
      const isCommit = first?.type === "integrate" && first.attempt.id === event.attempt;
      return isCommit ? { ...world, queue: rest } : without(world, event.attempt);
    }
    case "attempt_integrated":
      return landed(world, 1);
    case "work_reverted":
      return landed(world, 1, event.lost);
    case "base_case_checked": {
      const checked = { passed: event.verdict.passed, tip: world.checking ?? "", goal: world.checkedGoal };
      return { ...world, checking: null, checked };
    }
    case "tampered":
      return { ...world, checking: null };
    case "replanned":
      return { ...world, planning: false };
    case "advised":
      return { ...world, asking: null };
    case "background_aborted":
      return event.call === "check" ? { ...world, checking: null } : { ...world, planning: false, asking: null };
    default:
      return world;
  }
}

function without<W extends World>(world: W, attempt: string): W {
  return { ...world, agents: world.agents.filter((one) => one.id !== attempt) };
}

/** The first things in the workspace's queue are done; the last of them, a revert, takes the work of `lost` with it. */
export function landed<W extends World>(world: W, count: number, lost: readonly string[] = []): W {
  let next = world;
  world.queue.slice(0, count).forEach((effect, index) => {
    next =
      effect.type === "integrate"
        ? withWork(next, workOf(effect))
        : takenOut(next, effect.atoms, index === count - 1 ? lost : []);
  });
  return { ...next, queue: world.queue.slice(count) };
}

function workOf({ attempt, summary, artifacts }: Extract<Effect, { type: "integrate" }>): AdoptedWork {
  return { attempt: attempt.id, atom: attempt.atom, commit: `c${attempt.id}`, summary, artifacts };
}

/** What the workspace answers when it has done it. @param lost atoms whose work a revert takes along */
export function commitDone(world: World, effect: Commit, at: string, lost: readonly string[] = []): Event {
  if (effect.type === "integrate") {
    const { attempt, commit, artifacts } = workOf(effect);
    return { type: "attempt_integrated", at, attempt, commit, artifacts };
  }
  const isThere = world.branch.some((work) => effect.atoms.includes(work.atom));
  return { type: "work_reverted", at, commit: isThere ? nextRevert(world) : null, lost };
}

// ── the integration branch ──────────────────────────────────────────────────

/** What the integration branch holds, in letters. */
export function tipOf(branch: readonly AdoptedWork[]): string {
  return branch.map((work) => work.attempt).join(" ");
}

export function withWork<H extends Held>(held: H, work: AdoptedWork): H {
  return { ...held, branch: [...held.branch, work] };
}

/** A revert is a commit of its own, unless nothing of these atoms is there. */
export function takenOut<H extends Held>(held: H, atoms: readonly string[], lost: readonly string[]): H {
  const branch = held.branch.filter((work) => !atoms.includes(work.atom) && !lost.includes(work.atom));
  if (branch.length === held.branch.length) return held;
  return { ...held, branch, reverts: [...held.reverts, { commit: nextRevert(held), lost }] };
}

function nextRevert({ reverts }: Held): string {
  return `v${reverts.length + 1}`;
}

/** Atoms whose work may go when that of `atoms` is taken out: none, where nothing of theirs is there. */
export function atRisk(branch: readonly Pick<AdoptedWork, "atom">[], atoms: readonly string[]): readonly string[] {
  const there = [...new Set(branch.map((work) => work.atom))];
  return there.some((atom) => atoms.includes(atom)) ? there.filter((atom) => !atoms.includes(atom)) : [];
}

// ── a run ───────────────────────────────────────────────────────────────────

/** The sequencer's commit (WORLD-3) of an event that was heard. @param stepper `step`, or a rule in its place */
export function committed<W extends World>(world: W, event: Event, stepper: typeof step = step): Taken<W> {
  const before = world.loop;
  const taken: Step = stepper(before, event);
  const { loop: after, effects, facts } = taken;
  let next: W = { ...world, journal: behind(world.journal, linesOf(before, event, taken)), loop: after };
  if (isUrgent(before.state, after.state)) next = saved(next);
  next = performed(next, effects);
  if (after.run.halted !== null) next = { ...(next.file === after.state ? next : saved(next)), phase: "halted" };
  return { world: next, stepped: { before, event, after, effects, facts } };
}

/** The state file is written. */
export function saved<W extends World>(world: W): W {
  const { state, run } = world.loop;
  const mark: JournalLine = { time: run.now, run: run.id, iteration: state.control.iteration, event: "state_saved" };
  return { ...journaled(world, [mark]), file: state, flushed: false };
}

/** `aot run`. @param dies before the state file is written */
export function begun<W extends World>(world: W, at: string, settings: RunSettings, dies = false): Taken<W> {
  const known = recall(world.journal);
  const { state, from, missing } = entranceOf(world.file, known);
  if (missing.length > 0) throw new Error(`the loop cannot be entered: ${missing.join()}`);
  const { start, commits } = inheritedBy(state, known, { integrated: world.branch, reverts: world.reverts });
  const runs = world.runs + 1;
  const run = `r${runs}`;
  const fresh: W = { ...world, phase: "up", checked: null, runs, loop: createLoop(state) };
  const taken = committed(fresh, { type: "run_started", at, run, from, settings, ...start });
  if (dies) return torn(taken, world);
  if (commits.length === 0) return taken;
  const { iteration } = taken.world.loop.state.control;
  return { ...taken, world: journaled(taken.world, [{ time: at, run, iteration, event: "reverts_done", commits }]) };
}

/** The run that halted says so, and ends. */
export function ended<W extends World>(world: W, at: string): W {
  const { run, state } = world.loop;
  const { iteration } = state.control;
  const line: JournalLine = {
    time: at,
    run: run.id,
    iteration,
    event: "run_ended",
    message: "",
    cost_usd: 0,
    active_ms: 0,
  };
  return { ...journaled(world, [line]), phase: "ended" };
}

/** `aot redirect` on a loop that nobody works. */
export function edited<W extends World>(world: W, redirect: Redirect, at: string): W {
  const done = redirectByHand(world.file, redirect, at);
  if (!done.ok) return world;
  const { state, ahead, lines } = done.value;
  return { ...journaled(world, [...ahead, ...lines]), file: state, loop: createLoop(state) };
}

// ── a crash ─────────────────────────────────────────────────────────────────

/** WORLD-4. */
export function killed<W extends World>(world: W): W {
  return {
    ...world,
    phase: "down",
    loop: createLoop(world.file),
    agents: [],
    queue: [],
    checking: null,
    planning: false,
    asking: null,
    checked: null,
    flushed: false,
  };
}

/** The process dies when the event is journaled: the state file is what it was, and no effect was performed. */
export function torn<W extends World>(taken: Taken<W>, before: W): Taken<W> {
  let { journal } = taken.world;
  // What the state file was not written for is not marked either.
  while (journal !== null && journal.line.event === "state_saved") journal = journal.before;
  return { ...taken, world: killed({ ...taken.world, file: before.file, journal }) };
}

// ── the journal ─────────────────────────────────────────────────────────────

function journaled<W extends World>(world: W, lines: readonly JournalLine[]): W {
  return { ...world, journal: behind(world.journal, lines) };
}

function behind(journal: Journal | null, lines: readonly JournalLine[]): Journal | null {
  return lines.reduce((before: Journal | null, line) => ({ line, before }), journal);
}

/** Oldest first. */
export function linesIn(journal: Journal | null): readonly JournalLine[] {
  const lines: JournalLine[] = [];
  for (let here = journal; here !== null; here = here.before) lines.push(here.line);
  return lines.reverse();
}

const recalled = new WeakMap<Journal, Recollection>();

/** What the journal tells the next run. */
export function recall(journal: Journal | null): Recollection {
  const known = journal === null ? undefined : recalled.get(journal);
  if (known !== undefined) return known;
  const fold = createRecall();
  for (const line of linesIn(journal)) fold.read(line);
  const answer = fold.now();
  if (journal !== null) recalled.set(journal, answer);
  return answer;
}

/** A verdict in which every leaf is alike. */
export function verdictOf(baseCase: BaseCase, passed: Passed): ChecklistVerdict {
  return judge(baseCase, () => ({ passed, evidence: { kind: "judgement", reason: "" } }));
}
