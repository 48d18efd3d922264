/** What a `quality` check needs beyond the shape of its fields (SPEC section 6). */
import { type MappingNode, valueUnder } from "./node.ts";
import { below, type Reader, reportAt } from "./problems.ts";

/** Something to score, and weights that can be normalised. */
export function checkRubric(value: Readonly<Record<string, unknown>>, node: MappingNode, reader: Reader): void {
  const { rubric, criteria } = value;
  if (rubric === undefined && criteria === undefined)
    reportAt(reader, node.start, {
      code: "rubric_without_criteria",
      message: "the quality check has neither rubric nor criteria",
      hint: "add `criteria:` (text), or `rubric:` (a list of { criterion, weight, levels })",
    });
  if (!Array.isArray(rubric) || rubric.length === 0) return;
  const weights = rubric.map(weightOf);
  if (weights.some((weight) => weight > 0)) return;
  reportAt(below(reader, "rubric"), valueUnder(node, "rubric")?.start ?? node.start, {
    code: "out_of_range",
    message: "the weights of the rubric sum to 0",
    found: weights.join(", "),
    hint: "give at least one criterion a weight above 0",
  });
}

function weightOf(criterion: unknown): number {
  if (typeof criterion !== "object" || criterion === null || !("weight" in criterion)) return 1;
  return typeof criterion.weight === "number" ? criterion.weight : 1;
}
