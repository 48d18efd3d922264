/**
 * A loop in one process: the real coordinator, `step` and prompts, with agents that learn in the world of `world/`, whose
 * calls are over at once.
 *
 * LOOP-WORLD-1 luck belongs to (seed, piece, attempt), so that another order of events meets the same agents;
 * LOOP-WORLD-2 each command was run before the work, as alignment does; no judge was asked then;
 * LOOP-WORLD-3 an attempt sees what was integrated when it began, and its prompt; what fails is put aside under a name.
 */
import { castOf, isOr, partsOf, TAG, verdictOn, WORD, workOn } from "./script.mjs";

const AT = "2026-01-01T00:00:00.000Z";
/** What a call costs: a planner reads, a stronger agent is dearer. */
export const COST = { worker: 1, strong: 3, planner: 0.5 };
const ITERATIONS = 20;
const ok = (value) => ({ ok: true, value });

/**
 * Works one world to its halt.
 * @param engine of `machine.ts`
 * @returns whether it was verified, attempts, cost, the outcome; `hardest`: the most attempts of one atom
 */
export async function work(engine, world, seed) {
  const cast = castOf(world, seed);
  const scene = {
    engine,
    cast,
    site: engine.emptySite(),
    /** By attempt: the facts that it found, and those that it wrote. */
    folders: new Map(),
    /** Where work is that was put aside, by attempt. */
    kept: new Map(),
    attempts: 0,
    cost: 0,
    tries: new Map(),
    byAtom: new Map(),
  };
  const fate = fateOf(scene);
  const calls = engine.createPorts(fate, scene.site, atOnce);
  const ports = {
    ...calls,
    ...(world.escalate === true ? { escalation: [engine.agentOf(fate, atOnce, "strong")] } : {}),
    planner: world.planner === "none" ? null : calls.planner,
    workspace: { ...calls.workspace, kept: () => Promise.resolve(scene.kept) },
    store: { append: () => ok(null), save: () => ok({}), look: () => ({}) },
    clock: { now: () => AT, monotonic: () => 0, after: () => () => {} },
  };
  const state = stateFor(world, cast, seed);
  const coordinator = engine.createCoordinator(engine.createLoop(state), {
    ports,
    limits: { timeout_ms: 1_800_000, max_wait_ms: 0 },
    watch: () => {},
  });
  const before = engine.judge(state.objective.base_case, ({ item }) => verdictOn(cast, new Set(), item.match(TAG)[0]));
  const loop = await coordinator.run({
    type: "run_started",
    at: AT,
    run: "bench",
    from: "pending",
    memory: { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: engine.lessonsAtFirst(state, before), probed: {} },
    settings: {
      verify_each: false,
      confirmed: true,
      ...(ports.planner === null ? {} : { planner: true }),
    },
  });
  const { attempts, cost } = scene;
  return {
    reached: loop.run.halted === "verified",
    outcome: loop.run.halted,
    attempts,
    cost,
    hardest: Math.max(...scene.byAtom.values()),
  };
}

/** The goal as alignment left it; the words that a world needs from there are in it. */
export function objectiveFor(world, cast) {
  const field = (name) => {
    const at = world.pieces.findIndex((piece) => piece.kind === "brief" && piece.field === name);
    return at < 0 ? undefined : `Mind ${cast.word(`#p${at}`)}.`;
  };
  const [clarified, excluded, prompt] = ["clarifications", "scope", "original_prompt"].map(field);
  return {
    goal: "The pieces hold",
    base_case: { checklist: cast.top.map((tag) => ({ item: `piece ${tag} holds`, check: checkOf(cast, tag) })) },
    background_intent: field("background_intent") ?? "Not stated.",
    deliverables: field("deliverables") ?? "Not stated.",
    definition_of_done: "Every check passes",
    constraints: { max_iterations: ITERATIONS, max_parallel_agents: 2, max_stall_count: 3 },
    ...(prompt === undefined ? {} : { original_prompt: prompt }),
    ...(clarified === undefined ? {} : { clarifications: [{ question: "How?", resolution: clarified }] }),
    ...(excluded === undefined ? {} : { scope: { out_of_scope: [excluded] } }),
  };
}

function checkOf(cast, tag) {
  const { says } = cast.pieces.get(tag);
  if (says === "reason") return { type: "assertion", value: `${tag} is sound` };
  if (says === "scores") return { type: "quality", criteria: "Design", pass_threshold: 3 };
  return { type: "command", value: `check ${tag}` };
}

