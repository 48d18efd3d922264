/**
 * Agents of known behaviour in the place of the world's (`world/`), on a virtual clock.
 *
 * SCRIPTED-1 luck belongs to (seed, atom, attempt) and is drawn from nothing else: a loop that is stopped, paused or continued
 *    meets the same agents;
 * SCRIPTED-2 a rule under study replaces the product's count and nothing else: `step` is asked twice, without a stall limit
 *    and, where the rule says stop, with one that is spent;
 * SCRIPTED-3 rules that only watch see the facts of the run and change nothing.
 */
import { chance } from "../statistics.mjs";

const AT = "2026-01-01T00:00:00.000Z";
const SETTINGS = { verify_each: false, confirmed: false };
/** A loop that takes more events than this has a defect. */
const MOST_EVENTS = 50_000;

/** A number in [0, 1) that belongs to this name. */
function lot(seed, name) {
  let hash = seed | 0;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return chance(hash)();
}

/**
 * Works a scenario to its halt.
 * @param engine of `machine.ts`
 * @param limits `{fuel, stall, resumed}`: iterations, and stalls in a row; Infinity: none. `resumed`: a person runs a
 *   stalled loop again, with what is left of the fuel and no limit on stalls
 * @param rule one of rules.mjs in the place of the product's own count; undefined: the product's
 * @param watchers rules by name that are informed of everything (SCRIPTED-3)
 * @returns outcome, iterations opened, the iteration since which nothing useful happens (null: no such), and the
 *   names of the watchers that reached the scenario's limit
 */
export function work(engine, scenario, limits, { rule, watchers = {} } = {}) {
  const play = {
    engine,
    scenario,
    rule,
    limit: limits.stall,
    world: engine.worldAround(stateFor(scenario, limits, rule)),
    counted: rule?.start,
    tasks: new Map(scenario.tasks),
    /** When each attempt ends. */
    ends: new Map(),
    clock: 0,
    checks: 0,
    successes: 0,
    doomedSince: null,
    lastUseful: 0,
    watching: Object.entries(watchers).map(([name, watcher]) => ({ name, rule: watcher, counted: watcher.start })),
    alarmed: new Set(),
  };
  take(play, engine.begun(play.world, AT, SETTINGS));
  for (let events = 0; play.world.phase !== "halted"; events++) {
    const event = nextEvent(play);
    if (event === null || events > MOST_EVENTS) throw new Error(`${scenario.name} does not halt`);
    take(
      play,
      engine.committed(engine.heard(play.world, event), event, (loop) => stepped(play, loop, event)),
    );
    if (play.world.loop.run.halted === "stalled" && limits.resumed === true) resume(play);
  }
  const { run, state } = play.world.loop;
  return {
    outcome: run.halted,
    iterations: state.control.iteration,
    onset: play.doomedSince === null ? null : Math.max(play.doomedSince, play.lastUseful),
    alarmed: play.alarmed,
  };
}

function stateFor({ state, slots }, { fuel, stall }, rule) {
  const max_stall_count = rule === undefined ? stall : Infinity;
  return withConstraints(state, { max_iterations: fuel, max_parallel_agents: slots, max_stall_count });
}

function withConstraints(state, constraints) {
  const { objective } = state;
  return { ...state, objective: { ...objective, constraints: { ...objective.constraints, ...constraints } } };
}

function resume(play) {
  const { engine } = play;
  play.rule = undefined;
  const over = engine.ended(play.world, AT);
  const file = withConstraints(over.file, { max_stall_count: Infinity });
  take(play, engine.begun({ ...over, file }, AT, SETTINGS));
}

/** SCRIPTED-2. Where the rule says stop the loop pauses: what is running ends, and its last iteration may clear the count. */
function stepped({ engine, rule, counted, limit }, loop, event) {
  if (rule === undefined) return engine.step(loop, event);
  const says = ({ loop: after, facts }) => rule.count(countedAfter(engine, { rule, counted }, after, facts)) >= limit;
  const free = engine.step(withStalls(loop, 0, Infinity), event);
  if (!says(free)) return free;
  const paused = engine.step(withStalls(loop, 1, 0), event);
  return says(paused) ? paused : engine.step(withStalls(loop, 1, 1), event);
}

function withStalls(loop, stall_count, max_stall_count) {
  const state = withConstraints(loop.state, { max_stall_count });
  return { ...loop, state: { ...state, control: { ...state.control, stall_count } } };
}

function countedAfter(engine, { rule, counted }, loop, facts) {
  if (rule === undefined) return counted;
  return facts.reduce((known, fact) => rule.take(known, fact, () => unresolvedIn(engine, loop)), counted);
}

