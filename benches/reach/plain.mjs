/**
 * What the loop is held against.
 *
 * PLAIN-1 the plain loop runs one agent again, in one folder, until its checks pass or its calls are spent. Each time it is
 *    given all that the person said, the checks, and the end of what they printed last, before its first call too; it forgets everything else;
 * PLAIN-2 the oracle knows the world, every word included: it makes each attempt that is needed, and none for what is hopeless.
 *    It has the loop's luck, and the fuel that a hopeless atom may spend: MOST_ATTEMPTS of an atom.
 */
import { castOf, isDone, isOr, partsOf, verdictOn, workOn } from "./script.mjs";
import { COST, objectiveFor } from "./loop-world.mjs";

/** Calls that the plain loop may make: what the loop may make of iterations, and once more. */
const CALLS = 40;
const LAST_CHARACTERS = 1_500;
/** Of one atom: the aim for what is hopeless, so that nobody who cannot tell the two apart makes more. */
export const MOST_ATTEMPTS = 4;
/** How often it goes the way that looks best first. */
const FIRST_WAY = 0.7;

/** @param engine `briefText` */
export function workPlain({ briefText }, world, seed) {
  const cast = castOf(world, seed);
  const tree = new Set();
  const known = briefText(objectiveFor(world, cast));
  let said = saidBy(cast, tree);
  let cost = 0;
  let calls = 0;
  while (calls < CALLS && !cast.top.every((tag) => isDone(cast, tree, tag))) {
    calls++;
    cost += sitting(cast, tree, { prompt: `${known}\n${said}`, call: calls });
    said = saidBy(cast, tree);
  }
  return { reached: cast.top.every((tag) => isDone(cast, tree, tag)), attempts: calls, cost };
}

/** The end of what the checks printed. */
function saidBy(cast, tree) {
  const open = cast.top.map((tag) => verdictOn(cast, tree, tag)).filter(({ passed }) => !passed);
  const lines = open.map(({ evidence }) => evidence.output ?? "it does not hold");
  return lines.map((line) => line.slice(-LAST_CHARACTERS)).join("\n");
}

/** One call: piece by piece, until one does not come out. @returns what it cost */
function sitting(cast, tree, { prompt, call }) {
  let tried = 0;
  for (const tag of cast.top) {
    if (isDone(cast, tree, tag)) continue;
    tried++;
    const way = wayIn(cast, tree, tag, `${tag} call ${call}`);
    const came = workOn(cast, way, {
      prompt: `${prompt}\n${keptBy(tree, way)}`,
      tree,
      attempt: `call ${call}`,
      number: call,
      strong: false,
    });
    for (const fact of came.writes ?? []) tree.add(fact);
    // What is too large for one sitting is done part by part, one in each.
    if (came.split !== undefined) break;
    if (!isDone(cast, tree, tag)) break;
  }
  return Math.max(1, tried) * COST.worker;
}

/** Half done work is there in its folder. */
function keptBy(tree, tag) {
  return tree.has(`${tag}:half`) ? "kept/folder" : "";
}

/** The part that it takes up; of several ways mostly the first, since it does not know that it failed. */
function wayIn(cast, tree, tag, name) {
  const piece = cast.pieces.get(tag);
  const parts = partsOf(piece, tag).filter((part) => !isDone(cast, tree, part));
  if (parts.length === 0 || piece.kind === "stuck") return tag;
  if (!isOr(piece)) return parts[0];
  const isFirst = cast.luck(`way ${name}`) < FIRST_WAY;
  return isFirst ? parts[0] : (parts[1 + Math.floor(cast.luck(`other ${name}`) * (parts.length - 1))] ?? parts[0]);
}

/** PLAIN-2. @returns `finding`: attempts that who does not know the world needs beside, at the least */
export function workOracle(world, seed) {
  if (world.hopeless === true) return { reached: false, attempts: 0, cost: 0, finding: 0 };
  const cast = castOf(world, seed);
  const needs = cast.top.map((tag, at) => needsOf(cast, tag, `A${at + 1}`));
  const { attempts, cost, finding } = needs.reduce(together);
  return { reached: attempts < Infinity, attempts, cost, finding };
}

const together = (one, other) => ({
  attempts: one.attempts + other.attempts,
  cost: one.cost + other.cost,
  finding: one.finding + other.finding,
});

/** @param atom the loop's atom for this piece */
function needsOf(cast, tag, atom) {
  const piece = cast.pieces.get(tag);
  const own = ownNeeds(cast, tag, atom);
  const parts = partsOf(piece, tag).map((part) => needsOf(cast, part, part));
  if (parts.length === 0) return own;
  const all = isOr(piece) ? cheapest(parts) : parts.reduce(together);
  return { ...all, finding: all.finding + own.finding };
}

/** The ways before it have to fail first. */
function cheapest(ways) {
  const cost = Math.min(...ways.map((way) => way.cost));
  const at = ways.findIndex((way) => way.cost === cost);
  return { ...ways[at], finding: ways[at].finding + at };
}

function ownNeeds({ pieces, luck, top }, tag, atom) {
  const { kind, says, steps = 1, after = 0, rate } = pieces.get(tag);
  const needs = (attempts, finding, each = COST.worker) => ({ attempts, finding, cost: attempts * each });
  switch (kind) {
    case "never":
      return needs(Infinity, 0);
    case "hard":
      return needs(1, 1, COST.strong);
    case "evidence":
      // What a command says before the work is known where it is about one piece only; a judge is not asked then.
      return needs(steps, top.length === 1 && says !== "reason" && says !== "scores" ? 0 : 1);
    case "lesson":
    case "stuck":
    case "hidden":
      return needs(1, 1);
    case "splits":
      return needs(1, 1 + after);
    case "luck": {
      const tries = Array.from({ length: MOST_ATTEMPTS }, (_, at) => luck(`${tag} ${atom}.${at + 1}`));
      const first = tries.findIndex((drawn) => drawn < rate);
      return needs(first < 0 ? Infinity : first + 1, 0);
    }
    default:
      return needs(1, 0);
  }
}
