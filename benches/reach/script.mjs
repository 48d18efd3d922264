/**
 * What whoever works on a piece does, given this prompt. The same script serves the loop's workers and the plain loop's
 * agent: it knows the prompt, the folder and its luck, and nothing else (WORLDS-1).
 */
import { chance } from "../statistics.mjs";

/** A number in [0, 1) that belongs to this name. */
function lot(seed, name) {
  let hash = (seed * 0x9e3779b1) | 0;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return chance(hash)();
}

function luckOf(seed) {
  return (name) => lot(seed, name);
}

export const WORD = /K[0-9a-f]{8}/g;
export const TAG = /#p[0-9.]*[0-9]/g;

/**
 * The pieces of a world with this seed, by tag: `#p0`, parts of it `#p0.0`.
 * @returns behaviours by tag, and the words
 */
export function castOf(world, seed) {
  const luck = luckOf(seed);
  const word = (tag, step = 0) =>
    `K${Math.floor(luck(`word ${tag} ${step}`) * 0xffffffff)
      .toString(16)
      .padStart(8, "0")}`;
  const pieces = new Map();
  const add = (tag, piece) => {
    pieces.set(tag, piece);
    const parts = piece.ways ?? piece.parts ?? [];
    parts.forEach((part, at) => add(`${tag}.${at}`, part));
    if (piece.shared !== true) return;
    const last = `${tag}.${parts.length - 1}`;
    const words = piece.ways === undefined ? [word(tag)] : parts.slice(0, -1).map((_, at) => word(`${tag}.${at}`));
    pieces.set(last, { kind: "needs", words });
  };
  world.pieces.forEach((piece, at) => add(`#p${at}`, piece));
  return { pieces, word, luck, top: world.pieces.map((_, at) => `#p${at}`) };
}

export const partsOf = ({ ways, parts }, tag) => (ways ?? parts ?? []).map((_, at) => `${tag}.${at}`);
export const isOr = (piece) => piece.ways !== undefined || piece.or === true;

/** Whether the folder holds a piece. */
export function isDone(cast, tree, tag) {
  if (tree.has(tag)) return true;
  const piece = cast.pieces.get(tag);
  const parts = partsOf(piece, tag);
  if (parts.length === 0) return false;
  return isOr(piece) ? parts.some((part) => isDone(cast, tree, part)) : parts.every((part) => isDone(cast, tree, part));
}

function stepOf(tree, tag) {
  let step = 0;
  while (tree.has(`${tag}:${step + 1}`)) step++;
  return step;
}

const done = (...facts) => ({ success: true, writes: facts, summary: "did it" });
const claimed = (tag) => ({ success: true, writes: [`${tag}:guess`], summary: "did it, as far as I can see" });
const failed = (reason, ...writes) => ({ success: false, writes, summary: reason });

/**
 * @param ask `prompt`, `tree` (what the folder holds), `attempt` (a name that no other attempt has), `number` of this
 *   agent's attempts on the piece, `strong`
 * @returns success, summary, what it writes, or a split into tags
 */
export function workOn(cast, tag, { prompt, tree, attempt, number, strong }) {
  const piece = cast.pieces.get(tag) ?? { kind: "endless" };
  const word = cast.word(tag);
  switch (piece.kind) {
    case "plain":
      return done(tag);
    case "luck":
      return cast.luck(`${tag} ${attempt}`) < piece.rate ? done(tag) : failed("it did not come out this time");
    case "evidence": {
      // All that it was told of: work whose claim was wrong is taken out.
      const writes = [];
      for (let step = stepOf(tree, tag); step < piece.steps && prompt.includes(cast.word(tag, step)); step++)
        writes.push(`${tag}:${step + 1}`);
      if (writes.length === 0) return claimed(tag);
      return done(...writes, ...(writes.at(-1) === `${tag}:${piece.steps}` ? [tag] : []));
    }
    case "brief":
      return prompt.includes(word) ? done(tag) : claimed(tag);
    case "lesson":
      if (piece.half === true)
        return /kept\/\S+/.test(prompt) ? done(tag) : failed("half of it is done", `${tag}:half`);
      return prompt.includes(word) ? done(tag) : failed(`the port is taken, ${word} is free`);
    case "needs":
      return piece.words.every((needed) => prompt.includes(needed)) ? done(tag) : failed("something is missing");
    case "hard":
      return strong ? done(tag) : failed("too hard");
    case "splits":
      if (number <= (piece.after ?? 0)) return failed(`too much at once; ${word} matters`);
      return { split: partsOf(piece, tag), or: isOr(piece) };
    case "endless":
      return { split: [`${tag}.0`, `${tag}.1`], or: false };
    case "stuck":
      return failed(
        `${piece.advice === "alternative" ? "this way is closed, another way is" : "too large, it takes"} ${partsOf(piece, tag).join(" and ")}`,
      );
    case "hidden":
    case "liar":
      return claimed(tag);
    default:
      return failed(
        `it cannot be done this way${piece.varied === true ? `, seen ${number} times` : ""}; ${word} matters`,
      );
  }
}

const NOISE = Array.from({ length: 120 }, (_, at) => `ok ${at} - an older test`).join("\n");
const report = (line, after) =>
  `${NOISE}\nnot ok 121 - the piece works\n  ${line}\n${after ? NOISE : ""}\n# duration_ms 12`;

/** What the check of a top-level piece says of this folder, with the way it is decided. */
export function verdictOn(cast, tree, tag) {
  const passed = isDone(cast, tree, tag);
  const piece = cast.pieces.get(tag);
  const said = passed ? "it holds" : saysOf(cast, tree, tag, piece);
  switch (piece.says) {
    case "reason":
      return { passed, evidence: { kind: "judgement", reason: said } };
    case "scores": {
      const scores = [{ criterion: "Design", score: passed ? 5 : 2, reason: said }];
      return { passed, evidence: { kind: "scores", scores, average: scores[0].score, threshold: 3 } };
    }
    default: {
      const output = passed ? "ok" : report(said, piece.says === "middle");
      const ended = { exit_code: passed ? 0 : 1, timed_out: false, duration_ms: 12, output, dropped_bytes: 0 };
      return { passed, evidence: { kind: "command", command: `check ${tag}`, ...ended } };
    }
  }
}

function saysOf(cast, tree, tag, piece) {
  if (piece.kind === "evidence") return `expected ${cast.word(tag, stepOf(tree, tag))}`;
  if (piece.kind === "hidden") return `it takes ${partsOf(piece, tag).join(isOr(piece) ? " or " : " and ")}`;
  return "it does not hold";
}
