/**
 * A scripted world: agents of known behaviour answer what `step` asks for, on a virtual clock.
 *
 * WORLD-1 luck belongs to (seed, atom, attempt) and is drawn from nothing else: a loop that is stopped, paused or continued
 *    meets the same agents;
 * WORLD-2 a rule under study replaces the product's count and nothing else: `step` is asked twice, without a stall limit
 *    and, where the rule says stop, with one that is spent;
 * WORLD-3 rules that only watch see the facts of the run and change nothing.
 */
import { chance } from "../statistics.mjs";

const AT = "2026-01-01T00:00:00.000Z";
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
 * @param engine `createLoop`, `step`, `toArray` of the core
 * @param limits `{fuel, stall, resumed}`: iterations, and stalls in a row; Infinity: none. `resumed`: a person runs a
 *   stalled loop again, with what is left of the fuel and no limit on stalls
 * @param rule one of rules.mjs in the place of the product's own count; undefined: the product's
 * @param watchers rules by name that are informed of everything (WORLD-3)
 * @returns outcome, iterations opened, the iteration since which nothing useful happens (null: no such), and the
 *   names of the watchers that reached the scenario's limit
 */
export function work(engine, scenario, limits, { rule, watchers = {} } = {}) {
  const world = {
    engine,
    scenario,
    rule,
    limit: limits.stall,
    loop: engine.createLoop(stateFor(scenario, limits, rule)),
    counted: rule?.start,
    tasks: new Map(scenario.tasks),
    working: [],
    queue: [],
    clock: 0,
    checks: 0,
    successes: 0,
    doomedSince: null,
    lastUseful: 0,
    watching: Object.entries(watchers).map(([name, watcher]) => ({ name, rule: watcher, counted: watcher.start })),
    alarmed: new Set(),
  };
  send(world, started("pending", {}));
  for (let events = 0; world.loop.run.halted === null; events++) {
    const event = world.queue.shift() ?? nextEnd(world);
    if (event === null || events > MOST_EVENTS) throw new Error(`${scenario.name} does not halt`);
    send(world, event);
    if (world.loop.run.halted === "stalled" && limits.resumed === true) resume(world);
  }
  return {
    outcome: world.loop.run.halted,
    iterations: world.loop.state.control.iteration,
    onset: world.doomedSince === null ? null : Math.max(world.doomedSince, world.lastUseful),
    alarmed: world.alarmed,
  };
}

function stateFor({ state, slots }, { fuel, stall }, rule) {
  const max_stall_count = rule === undefined ? stall : Infinity;
  const constraints = {
    ...state.objective.constraints,
    max_iterations: fuel,
    max_parallel_agents: slots,
    max_stall_count,
  };
  return { ...state, objective: { ...state.objective, constraints } };
}

/** @param attempts spent, by atom */
function started(from, attempts) {
  return {
    type: "run_started",
    at: AT,
    run: "bench",
    from,
    memory: { cost_usd: 0, active_ms: 0, attempts, nogoods: [], probed: {} },
    settings: { verify_each: false, confirmed: false },
  };
}

function resume(world) {
  const { toArray } = world.engine;
  const memory = toArray(world.loop.run.memory);
  const spent = toArray(world.loop.state.atoms).map(({ id }, index) => [id, memory[index].attempts]);
  world.rule = undefined;
  world.loop = withStalls(world.loop, 0, Infinity);
  send(world, started("halted", Object.fromEntries(spent)));
}

function send(world, event) {
  const stepped = world.rule === undefined ? world.engine.step(world.loop, event) : ruled(world, event);
  world.loop = stepped.loop;
  world.counted = countedAfter(world, stepped);
  watch(world, stepped);
  for (const fact of stepped.facts) take(world, fact);
  for (const effect of stepped.effects) perform(world, effect);
}

/** WORLD-2. Where the rule says stop the loop pauses: what is running ends, and its last iteration may clear the count. */
function ruled(world, event) {
  const { engine, loop, rule, limit } = world;
  const says = (stepped) => rule.count(countedAfter(world, stepped)) >= limit;
  const free = engine.step(withStalls(loop, 0, Infinity), event);
  if (!says(free)) return free;
  const paused = engine.step(withStalls(loop, 1, 0), event);
  return says(paused) ? paused : engine.step(withStalls(loop, 1, 1), event);
}

function withStalls(loop, stall_count, max_stall_count) {
  const { state } = loop;
  const constraints = { ...state.objective.constraints, max_stall_count };
  const control = { ...state.control, stall_count };
  return { ...loop, state: { ...state, control, objective: { ...state.objective, constraints } } };
}

