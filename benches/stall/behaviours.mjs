/**
 * Scripted agents of known behaviour. Each scenario is labelled by construction:
 *
 * BEHAVIOURS-1 it is hopeless if and only if something in it can never be done: an atom that needs Infinity attempts,
 *    one that splits without end, a base case that fails for ever, or a world in which nothing succeeds after so many
 *    successes;
 * BEHAVIOURS-2 in all others every atom needs a bounded number of attempts, every split ends, and every check passes at
 *    last.
 */
import { freshLoop } from "../fresh-loop.mjs";
import { chance } from "../statistics.mjs";

const AT_ONCE = { needs: 1 };
const NEVER = { needs: Infinity, doomed: true };
const SOUND = { failures: 0, flaky: 0, patience: 0, repairs: [1, 1], repair: () => AT_ONCE };
const MOST_ATTEMPTS = 12;

/** Attempts until the first success at this rate, MOST_ATTEMPTS at most. */
function attemptsAt(rate, random) {
  for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt++) if (random() < rate) return attempt;
  return MOST_ATTEMPTS;
}

function whole(random, least, most) {
  return least + Math.floor(random() * (most - least + 1));
}

const steady = (random) => ({ needs: random() < 0.05 ? 2 : 1 });

/** Three atoms in five succeed at a rate of 0.2 to 0.4, the others at once. */
function slow(random) {
  return random() < 0.6 ? { needs: attemptsAt(0.2 + 0.2 * random(), random) } : AT_ONCE;
}

/** Splits into 2 to 4, of which some split once more. */
function large(depth) {
  return {
    needs: 1,
    inTurn: depth % 2 === 0,
    split: (random) =>
      Array.from({ length: whole(random, 2, 4) }, () => (depth > 1 && random() < 0.4 ? large(depth - 1) : AT_ONCE)),
  };
}

/** Every part splits again: the work grows. */
const EXPLODING = {
  needs: Infinity,
  doomed: true,
  split: (random) => Array.from({ length: whole(random, 2, 3) }, () => EXPLODING),
};

/** Parts that are done, and one that splits again: the work neither grows nor ends. */
const CHURNING = {
  needs: Infinity,
  doomed: true,
  split: (random) => [CHURNING, ...Array.from({ length: whole(random, 1, 2) }, () => ({ needs: 1, doomed: true }))],
};

const GROWING = { ...SOUND, failures: Infinity, repairs: [1, 3], repair: () => ({ needs: 1, doomed: true }) };

/** Some of the atoms, at least one. */
function some(tasks, share, random, make) {
  const certain = whole(random, 0, tasks.length - 1);
  return tasks.map((task, index) => (index === certain || random() < share ? make() : task));
}

function one(tasks, random, task) {
  const index = whole(random, 0, tasks.length - 1);
  return tasks.with(index, task);
}

const many = (size, make, random) => Array.from({ length: size }, () => make(random));

/** What each behaviour makes of (size, random): tasks of the plain atoms, and what differs from a sound world. */
const RECIPES = {
  steady: (size, random) => ({ tasks: many(size, steady, random) }),
  slow: (size, random) => ({ tasks: many(size, slow, random) }),
  decomposing: (size, random) => ({
    tasks: some(many(size, steady, random), 0.4, random, () => large(whole(random, 1, 3))),
  }),
  alternatives: (size, random) => ({ tasks: many(size, steady, random), groups: whole(random, 1, 2) }),
  reworking: (size, random) => ({
    tasks: many(size, steady, random),
    base: { ...SOUND, failures: whole(random, 1, 3), repairs: [1, 3], repair: steady },
  }),
  "flaky tests": (size, random) => ({
    tasks: many(size, steady, random),
    base: { ...SOUND, flaky: 0.3 + 0.3 * random(), patience: 6 },
  }),
  "mixed, ends": (size, random) => ({
    tasks: some(many(size, slow, random), 0.2, random, () => large(1)),
    groups: whole(random, 0, 1),
    base: {
      ...SOUND,
      flaky: 0.3 * random(),
      patience: 4,
      failures: whole(random, 0, 1),
      repairs: [1, 2],
      repair: slow,
    },
  }),
  stuck: (size, random) => ({ tasks: many(size, steady, random), successes: whole(random, 0, size - 1) }),
  "stuck atom": (size, random) => ({ tasks: one(many(size, steady, random), random, NEVER) }),
  oscillating: (size, random) => ({
    tasks: many(size, steady, random),
    base: { ...GROWING, repairs: [1, whole(random, 1, 3)] },
  }),
  exploding: (size, random) => ({ tasks: one(many(size, steady, random), random, EXPLODING) }),
  churning: (size, random) => ({ tasks: one(many(size, steady, random), random, CHURNING) }),
  "mixed, hopeless": (size, random) => mixedHopeless(size, random),
};

