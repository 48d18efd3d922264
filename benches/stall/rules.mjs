/**
 * What counts as a stall: the product's rule, the seeds' plain counter, and others that were tried.
 *
 * A rule is a fold over the facts of a run: `start`, `take(known, fact, unresolved)` and `count(known)`, which is
 * compared with `max_stall_count`. `unresolved()` is the number of atoms that are not resolved, of any kind.
 */

/** A rule of the form "compare a number with what it was"; -1: nothing to compare yet. */
function counter(measureOf, countAfter) {
  return {
    start: { before: -1, count: 0 },
    take(known, fact, unresolved) {
      if (fact.fact !== "iteration_judged") return known;
      const now = measureOf(fact, unresolved);
      return { before: now, count: known.before < 0 ? known.count : countAfter(known.count, now, known.before) };
    },
    count: (known) => known.count,
  };
}

/** Equal adds 1, smaller clears; the seeds call larger a fault but give it no counter. */
function plainly(count, now, before) {
  return now < before ? 0 : now === before ? count + 1 : count;
}

/**
 * The number that a measure is compared with only falls: progress is a measure below the lowest one ever judged, so
 * that work which comes and goes clears nothing. New work that is credited moves the lowest up by what it adds.
 * @param splits credited are splits of atoms that came of fewer splits than this
 * @param replans credited is the work that this many failed base cases led to
 * @param lenient a measure that falls back towards the lowest adds nothing
 * @param free a judgement in which something was credited and nothing else grew adds nothing
 */
function lowWater({ splits = 0, replans = 0, lenient = false, free = false }) {
  return {
    start: { before: -1, count: 0, lowest: Infinity, credit: 0, replans: 0, generation: new Map() },
    take(known, fact) {
      if (fact.fact === "atom_decomposed") return afterSplit(known, fact, splits);
      if (fact.fact === "atoms_added")
        return credited({ ...known, replans: known.replans + 1 }, known.replans < replans ? fact.atoms.length : 0);
      if (fact.fact !== "iteration_judged") return known;
      const { before, credit } = known;
      const now = fact.measure;
      const next = { ...known, before: now, credit: 0, lowest: Math.min(known.lowest, now) };
      if (before < 0) return next;
      if (now < known.lowest) return { ...next, count: 0 };
      const excused = (lenient && now < before) || (free && credit > 0 && now <= before + credit);
      return excused ? next : { ...next, count: known.count + 1 };
    },
    count: (known) => known.count,
  };
}

function credited(known, added) {
  return { ...known, credit: known.credit + added, lowest: known.lowest + added };
}

function afterSplit(known, { atom, children }, splits) {
  const born = known.generation.get(atom) ?? 0;
  const generation = new Map([...known.generation, ...children.map((child) => [child, born + 1])]);
  return credited({ ...known, generation }, born < splits ? children.length - 1 : 0);
}

/** Each measure against the one before, but that an iteration whose own attempts resolved something is no stall. */
const OWN_WORK = {
  start: { before: -1, count: 0, opened: new Map(), useful: new Set() },
  take(known, fact) {
    switch (fact.fact) {
      case "attempt_started":
        return { ...known, opened: new Map([...known.opened, [fact.atom, fact.iteration]]) };
      case "atom_resolved":
        return { ...known, useful: new Set([...known.useful, known.opened.get(fact.atom)]) };
      case "iteration_judged": {
        const count = fallen(known.count, fact.measure, known.before);
        const excused = known.before < 0 || (fact.measure === known.before && known.useful.has(fact.iteration));
        return { ...known, before: fact.measure, count: excused ? known.count : count };
      }
      default:
        return known;
    }
  },
  count: (known) => known.count,
};

function fallen(count, now, before) {
  return now < before ? 0 : count + 1;
}

/** The product's rule of earlier versions: M against what was judged before the iteration opened. */
const AGAINST_THE_LAST = {
  start: { last: -1, opened: new Map(), count: 0 },
  take(known, fact) {
    if (fact.fact === "iteration_opened")
      return { ...known, opened: new Map([...known.opened, [fact.iteration, known.last]]) };
    if (fact.fact !== "iteration_judged") return known;
    const before = known.opened.get(fact.iteration);
    return {
      ...known,
      last: fact.measure,
      count: before < 0 ? known.count : fallen(known.count, fact.measure, before),
    };
  },
  count: (known) => known.count,
};

