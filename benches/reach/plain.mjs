/**
 * What the loop is held against.
 *
 * PLAIN-1 the plain loop runs one agent again, in one folder, until its checks pass or its calls are spent. Each time it is
 *    given all that the person said, the checks, and the end of what they printed last; it forgets everything else;
 * PLAIN-2 the oracle knows the world: it makes each attempt that is needed, and none for what is hopeless.
 */
import { castOf, isDone, isOr, partsOf, verdictOn, workOn } from "./script.mjs";
import { COST, objectiveFor } from "./loop-world.mjs";

/** Calls that the plain loop may make: what the loop may make of iterations, and once more. */
const CALLS = 40;
const LAST_CHARACTERS = 1_500;
/** How often it goes the way that looks best first. */
const FIRST_WAY = 0.7;

/** @param engine `briefText` */
export function workPlain({ briefText }, world, seed) {
  const cast = castOf(world, seed);
  const tree = new Set();
  const known = briefText(objectiveFor(world, cast));
  let said = "";
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

/** PLAIN-2. */
export function workOracle(world, seed) {
  if (world.hopeless === true) return { reached: false, attempts: 0, cost: 0 };
  const cast = castOf(world, seed);
  const needs = cast.top.map((tag) => needsOf(cast, tag));
  return {
    reached: true,
    attempts: needs.reduce((sum, { attempts }) => sum + attempts, 0),
    cost: needs.reduce((sum, { cost }) => sum + cost, 0),
  };
}

function needsOf(cast, tag) {
  const piece = cast.pieces.get(tag);
  const parts = partsOf(piece, tag).map((part) => needsOf(cast, part));
  const possible = parts.filter(({ attempts }) => attempts < Infinity);
  if (parts.length > 0 && isOr(piece)) return possible.toSorted((one, other) => one.cost - other.cost)[0];
  if (parts.length > 0)
    return parts.reduce((sum, part) => ({ attempts: sum.attempts + part.attempts, cost: sum.cost + part.cost }));
  switch (piece.kind) {
    case "never":
      return { attempts: Infinity, cost: Infinity };
    case "hard":
      return { attempts: 1, cost: COST.strong };
    case "evidence":
      return { attempts: piece.steps, cost: piece.steps * COST.worker };
    case "luck":
      // On the average: its luck is not the loop's.
      return { attempts: 1 / piece.rate, cost: COST.worker / piece.rate };
    default:
      return { attempts: 1, cost: COST.worker };
  }
}
