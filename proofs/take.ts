/**
 * What a move makes of a world. The reducer, the journal's fold and everything that a resumed run starts from are the
 * product's own functions.
 */
import { redirectByHand } from "../src/core/apply-redirect.ts";
import type { Effect, Fact } from "../src/core/effect.ts";
import type { AdoptedWork, Event } from "../src/core/event.ts";
import { entranceOf, inheritedBy } from "../src/core/entrance.ts";
import { linesOf, type JournalLine } from "../src/core/journal-line.ts";
import { isUrgent } from "../src/core/is-urgent.ts";
import { createLoop, type Loop, type Step } from "../src/core/loop.ts";
import type { Redirect } from "../src/core/redirect.ts";
import { step } from "../src/core/step.ts";
import { checkNodesOf } from "../src/core/verdict.ts";
import { NOW, type Move } from "./moves.ts";
import { openedAfter } from "./opened.ts";
import { nextRevert, recall, tipOf, type Journal, type World } from "./world.ts";

/** One call of `step`, and what came of it. */
export interface Stepped {
  readonly before: Loop;
  readonly event: Event;
  readonly after: Loop;
  readonly effects: readonly Effect[];
  readonly facts: readonly Fact[];
}

export interface Taken {
  readonly world: World;
  /** Null: the move calls no `step`. */
  readonly stepped: Stepped | null;
}

/**
 * Null: the move is no move of its own here, since killing the process a moment later comes to the same.
 * @throws whatever the product throws: a defect of it
 */
export function take(world: World, move: Move): Taken | null {
  switch (move.kind) {
    case "event": {
      const spent = move.spends === undefined ? world : spend(world, move.spends);
      return fed(inTheWorld(spent, move.event), move.event);
    }
    case "torn":
      return tornEvent(world, move.event);
    case "flush":
      return { world: { ...saved(world, world.loop), flushed: true }, stepped: null };
    case "crash":
      return {
        world: killed(
          landed(
            move.lost === undefined ? spend(world, "crashes") : spend(spend(world, "crashes"), "losses"),
            move.landed,
            move.lost === undefined ? [] : [move.lost],
          ),
        ),
        stepped: null,
      };
    case "end":
      return { world: { ...journaled(world, [endOf(world)]), phase: "ended" }, stepped: null };
    case "run":
      return begun(world, move);
    case "edit":
      return { world: edited(world, move.redirect), stepped: null };
  }
}

function spend(world: World, what: keyof World["hazards"]): World {
  return { ...world, hazards: { ...world.hazards, [what]: world.hazards[what] - 1 } };
}

/** What an answer says of the world outside the loop: an agent has ended, a commit stands. */
function inTheWorld(world: World, event: Event): World {
  switch (event.type) {
    case "work_succeeded":
    case "work_split":
    case "probe_feasible":
    case "attempt_aborted":
    case "agent_unavailable":
      return { ...world, agents: world.agents.filter((attempt) => attempt.id !== event.attempt) };
    case "attempt_failed": {
      const { agents, queue } = world;
      const first = queue[0];
      if (first?.type === "integrate" && first.attempt.id === event.attempt) return { ...world, queue: queue.slice(1) };
      return { ...world, agents: agents.filter((attempt) => attempt.id !== event.attempt) };
    }
    case "attempt_integrated":
      return landed(world, 1);
    case "work_reverted":
      return landed(world, 1, event.lost);
    case "base_case_checked":
      return checkedIn(world, event);
    case "tampered":
      return { ...world, checking: null };
    case "replanned":
      return { ...world, planning: false };
    case "advised":
      return { ...world, asking: null };
    case "background_aborted":
      return { ...world, checking: null, planning: false, asking: null };
    default:
      return world;
  }
}

function checkedIn(
  world: World,
  { commit, verdict: { passed, checklist } }: Extract<Event, { type: "base_case_checked" }>,
): World {
  const tip = commit ?? "";
  const answers = checkNodesOf(checklist).flatMap((leaf) =>
    leaf.passed === null ? [] : [`${leaf.item}${leaf.passed ? "+" : "-"}`],
  );
  const known = world.answered.get(tip) ?? [];
  const answered =
    answers.length === 0 ? world.answered : new Map([...world.answered, [tip, new Set([...known, ...answers])]]);
  return { ...world, checking: null, checked: { passed, tip, goal: world.checkedGoal }, answered };
}

/** The first things in the workspace's queue are done; the last of them, a revert, takes `lost` with it. */
function landed(world: World, count: number, lost: readonly string[] = []): World {
  let next = world;
  world.queue.slice(0, count).forEach((effect, index) => {
    if (effect.type === "integrate") next = { ...next, branch: [...next.branch, workOf(effect)] };
    else next = takenOut(next, effect.atoms, index === count - 1 ? lost : []);
  });
  return { ...next, queue: world.queue.slice(count) };
}

/** A revert is a commit of its own, unless nothing of these atoms is there. */
function takenOut(world: World, atoms: readonly string[], lost: readonly string[]): World {
  const branch = world.branch.filter((work) => !atoms.includes(work.atom) && !lost.includes(work.atom));
  if (branch.length === world.branch.length) return world;
  return { ...world, branch, reverts: [...world.reverts, { commit: nextRevert(world), lost }] };
}

function workOf({ attempt, summary, artifacts }: Extract<Effect, { type: "integrate" }>): AdoptedWork {
  return { attempt: attempt.id, atom: attempt.atom, commit: `c${attempt.id}`, summary, artifacts };
}