/**
 * The product's rule as a fold: to be held against the product itself. Of the failing leaves it says nothing: the one
 * leaf of a scenario fails or passes.
 */
export const SPECIFIED = {
  start: {
    last: -1,
    low: -1,
    opened: new Map(),
    replans: 0,
    generation: new Map(),
    attempts: new Map(),
    containers: new Set(),
    over: new Set(),
    hardest: 1,
    count: 0,
  },
  take(known, fact) {
    switch (fact.fact) {
      case "iteration_opened": {
        const open = { before: known.last, low: known.low, credited: false, atoms: [] };
        return { ...known, opened: new Map([...known.opened, [fact.iteration, open]]) };
      }
      case "attempt_started": {
        const attempts = new Map([...known.attempts, [fact.atom, (known.attempts.get(fact.atom) ?? 0) + 1]]);
        const open = known.opened.get(fact.iteration);
        const opened = new Map([...known.opened, [fact.iteration, { ...open, atoms: [...open.atoms, fact.atom] }]]);
        return { ...known, attempts, opened };
      }
      case "atom_resolved": {
        const needed = known.containers.has(fact.atom) ? 0 : known.attempts.get(fact.atom);
        const over = new Set([...known.over, fact.atom]);
        return { ...known, over, hardest: Math.max(known.hardest, needed) };
      }
      case "choice_given_up":
        return { ...known, over: new Set([...known.over, fact.choice]) };
      case "atom_decomposed":
        return splitInto(known, fact);
      case "atoms_added": {
        const next = { ...known, replans: known.replans + 1 };
        return known.replans === 0 ? movedAlong(next, fact.atoms.length) : next;
      }
      case "iteration_judged": {
        const { measure } = fact;
        const low = known.low < 0 ? measure : Math.min(known.low, measure);
        return { ...known, last: measure, low, count: judged(known, known.opened.get(fact.iteration), measure) };
      }
      default:
        return known;
    }
  },
  count: (known) => known.count,
};

/** Credited: of fewer than two splits; a deeper one where every deeper one before is done. */
function splitInto(known, { atom, children }) {
  const born = (id) => known.generation.get(id) ?? 0;
  const isOpen = [...known.containers].some((id) => born(id) >= 2 && !known.over.has(id));
  const next = {
    ...known,
    containers: new Set([...known.containers, atom]),
    generation: new Map([...known.generation, ...children.map((child) => [child, born(atom) + 1])]),
  };
  return born(atom) < 2 || !isOpen ? movedAlong(next, children.length - 1) : next;
}

function movedAlong(known, by) {
  const along = (number) => (number < 0 ? number : number + by);
  const opened = new Map(
    [...known.opened].map(([number, open]) => [
      number,
      { ...open, before: along(open.before), low: along(open.low), credited: true },
    ]),
  );
  return { ...known, last: along(known.last), low: along(known.low), opened };
}

function judged({ count, attempts, containers, over, hardest }, { before, low, credited, atoms }, measure) {
  if (before < 0) return count;
  if (measure < low) return 0;
  if (measure < before || (credited && measure === before)) return count;
  const failed = atoms.filter((atom) => !over.has(atom));
  const patience = hardest > 1 ? 2 * hardest : 1;
  const isExpected = failed.every((atom) => !containers.has(atom) && attempts.get(atom) <= patience);
  return measure === before && failed.length > 0 && isExpected ? count : count + 1;
}

/** The seeds' plain counter. */
export const PLAIN = counter((_, unresolved) => unresolved(), plainly);

const CREDIT = { splits: 2, replans: 1 };

export const REFINEMENTS = {
  "against the last measure": AGAINST_THE_LAST,
  "expansion adds nothing": counter((fact) => fact.measure, plainly),
  "own work is no stall": OWN_WORK,
  "low water": lowWater({}),
  "low water, credit": lowWater(CREDIT),
  "low water, free credit": lowWater({ ...CREDIT, free: true }),
  "low water, credit, lenient": lowWater({ ...CREDIT, lenient: true }),
  "low water, free credit, lenient": lowWater({ ...CREDIT, free: true, lenient: true }),
};
