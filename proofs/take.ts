/**
 * What a move makes of a world: what `world/` says of it, what it spends, and the accounts of it.
 */
import type { Effect } from "../src/core/effect.ts";
import { atomIn, type Event } from "../src/core/event.ts";
import { isUrgent } from "../src/core/state-changes.ts";
import type { Loop, Step } from "../src/core/loop.ts";
import { step } from "../src/core/step.ts";
import { checkNodesOf, isMechanical } from "../src/core/verdict.ts";
import * as outside from "../world/world.ts";
import { tipOf, type Stepped } from "../world/world.ts";
import { NOW, type Move } from "./moves.ts";
import { openedAfter } from "./opened.ts";
import type { World } from "./world.ts";

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
      const spent = heard(move.spends === undefined ? world : spend(world, move.spends), move.event);
      return accounted(spent, outside.committed(spent, move.event, stepOnce));
    }
    case "torn":
      return tornEvent(world, move.event);
    case "flush":
      return { world: { ...outside.saved(world), flushed: true }, stepped: null };
    case "crash": {
      const spent = spend(move.lost === undefined ? world : spend(world, "losses"), "crashes");
      const lost = move.lost === undefined ? [] : [move.lost];
      return { world: outside.killed(outside.landed(spent, move.landed, lost)), stepped: null };
    }
    case "end":
      return { world: outside.ended(world, NOW), stepped: null };
    case "run":
      return begun(world, move.torn === true);
    case "edit":
      return { world: withWord(world, outside.edited(spend(world, "redirects"), move.redirect, NOW)), stepped: null };
  }
}

function spend(world: World, what: keyof World["hazards"]): World {
  return { ...world, hazards: { ...world.hazards, [what]: world.hazards[what] - 1 } };
}

function begun(world: World, dies: boolean): Taken {
  const resumed = world.phase === "ended" ? spend(world, "resumes") : world;
  const settings = {
    ...(world.planner ? { planner: true as const } : {}),
    ...(world.trust === 0 ? {} : { trust: world.trust }),
    verify_each: world.verify_each,
    confirmed: false,
    parallel: world.file.objective.constraints.max_parallel_agents,
  };
  const taken = accounted(resumed, outside.begun(resumed, NOW, settings, dies));
  return dies ? { ...taken, world: spend(taken.world, "crashes") } : taken;
}

function tornEvent(world: World, event: Event): Taken | null {
  if (!isUrgent(world.loop.state, stepOnce(world.loop, event).loop.state)) return null;
  const spent = heard(spend(world, "crashes"), event);
  return accounted(spent, outside.torn(outside.committed(spent, event, stepOnce), world));
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

/** With the answers of a check on its tree. */
function heard(world: World, event: Event): World {
  const next = outside.heard(world, event);
  if (event.type !== "base_case_checked") return next;
  const tip = event.commit ?? "";
  const known = new Set(world.answered.get(tip));
  const size = known.size;
  for (const { item, check, passed, runs = 1 } of checkNodesOf(event.verdict.checklist)) {
    // What a judge says is no answer of a check.
    if (passed === null || !isMechanical(check)) continue;
    const answer = `${item}${passed ? "+" : "-"}`;
    // How often matters only where passes are counted.
    const before = [...known].filter((one) => one.startsWith(answer)).length;
    // On the first tree no red counts any more once there is another one.
    const more = !passed && world.answered.size > 1 && tip === [...world.answered.keys()][0] ? 0 : runs;
    const times = world.trust === 0 ? 1 : Math.max(1, before + more);
    for (let time = 1; time <= times; time++) known.add(`${answer}${time}`);
  }
  return known.size === size ? next : { ...next, answered: new Map([...world.answered, [tip, known]]) };
}

/** What was started was paid for, also when the process died over it. */
function accounted(before: World, { world, stepped }: outside.Taken<World>): Taken {
  const { opened } = openedAfter(before.opened, stepped);
  const accounts = { opened, failed: failedAfter(before.failed, stepped), ...paidFor(before, stepped.effects) };
  return { world: withWord(before, { ...world, ...accounts }), stepped };
}

/** Attempts that failed while they counted, splits that could not be used, and claims that a verdict showed to be wrong. */
function failedAfter(failed: World["failed"], { before, event, facts }: Stepped): World["failed"] {
  const isCounted = (id: string): boolean => before.run.attempts.some((one) => one.attempt.id === id && !one.discarded);
  const atoms = facts.flatMap((fact) => {
    if (fact.fact === "split_refused") return [fact.atom];
    return fact.fact === "atom_reset" && fact.lessons !== undefined ? [fact.atom] : [];
  });
  if (event.type === "attempt_failed" && isCounted(event.attempt)) atoms.push(atomIn(event.attempt));
  return atoms.reduce((counts, atom) => new Map([...counts, [atom, (counts.get(atom) ?? 0) + 1]]), failed);
}

/** What a person saw who confirms. */
function withWord(before: World, world: World): World {
  const { corrections } = world.loop.state;
  const isConfirmed = corrections.slice(before.loop.state.corrections.length).some(({ confirmed }) => confirmed);
  return isConfirmed ? { ...world, confirmedOn: tipOf(world.branch) } : world;
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