/** Fair at first, hopeless from a change point on. */
function mixedHopeless(size, random) {
  const recipes = [
    () => ({ tasks: many(size, slow, random), successes: whole(random, 0, size - 1), delay: 4 * size }),
    () => ({ tasks: some(many(size, steady, random), 0.3, random, () => large(whole(random, 1, 2))), base: GROWING }),
    () => ({ tasks: one(many(size, slow, random), random, CHURNING), delay: 4 * size }),
    () => ({ tasks: many(size, steady, random), groups: 1, base: GROWING }),
  ];
  return recipes[whole(random, 0, recipes.length - 1)]();
}

/** Behaviours that no rule was ever chosen by: they are counted apart. */
const APART_RECIPES = {
  "deeper parts": (size, random) => ({
    tasks: some(many(size, steady, random), 0.2, random, () => large(whole(random, 4, 5))),
  }),
  "one hard atom": (size, random) => ({
    tasks: one(many(size, steady, random), random, { needs: whole(random, 3, 8) }),
  }),
  "all a little hard": (size, random) => ({ tasks: many(size, () => ({ needs: whole(random, 2, 3) }), random) }),
  "slow, then never": (size, random) => ({
    tasks: one(many(size, slow, random), random, NEVER),
    delay: 4 * size,
  }),
  "parts, then churning": (size, random) => ({
    tasks: one(
      some(many(size, steady, random), 0.3, random, () => large(3)),
      random,
      CHURNING,
    ),
    delay: 4 * size,
  }),
  "two churning": (size, random) => ({
    tasks: [CHURNING, ...one(many(size, steady, random), random, CHURNING)],
  }),
};

export const BEHAVIOURS = Object.keys(RECIPES);
export const APART = Object.keys(APART_RECIPES);
const HOPELESS = new Set(["stuck", "stuck atom", "oscillating", "exploding", "churning", "mixed, hopeless"]);
for (const name of APART.slice(3)) HOPELESS.add(name);

/** Slots 1 to 4 in turn, and for each of them a limit of 1 to 5 stalls. */
export const COMBINATIONS = 20;

/**
 * One scenario: a loop that has not started, and the script of each atom.
 * @param number of the scenario within its behaviour; it decides slots, limit, seed and with them everything
 */
export function scenarioOf(behaviour, number) {
  const seed = [...BEHAVIOURS, ...APART].indexOf(behaviour) * 100_003 + number * 7_919 + 1;
  const random = chance(seed);
  const recipe = {
    base: SOUND,
    successes: Infinity,
    groups: 0,
    delay: 0,
    ...{ ...RECIPES, ...APART_RECIPES }[behaviour](whole(random, 3, 12), random),
  };
  const atoms = recipe.tasks.map((task, index) => ({ id: `A${index + 1}`, task, depends_on: [] }));
  const groups = Array.from({ length: recipe.groups }, (_, index) => groupOf(atoms, `g${index + 1}`, random));
  connect(atoms, random);
  return {
    name: `${behaviour} ${number}`,
    seed,
    behaviour,
    hopeless: HOPELESS.has(behaviour),
    slots: 1 + (number % 4),
    limit: 1 + (Math.floor(number / 4) % 5),
    fuel: whole(random, 20, 40) + recipe.delay,
    spare: 1.25 + random(),
    successes: recipe.successes,
    base: recipe.base,
    tasks: new Map(atoms.map(({ id, task }) => [id, task])),
    state: stateOf(atoms, groups),
  };
}

/** One to three choices that fail, then one that works. */
function groupOf(atoms, name, random) {
  const choices = Array.from({ length: whole(random, 2, 4) }, (_, place) => `${name}c${place + 1}`);
  choices.forEach((id, place) => {
    const task = place < choices.length - 1 ? { needs: Infinity } : AT_ONCE;
    atoms.push({ id, task, depends_on: [], or_group: name });
  });
  return { name, choices, selected: choices[0], failed: [] };
}

/** A chain, independent atoms, layers of three, or a random graph; the choices of a group stand side by side. */
function connect(atoms, random) {
  const shape = whole(random, 0, 3);
  atoms.forEach((atom, index) => {
    const before = atoms
      .slice(0, index)
      .filter((other) => other.or_group === undefined || other.or_group !== atom.or_group);
    const wanted = [
      () => before.slice(-1),
      () => [],
      () => before.slice(0, Math.floor(index / 3) * 3).slice(-2),
      () => before.filter(() => random() < 1.5 / index),
    ][shape]();
    atom.depends_on = wanted.map((other) => other.id);
  });
}

function stateOf(atoms, groups) {
  return freshLoop({
    constraints: { max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3 },
    atoms: atoms.map(({ task: _, ...atom }) => ({ ...atom, description: `do ${atom.id}`, status: "pending" })),
    or_groups: groups,
  });
}
