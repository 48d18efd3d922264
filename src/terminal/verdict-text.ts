/** Verdicts for a person: one line per leaf, with its evidence in a few words. Pure. */
import { evidenceWords } from "../view/evidence.ts";
import { printable } from "../view/words.ts";
import { runsWords, testsChangedWords, UNCONFIRMED, verdictWords } from "../view/standing.ts";
import {
  describeCheck,
  type CheckNode,
  type ChecklistVerdict,
  type Evidence,
  type NodeVerdict,
  type Passed,
} from "../core/verdict.ts";
import { tellingLine } from "../core/telling.ts";
import { testLines } from "../core/test-report.ts";
import type { Painter, Style } from "./paint.ts";

const STYLES: Readonly<Record<string, Style>> = { true: "green", false: "red", null: "yellow" };

/** The mark of a verdict in its colour. */
function markOf(passed: Passed, paint: Painter): string {
  return paint(STYLES[String(passed)] ?? "yellow", verdictWords(passed).mark);
}

/** The checklist, indented, each leaf with its evidence. @param confirmed no confirmation is missing any more */
export function verdictLines(verdict: ChecklistVerdict, paint: Painter, confirmed = false): string[] {
  const lines: string[] = [];
  const visit = (node: NodeVerdict, depth: number): void => {
    const mark = markOf(node.passed, paint);
    const indent = "  ".repeat(depth);
    if ("check" in node) {
      const check = oneLine(describeCheck(node.check));
      const own = oneLine(node.item);
      const item = check.endsWith(own) ? check : `${own} ${paint("dim", `(${check})`)}`;
      const asks = node.requires_user_confirmation === true && !confirmed;
      const confirm = asks ? paint("yellow", ` ${UNCONFIRMED}`) : "";
      lines.push(`${indent}${mark} ${item}: ${evidenceLine(node.evidence)}${runsWords(node)}${confirm}`);
      lines.push(...reasonsOf(node).map((reason) => `${indent}    ${paint("dim", reason)}`));
      return;
    }
    lines.push(`${indent}${mark} ${oneLine(node.item)}${"any_of" in node ? " (any of)" : ""}`);
    for (const child of "group" in node ? node.group : node.any_of) visit(child, depth + 1);
  };
  for (const node of verdict.checklist) visit(node, 0);
  const changed = testsChangedWords(verdict);
  return changed === null ? lines : [...lines, oneLine(changed, 1_000)];
}

const MOST_REASONS = 8;

/** A judge's reason for each score: the average alone says nothing of what to mend. Of a failure, where all of its output is. */
function reasonsOf({ evidence, passed }: CheckNode): readonly string[] {
  const { log } = evidenceWords(evidence);
  if (log !== undefined && passed !== true) return [`whole output: \`${log}\``];
  if (evidence.kind !== "scores") return [];
  return evidence.scores.slice(0, MOST_REASONS).flatMap(({ criterion, score, reason }) => {
    const said = reason.trim() === "" ? "" : `: ${oneLine(reason, 300)}`;
    return said === "" ? [] : [`${oneLine(criterion)} ${score}${said}`];
  });
}

/** Why a leaf has its verdict, in a line. */
export function evidenceLine(evidence: Evidence): string {
  const { words, lines } = evidenceWords(evidence, oneLine);
  const tests = evidence.kind === "command" ? (evidence.tests ?? null) : null;
  const said =
    evidence.kind === "command"
      ? tests !== null
        ? testLines(tests)
            .slice(1)
            .map((line) => oneLine(line, Infinity))
            .join(" | ")
        : oneLine(tellingLine(lines, evidence.exit_code !== 0))
      : evidence.kind === "file"
        ? firstOf(lines)
        : "";
  if (evidence.kind === "flaky") return `flaky, ${bothEnds(evidence.reason, 2 * LINE_LIMIT)}`;
  return `${words}${said === "" ? "" : `: ${said}`}`;
}

function firstOf(lines: string): string {
  return lines
    .split("\n")
    .slice(0, 3)
    .map((line) => oneLine(line))
    .join(", ");
}

const LINE_LIMIT = 140;

/** As `oneLine`; of a longer text the beginning and the end: why a program failed is what it said last. */
export function bothEnds(text: string, limit = LINE_LIMIT): string {
  const plain = oneLine(text, Infinity);
  if (plain.length <= limit) return plain;
  const tail = Math.floor(limit / 2);
  return `${oneLine(plain, limit - tail - 1)} ${plain.slice(1 - tail).replace(/^[\udc00-\udfff]/, "")}`;
}

/** One line without control characters, shortened: what programs print must not steer the terminal. */
export function oneLine(text: string, limit = LINE_LIMIT): string {
  const plain = printable(text).replaceAll(/\s+/g, " ").trim();
  // Half a character is none.
  return plain.length > limit ? `${plain.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…` : plain;
}