/** The sequencer's commit: step, journal, state file where it must be, and only then the effects. */
function fed(world: World, event: Event): Taken {
  const before = world.loop;
  const taken = stepOnce(before, event);
  const { loop: after, effects, facts } = taken;
  const stepped: Stepped = { before, event, after, effects, facts };
  const { opened } = openedAfter(world.opened, stepped);
  let next: World = { ...journaled(world, linesOf(before, event, taken)), loop: after, opened };
  if (isUrgent(before.state, after.state)) next = saved(next, after);
  next = performed(next, effects);
  if (after.run.halted !== null) next = { ...(next.file === after.state ? next : saved(next, after)), phase: "halted" };
  return { world: next, stepped };
}

const steps = new WeakMap<Event, Step>();

/** The step of an event that was made for this one loop. */
function stepOnce(loop: Loop, event: Event): Step {
  let taken = steps.get(event);
  if (taken === undefined) {
    taken = step(loop, event);
    steps.set(event, taken);
  }
  return taken;
}

function tornEvent(world: World, event: Event): Taken | null {
  if (!isUrgent(world.loop.state, stepOnce(world.loop, event).loop.state)) return null;
  return torn(fed(inTheWorld(world, event), event), world);
}

function journaled(world: World, lines: readonly JournalLine[]): World {
  return { ...world, journal: lines.reduce((before: Journal | null, line) => ({ line, before }), world.journal) };
}

function saved(world: World, { state, run }: Loop): World {
  const mark: JournalLine = { time: NOW, run: run.id, iteration: state.control.iteration, event: "state_saved" };
  return { ...journaled(world, [mark]), file: state, flushed: false };
}

function endOf({ loop }: World): JournalLine {
  const { iteration } = loop.state.control;
  return { time: NOW, run: loop.run.id, iteration, event: "run_ended", message: "", cost_usd: 0, active_ms: 0 };
}

function performed(world: World, effects: readonly Effect[]): World {
  let { agents, queue, checking, checkedGoal, planning, asking } = world;
  for (const effect of effects) {
    if (effect.type === "start_attempt") agents = [...agents, effect.attempt];
    else if (effect.type === "integrate" || effect.type === "revert") queue = [...queue, effect];
    else if (effect.type === "check_base_case") {
      checking = tipOf(world.branch);
      checkedGoal = world.loop.state.objective.goal;
    } else if (effect.type === "replan") planning = true;
    else if (effect.type === "ask_planner") asking = effect.atom;
  }
  return { ...world, agents, queue, checking, checkedGoal, planning, asking, ...paidFor(world, effects) };
}

/** The world's own account of what was spent, kept through every crash. */
function paidFor({ paid, started }: World, effects: readonly Effect[]): Pick<World, "paid" | "started"> {
  let { iteration, attempts } = paid;
  const counts = new Map(started);
  for (const effect of effects) {
    if (effect.type !== "start_attempt") continue;
    attempts = effect.attempt.iteration === iteration ? attempts + 1 : 1;
    ({ iteration } = effect.attempt);
    counts.set(effect.attempt.atom, (counts.get(effect.attempt.atom) ?? 0) + 1);
  }
  return { paid: { iteration, attempts }, started: counts };
}

/**
 * The event is in the journal; the state file is what it was and no effect was performed. An attempt that the journal
 * calls started was paid for all the same.
 */
function torn(taken: Taken, before: World): Taken {
  const dead = killed(
    spend({ ...taken.world, file: before.file, journal: withoutMark(taken.world.journal) }, "crashes"),
  );
  return { ...taken, world: dead };
}

/** What the state file was not written for is not marked either. */
function withoutMark(journal: Journal | null): Journal | null {
  let here = journal;
  while (here !== null && here.line.event === "state_saved") here = here.before;
  return here;
}

function killed(world: World): World {
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

// ── aot run ─────────────────────────────────────────────────────────────────

/** As `runLocked` and `work` in run/run.ts put it together. */
function begun(world: World, { torn: dies }: Extract<Move, { kind: "run" }>): Taken {
  const known = recall(world.journal);
  const { state, from, missing } = entranceOf(world.file, known);
  if (missing.length > 0) throw new Error(`the loop cannot be entered: ${missing.join()}`);
  const resumed = world.phase === "ended" ? spend(world, "resumes") : world;
  const { start: inherited, commits } = inheritedBy(state, known, {
    integrated: resumed.branch,
    reverts: resumed.reverts,
  });
  const run = `r${world.runs + 1}`;
  const start: Event = {
    type: "run_started",
    at: NOW,
    run,
    from,
    ...inherited,
    settings: {
      ...(world.planner ? { planner: true as const } : {}),
      verify_each: world.verify_each,
      confirmed: false,
      parallel: state.objective.constraints.max_parallel_agents,
    },
  };
  const taken = fed({ ...resumed, phase: "up", checked: null, runs: world.runs + 1, loop: createLoop(state) }, start);
  if (dies === true) return torn(taken, resumed);
  if (commits.length === 0) return taken;
  const { iteration } = taken.world.loop.state.control;
  const done: JournalLine = { time: NOW, run, iteration, event: "reverts_done", commits };
  return { ...taken, world: journaled(taken.world, [done]) };
}

/** `aot redirect` on a loop that nobody works. */
function edited(world: World, redirect: Redirect): World {
  const spent = spend(world, "redirects");
  const done = redirectByHand(world.file, redirect, NOW);
  if (!done.ok) return spent;
  const { state, ahead, lines } = done.value;
  return { ...journaled(spent, [...ahead, ...lines]), file: state, loop: createLoop(state) };
}