/** Half of the seeds work one piece after the other. */
function stateFor(world, cast, seed) {
  const objective = objectiveFor(world, cast);
  const slots = 1 + (seed % 3);
  const atoms = [];
  const or_groups = [];
  const add = (tag, more = {}) => {
    const id = `A${atoms.length + 1}`;
    atoms.push({ id, description: `Do ${tag}`, status: "pending", depends_on: [], ...more });
    return id;
  };
  for (const tag of cast.top) {
    const piece = cast.pieces.get(tag);
    if (piece.kind !== "ways") {
      add(tag);
      continue;
    }
    const name = `ways_${or_groups.length}`;
    const choices = partsOf(piece, tag).map((part) => add(part, { or_group: name }));
    or_groups.push({ name, choices, selected: choices[0], failed: [] });
  }
  const constraints = { ...objective.constraints, max_parallel_agents: slots };
  const control = { status: "pending", iteration: 0, stall_count: 0, prev_pending_count: -1 };
  return {
    objective: { ...objective, constraints },
    control: { ...control, stop_requested: false, stop_reason: null, redirect_requested: false },
    atoms,
    decompositions: [],
    or_groups,
    trail: [],
    corrections: [],
  };
}

/** What is integrated, as the set of facts. */
const facts = ({ site, folders }) => new Set(site.branch.flatMap(({ attempt }) => folders.get(attempt).writes));

async function atOnce(_call, value) {
  return value();
}

function fateOf(scene) {
  const { engine, cast, folders } = scene;
  return {
    agent: (request, _aborted, name) => {
      const usage = { cost_usd: COST[name] };
      scene.cost += usage.cost_usd;
      const value = name === "planner" ? planned(scene, request) : worked(scene, request, name === "strong");
      return { kind: "answer", value, usage };
    },
    folder: ({ id }) => {
      folders.set(id, { tree: facts(scene), writes: [] });
      return id;
    },
    integration: (attempt) => engine.integrationOf("integrated", attempt, folders.get(attempt.id).writes),
    verification: (baseCase) => {
      const tree = facts(scene);
      return { verdict: engine.judge(baseCase, ({ item }) => verdictOn(cast, tree, item.match(TAG)[0])) };
    },
    isTampered: () => false,
    lost: () => [],
    kept: ({ id }) => {
      if (folders.get(id)?.writes.length > 0) scene.kept.set(id, { name: `kept/${id}` });
      return scene.kept.get(id)?.name ?? null;
    },
  };
}

function worked(scene, { call, atom, prompt, cwd }, strong) {
  scene.attempts++;
  const [tag] = atom.description.match(TAG);
  const number = 1 + (scene.tries.get(tag) ?? 0);
  scene.tries.set(tag, number);
  scene.byAtom.set(atom.id, 1 + (scene.byAtom.get(atom.id) ?? 0));
  const folder = scene.folders.get(cwd);
  const came = workOn(scene.cast, tag, { prompt, tree: folder.tree, attempt: call, number, strong });
  if (came.split !== undefined)
    return { split: came.split.map((part) => atomFor(part, came.or)), reason: "in parts it can be done" };
  folder.writes = came.writes;
  return { success: came.success, summary: came.summary, artifacts: [] };
}

function atomFor(part, or, more = "") {
  return { description: `Do ${part}${more}`, ...(or ? { or_group: "ways" } : {}) };
}

/** A planner hands on every word that it was given, and does what the evidence says is needed. */
function planned({ cast }, { prompt, schema }) {
  const words = [...new Set(prompt.match(WORD) ?? [])];
  const more = words.length === 0 ? "" : `, minding ${words.join(" and ")}`;
  if (schema.properties.advice !== undefined) return advised(prompt, more);
  const tags = [...new Set(sectionOf(prompt, "Failing checks").match(TAG) ?? [])];
  const parts = tags.filter((tag) => !cast.top.includes(tag));
  const whole = tags.filter((tag) => cast.top.includes(tag) && !parts.some((part) => part.startsWith(`${tag}.`)));
  const atoms = [
    ...whole.map((tag) => atomFor(tag, false, more)),
    ...parts.map((part) => atomFor(part, isOr(cast.pieces.get(part.replace(/\.\d+$/, ""))), more)),
  ];
  return { atoms, reason: "because of what the checks say" };
}

function sectionOf(prompt, title) {
  const [, rest = ""] = prompt.split(`## ${title}`);
  return rest.split("\n## ")[0];
}

/** It goes by what the failures say: what they name, and whether they leave any hope. */
function advised(prompt, more) {
  const [tag] = prompt.split("## Atom ")[1]?.match(TAG) ?? [];
  const failures = sectionOf(prompt, "Its failures");
  const named = [...new Set(failures.match(TAG) ?? [])].filter((part) => part !== tag);
  const reason = "because of what failed";
  if (tag === undefined || failures.includes("cannot be done")) return { advice: "hopeless", reason };
  if (named.length === 0) return { advice: "reword", description: `Do ${tag}${more}`, reason };
  const atoms = named.map((part) => atomFor(part, false, more));
  return { advice: failures.includes("another way") ? "alternative" : "split", atoms, reason };
}
