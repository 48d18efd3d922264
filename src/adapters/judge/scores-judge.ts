import { readAssertionAnswer, readRatings } from "../../loop/answers.ts";
import { accepted, type Problem, type Result } from "../../core/problem.ts";
import type { Reading } from "../../core/reading.ts";
import { isMechanical, rubricOf, type Leaf, type LeafResult } from "../../core/verdict.ts";
import type { Judge } from "../../loop/ports.ts";
import { resultOf } from "./agent-judge.ts";

const SHAPE =
  '{"<item>": {"<criterion>": {"score": 1-5, "reason": "..."}}} for a quality check, {"<item>": {"passed": true, "evidence": "..."}} for an assertion';

/**
 * A judge whose words are in a file (SPEC section 10, `aot verify --scores FILE`), by the name of the item.
 * An item that the file does not name stays undecided.
 * @param text the file's content: see SHAPE
 * @param leaves the base case's; every problem of the file is reported at once
 */
export function createScoresJudge(text: string, leaves: readonly Leaf[]): Result<Judge> {
  const given = parse(text);
  if (typeof given === "string") return { ok: false, problems: [{ code: "wrong_type", message: given, hint: SHAPE }] };
  const judged = leaves.filter((leaf) => !isMechanical(leaf.check));
  const problems: Problem[] = Object.keys(given).flatMap((item) => unknownItem(item, judged));
  const results = new Map<string, LeafResult>();
  for (const leaf of judged) {
    if (!Object.hasOwn(given, leaf.item)) continue;
    const result = readResult(leaf, given[leaf.item]);
    if (result.ok) results.set(keyOf(leaf), result.value);
    else
      problems.push({
        code: "wrong_type",
        message: `scores of ${JSON.stringify(leaf.item)}: ${result.problem}`,
        path: [leaf.item],
        hint: SHAPE,
      });
  }
  if (problems.length > 0) return { ok: false, problems };
  return accepted({ judge: (leaf) => Promise.resolve(results.get(keyOf(leaf)) ?? undecided(leaf)) });
}

function parse(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
    return "the scores have to be one JSON object";
  } catch (error) {
    return `the scores are not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function unknownItem(item: string, judged: readonly Leaf[]): readonly Problem[] {
  if (judged.some((leaf) => leaf.item === item)) return [];
  const known = judged.map((leaf) => JSON.stringify(leaf.item)).join(", ");
  return [
    {
      code: "unknown_value",
      message: `${JSON.stringify(item)} is no assertion or quality check of the base case`,
      path: [item],
      hint: known === "" ? "the base case needs no judge" : `items that need a judge: ${known}`,
    },
  ];
}

function readResult(leaf: Leaf, given: unknown): Reading<LeafResult> {
  const { check } = leaf;
  const answer = check.type === "quality" ? readRatings(rubricOf(check))(given) : readAssertionAnswer(given);
  return answer.ok ? { ok: true, value: resultOf(leaf, answer.value) } : answer;
}

/** Two leaves may bear one name and differ in their checks. */
function keyOf(leaf: Leaf): string {
  return JSON.stringify([leaf.item, leaf.check]);
}

function undecided(leaf: Leaf): LeafResult {
  return {
    passed: null,
    evidence: { kind: "undecided", reason: `the scores file says nothing about ${JSON.stringify(leaf.item)}` },
  };
}
