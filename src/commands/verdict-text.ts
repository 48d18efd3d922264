/** Verdicts for a person: one line per leaf, with its evidence in a few words. Pure. */
import { formatDuration } from "../core/fuel.ts";
import type { ChecklistVerdict, Evidence, NodeVerdict, Panel, Passed, Quote, Score } from "../core/verdict.ts";
import { describeCheck } from "../core/verdict.ts";
import type { Painter } from "./paint.ts";

const MARKS: ReadonlyMap<Passed, readonly [string, "green" | "red" | "yellow"]> = new Map([
  [true, ["✓", "green"]],
  [false, ["✗", "red"]],
  [null, ["?", "yellow"]],
] as const);

/** The checklist, indented, each leaf with its evidence. @param confirmed no person's yes is missing any more */
export function verdictLines(verdict: ChecklistVerdict, paint: Painter, confirmed = false): string[] {
  const lines: string[] = [];
  const visit = (node: NodeVerdict, depth: number): void => {
    const [mark, colour] = MARKS.get(node.passed) ?? ["?", "yellow"];
    const indent = "  ".repeat(depth);
    if ("check" in node) {
      const check = oneLine(describeCheck(node.check));
      const own = oneLine(node.item);
      const item = check.endsWith(own) ? check : `${own} ${paint("dim", `(${check})`)}`;
      const asks = node.requires_user_confirmation === true && !confirmed;
      const confirm = asks ? paint("yellow", " needs a person's yes") : "";
      lines.push(`${indent}${paint(colour, mark)} ${item}: ${evidenceLine(node.evidence)}${confirm}`);
      return;
    }
    lines.push(`${indent}${paint(colour, mark)} ${oneLine(node.item)}${"any_of" in node ? " (any of)" : ""}`);
    for (const child of "group" in node ? node.group : node.any_of) visit(child, depth + 1);
  };
  for (const node of verdict.checklist) visit(node, 0);
  return lines;
}

/** Why a leaf stands as it does, in a line. */
export function evidenceLine(evidence: Evidence): string {
  switch (evidence.kind) {
    case "command":
      return commandLine(evidence);
    case "file":
      return evidence.total === 0
        ? "nothing matches"
        : `${evidence.total} ${evidence.total === 1 ? "match" : "matches"}: ${evidence.matches
            .slice(0, 3)
            .map((match) => oneLine(match))
            .join(", ")}`;
    case "scores": {
      const scores = evidence.scores.map(scoreText).join(", ");
      return `average ${round(evidence.average)} of ${evidence.threshold} needed (${scores}${votesText(evidence.panel)})`;
    }
    case "judgement":
      return `${oneLine(evidence.reason)}${placesText(evidence.quotes)}${saidText(evidence.panel)}`;
    case "error":
      return `cannot be decided: ${oneLine(evidence.message)}`;
    case "undecided":
      return oneLine(evidence.reason);
    case "flaky":
      return `flaky, ${bothEnds(evidence.reason, 2 * LINE_LIMIT)}`;
  }
}

/** The median, and how far the votes lie apart. */
function scoreText({ criterion, score, votes = [] }: Score): string {
  const [least, most] = [Math.min(...votes), Math.max(...votes)];
  return `${criterion} ${score}${votes.length > 1 ? ` [${least === most ? least : `${least} to ${most}`}]` : ""}`;
}

function votesText(panel: Panel | undefined): string {
  const count = counted(panel);
  return count === null ? "" : `; median of ${count.valid} votes${count.void}`;
}

function saidText(panel: Panel | undefined): string {
  const count = counted(panel);
  return count === null ? "" : ` (${count.yes} of ${count.valid} votes say yes${count.void})`;
}

/** null: there was one vote only. */
function counted(
  panel: Panel | undefined,
): { readonly valid: number; readonly yes: number; readonly void: string } | null {
  if (panel === undefined || panel.wanted === 1) return null;
  const valid = panel.votes.filter((vote) => vote.void === undefined);
  const voids = panel.votes.length - valid.length;
  const yes = valid.filter((vote) => vote.passed === true).length;
  return { valid: valid.length, yes, void: voids === 0 ? "" : `, ${voids} void` };
}

function placesText(quotes: readonly Quote[] = []): string {
  return quotes.length === 0 ? "" : ` [${quotes.map(({ file, line }) => `${oneLine(file)}:${line}`).join(", ")}]`;
}

function commandLine(evidence: Extract<Evidence, { kind: "command" }>): string {
  const how = evidence.timed_out
    ? "timed out"
    : evidence.exit_code === null
      ? `ended by ${evidence.signal ?? "a signal"}`
      : `exit code ${evidence.exit_code}`;
  const note = evidence.note === undefined ? "" : `, ${evidence.note}`;
  const said = tellingLine(evidence.output);
  return `${how} after ${formatDuration(evidence.duration_ms)}${note}${said === "" ? "" : `: ${said}`}`;
}

const LINE_LIMIT = 140;

/** How Node's test runner ends its report, whatever came of the tests: what failed stands above. */
const FOOT = /^[#ℹ] (?:suites|cancelled|skipped|todo|duration_ms)\b/;

/** The last line that says something of what came of it. */
function tellingLine(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  return oneLine(lines.findLast((line) => line !== "" && !FOOT.test(line)) ?? "");
}

/** As `oneLine`; of a longer text the beginning and the end: why a program failed is what it said last. */
export function bothEnds(text: string, limit = LINE_LIMIT): string {
  const plain = oneLine(text, Infinity);
  if (plain.length <= limit) return plain;
  const tail = Math.floor(limit / 2);
  return `${oneLine(plain, limit - tail - 1)} ${plain.slice(1 - tail).replace(/^[\udc00-\udfff]/, "")}`;
}

/** Marks that turn the direction of writing: behind them a text reads otherwise than it is. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** One line without control characters, shortened: what programs print must not steer the terminal. */
export function oneLine(text: string, limit = LINE_LIMIT): string {
  const plain = text
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replaceAll(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, "")
    .replaceAll(TURNING, "")
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
  // Half a character is none.
  return plain.length > limit ? `${plain.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…` : plain;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
