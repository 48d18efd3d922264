/**
 * Several votes as one result (SPEC section 6).
 *
 * PANEL-1 a vote that is void counts for nothing. One whose quotes are not in the files is cast anew,
 *    independently, as often as votes were wanted; with fewer valid votes than a majority of those wanted nothing is
 *    decided;
 * PANEL-2 each criterion gets the median of its scores, of an even number the lower of the two in the middle, so that the
 *    score is one that a vote gave; an assertion holds when more than half of the valid votes say so;
 * PANEL-3 the spread and the void votes stay visible in the evidence.
 */
import type { AssertionAnswer, QualityAnswer } from "../../core/answer.ts";
import {
  rubricOf,
  scoreRubric,
  type Leaf,
  type LeafResult,
  type Panel,
  type Score,
  type Vote,
} from "../../core/verdict.ts";
import type { Check } from "../../core/state.ts";

export type Answer = AssertionAnswer | QualityAnswer;

/** One vote: what it was shown in which order, and its answer or why it is void. */
export type Ballot = { readonly order: readonly string[] } & (
  | { readonly answer: Answer }
  /** `misquoted`: it was a verdict, but for its quotes. */
  | { readonly void: string; readonly misquoted?: true }
);

/** PANEL-1. Of `wanted` votes so many have to be valid. */
function quorum(wanted: number): number {
  return Math.floor(wanted / 2) + 1;
}

/** PANEL-1. Whether another vote is to be cast: there is space for one, and enough can still be valid. */
export function isOpen(wanted: number, ballots: readonly Ballot[]): boolean {
  const valid = ballots.filter((ballot) => "answer" in ballot).length;
  const misquoted = ballots.filter((ballot) => "misquoted" in ballot).length;
  const failed = ballots.length - valid - misquoted;
  const mostValid = wanted - failed - Math.max(0, misquoted - wanted);
  return ballots.length < wanted + Math.min(wanted, misquoted) && mostValid >= quorum(wanted);
}

export function tally(leaf: Leaf, seed: number, wanted: number, ballots: readonly Ballot[]): LeafResult {
  const panel: Panel = { seed, wanted, votes: ballots.map(recorded) };
  const valid = ballots.flatMap((ballot) => ("answer" in ballot ? [ballot.answer] : []));
  const result = valid.length < quorum(wanted) ? tooFew(valid.length, wanted, ballots) : resultOf(leaf, valid, wanted);
  const { evidence } = result;
  const hasPanel = evidence.kind === "scores" || evidence.kind === "judgement" || evidence.kind === "error";
  return hasPanel ? { ...result, evidence: { ...evidence, panel } } : result;
}

function resultOf({ check }: Leaf, valid: readonly Answer[], wanted: number): LeafResult {
  if (check.type === "quality")
    return qualityResult(check, {
      scores: medians(
        valid.flatMap((answer) => ("scores" in answer ? [answer] : [])),
        wanted,
      ),
    });
  const said = valid.flatMap((answer) => ("passed" in answer ? [answer] : []));
  const passed = said.filter((answer) => answer.passed).length * 2 > said.length;
  const speaker = said.find((answer) => answer.passed === passed);
  return assertionResult({ evidence: "", ...speaker, passed });
}

/** PANEL-2. The reason is that of the first vote which gave the median. */
function medians(valid: readonly QualityAnswer[], wanted: number): readonly Score[] {
  const [first] = valid;
  return (first?.scores ?? []).map(({ criterion }) => {
    const given = valid.flatMap(({ scores }) => scores.filter((score) => score.criterion === criterion));
    const rising = given.map(({ score }) => score).toSorted((a, b) => a - b);
    const median = rising[Math.floor((rising.length - 1) / 2)] ?? Number.NaN;
    const speaker = given.find(({ score }) => score === median);
    const votes = wanted > 1 ? { votes: given.map(({ score }) => score) } : {};
    return { reason: "", ...speaker, criterion, score: median, ...votes };
  });
}

function tooFew(valid: number, wanted: number, ballots: readonly Ballot[]): LeafResult {
  const reasons = ballots.flatMap((ballot, i) => ("void" in ballot ? [`vote ${i + 1} is void: ${ballot.void}`] : []));
  const message =
    wanted === 1 && ballots.length === 1
      ? `the judge's answer does not count: ${reasons.join("").replace("vote 1 is void: ", "")}`
      : `${valid} of ${ballots.length} votes ${valid === 1 ? "counts" : "count"}, ${quorum(wanted)} ${quorum(wanted) === 1 ? "has" : "have"} to: ${reasons.join("; ")}`;
  return { passed: null, evidence: { kind: "error", message } };
}

function recorded(ballot: Ballot): Vote {
  const { order } = ballot;
  if ("void" in ballot) return { order, void: ballot.void };
  const { answer } = ballot;
  if ("passed" in answer) return { order, passed: answer.passed };
  return { order, scores: Object.fromEntries(answer.scores.map(({ criterion, score }) => [criterion, score])) };
}

// In which order each vote sees things, so that no position is always the same one's (SPEC section 6).
//
// PANEL-4 the order follows from the seed and the vote's number: a replay asks the same;
// PANEL-5 as long as there are no more votes than entries, no entry is twice in the same place.

export function seedOf(leaf: Leaf): number {
  let hash = 0x811c9dc5;
  for (const char of JSON.stringify([leaf.item, leaf.check]))
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** @param vote from 0 */
export function orderFor<T>(entries: readonly T[], seed: number, vote: number): readonly T[] {
  const base = shuffled(entries, seed);
  if (base.length === 0) return base;
  const turn = Math.floor(vote / base.length);
  const ring = turn % 2 === 0 ? base : base.toReversed();
  const start = vote % base.length;
  return [...ring.slice(start), ...ring.slice(0, start)];
}

function shuffled<T>(entries: readonly T[], seed: number): readonly T[] {
  const next = chance(seed);
  return entries
    .map((entry) => ({ entry, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}

/** A small generator of numbers from 0 to 1 (xorshift); good enough for an order. */
function chance(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A true assertion is one model's word: a person has to confirm it (SPEC section 6). */
export function assertionResult(answer: AssertionAnswer): LeafResult {
  const { passed, evidence, quotes = [] } = answer;
  return {
    passed,
    evidence: { kind: "judgement", reason: evidence, ...(quotes.length === 0 ? {} : { quotes }) },
    ...(passed ? { requires_user_confirmation: true } : {}),
  };
}

export function qualityResult(check: Extract<Check, { type: "quality" }>, answer: QualityAnswer): LeafResult {
  return scoreRubric(rubricOf(check), answer.scores, check.pass_threshold);
}