/** What follows from a step: counts, what the scripts have to know, and when who has begun will end. */
function take(play, { world, stepped: { after, facts, effects } }) {
  const { engine, scenario, watching, alarmed } = play;
  play.world = world;
  play.counted = countedAfter(engine, play, after, facts);
  for (const watcher of watching) {
    watcher.counted = countedAfter(engine, watcher, after, facts);
    if (watcher.rule.count(watcher.counted) >= scenario.limit) alarmed.add(watcher.name);
  }
  for (const fact of facts) learn(play, fact);
  for (const { type, attempt } of effects) {
    // Durations over one order of magnitude.
    if (type === "start_attempt")
      play.ends.set(attempt.id, play.clock + 10 ** lot(scenario.seed, `duration of ${attempt.id}`));
  }
}

/** The seeds' number: every atom that is not resolved, containers and alternatives as well. */
function unresolvedIn(engine, loop) {
  return loop.state.atoms.filter((atom) => atom.status !== "resolved").length;
}

/** What the world learns from a step: which script each new atom has, and what was of use. */
function learn(play, fact) {
  switch (fact.fact) {
    case "atom_decomposed": {
      const children = play.tasks.get(fact.atom).split(draw(play, fact.atom));
      fact.children.forEach((id, place) => play.tasks.set(id, children[place]));
      return;
    }
    case "atoms_added":
      for (const { id } of fact.atoms) play.tasks.set(id, play.scenario.base.repair(draw(play, id)));
      return;
    case "atom_resolved":
      play.successes++;
      if (play.tasks.get(fact.atom).doomed !== true) play.lastUseful = play.world.loop.state.control.iteration;
      return;
  }
}

function draw({ scenario }, name) {
  return chance(Math.floor(lot(scenario.seed, `script of ${name}`) * 2 ** 32));
}

/** What was aborted, the workspace, checks and planners answer at once; then the attempt that ends first; null: none is running. */
function nextEvent(play) {
  const { engine, world } = play;
  const { agents, queue, checking, planning, loop } = world;
  const aborted = loop.run.attempts.find(
    ({ attempt, discarded }) => discarded && agents.some(({ id }) => id === attempt.id),
  );
  if (aborted !== undefined) return { type: "attempt_aborted", at: AT, attempt: aborted.attempt.id };
  if (queue.length > 0) return engine.commitDone(world, queue[0], AT);
  if (checking !== null)
    return {
      type: "base_case_checked",
      at: AT,
      verdict: engine.verdictOf(loop.state.objective.base_case, isMet(play)),
      commit: null,
    };
  if (planning) return { type: "replanned", at: AT, atoms: repairs(play), reason: "the base case fails" };
  if (agents.length === 0) return null;
  const endsAt = ({ id }) => play.ends.get(id);
  const first = agents.reduce((a, b) => (endsAt(b) < endsAt(a) ? b : a));
  play.clock = endsAt(first);
  return endOf(play, first);
}

function endOf(play, attempt) {
  const { scenario } = play;
  const task = play.tasks.get(attempt.atom);
  const stuck = play.successes >= scenario.successes;
  if (stuck || (task.doomed === true && scenario.base.failures !== Infinity)) doomed(play);
  if (!stuck && task.split !== undefined) {
    const children = task.split(draw(play, attempt.atom)).map((_, place, all) => ({
      id: `part${place}`,
      description: `part ${place}`,
      depends_on: task.inTurn === true && place > 0 && all.length > 1 ? [`part${place - 1}`] : [],
    }));
    return { type: "work_split", at: AT, attempt: attempt.id, children, reason: "too large" };
  }
  return !stuck && attempt.number >= task.needs
    ? { type: "work_succeeded", at: AT, attempt: attempt.id, summary: "", artifacts: [] }
    : { type: "attempt_failed", at: AT, attempt: attempt.id, kind: "failed", reason: "red" };
}

function doomed(play) {
  play.doomedSince ??= play.world.loop.state.control.iteration;
}

function isMet(play) {
  const { failures, flaky, patience } = play.scenario.base;
  play.checks++;
  if (play.checks <= failures) {
    if (failures === Infinity) doomed(play);
    return false;
  }
  return play.checks > failures + patience || lot(play.scenario.seed, `check ${play.checks}`) >= flaky;
}

function repairs(play) {
  const [least, most] = play.scenario.base.repairs;
  const count = least + Math.floor(lot(play.scenario.seed, `repairs ${play.checks}`) * (most - least + 1));
  return Array.from({ length: count }, (_, place) => ({ description: `repair ${place}` }));
}
