/** What a `quality` check needs beyond the shape of its fields (SPEC section 6). */
import { type MappingNode, valueUnder } from "./node.ts";
import { type Findings, report, type Trace } from "./problems.ts";

/** Something to score, and weights that can be normalised. */
export function checkRubric(
  value: Readonly<Record<string, unknown>>,
  node: MappingNode,
  trace: Trace | undefined,
  findings: Findings,
): void {
  const { rubric, criteria } = value;
  if (rubric === undefined && criteria === undefined) {
    report(findings, {
      code: "rubric_without_criteria",
      message: "the quality check has neither rubric nor criteria",
      at: node.start,
      trace,
      hint: "add `criteria:` (text), or `rubric:` (a list of { criterion, weight, levels })",
    });
  }
  if (!Array.isArray(rubric) || rubric.length === 0) return;
  const weights = rubric.map(weightOf);
  if (weights.some((weight) => weight > 0)) return;
  report(findings, {
    code: "out_of_range",
    message: "the weights of the rubric sum to 0",
    at: valueUnder(node, "rubric")?.start ?? node.start,
    trace: { up: trace, key: "rubric" },
    found: weights.join(", "),
    hint: "give at least one criterion a weight above 0",
  });
}

function weightOf(criterion: unknown): number {
  if (typeof criterion !== "object" || criterion === null || !("weight" in criterion)) return 1;
  return typeof criterion.weight === "number" ? criterion.weight : 1;
}