function countedAfter({ engine, rule, counted }, { loop, facts }) {
  if (rule === undefined) return counted;
  return facts.reduce((known, fact) => rule.take(known, fact, () => unresolvedIn(engine, loop)), counted);
}

/** WORLD-3. */
function watch({ engine, scenario, watching, alarmed }, stepped) {
  for (const watcher of watching) {
    watcher.counted = countedAfter({ engine, ...watcher }, stepped);
    if (watcher.rule.count(watcher.counted) >= scenario.limit) alarmed.add(watcher.name);
  }
}

/** The seeds' number: every atom that is not resolved, containers and alternatives as well. */
function unresolvedIn(engine, loop) {
  return engine.toArray(loop.state.atoms).filter((atom) => atom.status !== "resolved").length;
}

/** What the world learns from a step: which script each new atom has, and what was of use. */
function take(world, fact) {
  switch (fact.fact) {
    case "atom_decomposed": {
      const children = world.tasks.get(fact.atom).split(draw(world, fact.atom));
      fact.children.forEach((id, place) => world.tasks.set(id, children[place]));
      return;
    }
    case "atoms_added":
      for (const { id } of fact.atoms) world.tasks.set(id, world.scenario.base.repair(draw(world, id)));
      return;
    case "atom_resolved":
      world.successes++;
      if (world.tasks.get(fact.atom).doomed !== true) world.lastUseful = world.loop.state.control.iteration;
      return;
  }
}

function draw({ scenario }, name) {
  return chance(Math.floor(lot(scenario.seed, `script of ${name}`) * 2 ** 32));
}

function perform(world, effect) {
  switch (effect.type) {
    case "start_attempt": {
      const { id } = effect.attempt;
      // Durations over one order of magnitude.
      const until = world.clock + 10 ** lot(world.scenario.seed, `duration of ${id}`);
      world.working.push({ attempt: effect.attempt, until });
      return;
    }
    case "abort_attempt":
      world.working = world.working.filter((one) => one.attempt.id !== effect.attempt.id);
      world.queue.push({ type: "attempt_aborted", at: AT, attempt: effect.attempt.id });
      return;
    case "integrate": {
      const attempt = effect.attempt.id;
      world.queue.push({ type: "attempt_integrated", at: AT, attempt, commit: null, artifacts: [] });
      return;
    }
    case "revert":
      world.queue.push({ type: "work_reverted", at: AT, commit: null, lost: [] });
      return;
    case "check_base_case":
      world.queue.push({ type: "base_case_checked", at: AT, verdict: verdictOf(isMet(world)), commit: null });
      return;
    case "replan":
      world.queue.push({ type: "replanned", at: AT, atoms: repairs(world), reason: "the base case fails" });
      return;
  }
}

/** The end of the attempt that ends first; null: none is running. */
function nextEnd(world) {
  if (world.working.length === 0) return null;
  const first = world.working.reduce((a, b) => (b.until < a.until ? b : a));
  world.working = world.working.filter((one) => one !== first);
  world.clock = first.until;
  return endOf(world, first.attempt);
}

function endOf(world, attempt) {
  const { scenario } = world;
  const task = world.tasks.get(attempt.atom);
  const stuck = world.successes >= scenario.successes;
  if (stuck || (task.doomed === true && scenario.base.failures !== Infinity)) doomed(world);
  if (!stuck && task.split !== undefined) {
    const children = task.split(draw(world, attempt.atom)).map((_, place, all) => ({
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

function doomed(world) {
  world.doomedSince ??= world.loop.state.control.iteration;
}

function isMet(world) {
  const { failures, flaky, patience } = world.scenario.base;
  world.checks++;
  if (world.checks <= failures) {
    if (failures === Infinity) doomed(world);
    return false;
  }
  return world.checks > failures + patience || lot(world.scenario.seed, `check ${world.checks}`) >= flaky;
}

function repairs(world) {
  const [least, most] = world.scenario.base.repairs;
  const count = least + Math.floor(lot(world.scenario.seed, `repairs ${world.checks}`) * (most - least + 1));
  return Array.from({ length: count }, (_, place) => ({ description: `repair ${place}` }));
}

function verdictOf(passed) {
  const check = { type: "command", value: "true" };
  const leaf = { item: "it", check, passed, evidence: { kind: "judgement", reason: "" } };
  return { passed, checklist: [leaf], skipped: [], requires_user_confirmation: false };
}
