/** A base case with its verdict and evidence as HTML. Pure. */
import { formatDuration } from "../../core/fuel.ts";
import type { BaseCase, Outcome } from "../../core/state.ts";
import {
  describeCheck,
  judge,
  type ChecklistVerdict,
  type Evidence,
  type NodeVerdict,
  type Passed,
} from "../../core/verdict.ts";
import { markupText } from "./markup.ts";

const MARKS: ReadonlyMap<Passed, readonly [mark: string, words: string, style: string]> = new Map([
  [true, ["✓", "holds", "good"]],
  [false, ["✗", "does not hold", "bad"]],
  [null, ["?", "not decided", "warn"]],
] as const);

/**
 * @param verdict null: nothing was checked, the criteria alone are shown
 * @param outcome of the loop: of one that is verified no person's yes is missing
 */
export function verdictHtml(
  baseCase: BaseCase,
  verdict: ChecklistVerdict | null,
  outcome: Outcome | null | undefined,
): string {
  const { checklist } = verdict ?? judge(baseCase, () => undefined);
  const look = { isChecked: verdict !== null, isConfirmed: outcome === "verified" };
  return `<ul class="tree">${checklist.map((node) => nodeHtml(node, look)).join("\n")}</ul>`;
}

interface Look {
  readonly isChecked: boolean;
  readonly isConfirmed: boolean;
}

function nodeHtml(node: NodeVerdict, look: Look): string {
  const { isChecked, isConfirmed } = look;
  const [mark, words, style] = MARKS.get(node.passed) ?? ["?", "not decided", "warn"];
  const sign = isChecked ? `<strong class="${style}">${mark} ${words}:</strong> ` : "";
  if ("check" in node) {
    const check = describeCheck(node.check);
    const item = node.item === "" || check.endsWith(node.item) ? "" : `${markupText(node.item)} `;
    const asks = node.requires_user_confirmation === true && !isConfirmed;
    const confirm = asks ? ' <span class="warn">needs a person’s yes</span>' : "";
    return `<li>${sign}${item}<code>${markupText(check)}</code>${confirm}${isChecked ? evidenceHtml(node.evidence) : ""}</li>`;
  }
  const children = "group" in node ? node.group : node.any_of;
  const kind = "group" in node ? "all of" : "one of";
  return `<li>${sign}${markupText(node.item)} <span class="soft">(${kind})</span><ul>${children.map((child) => nodeHtml(child, look)).join("\n")}</ul></li>`;
}

function evidenceHtml(evidence: Evidence): string {
  switch (evidence.kind) {
    case "command": {
      const how =
        evidence.exit_code === null ? `ended by ${evidence.signal ?? "a signal"}` : `exit code ${evidence.exit_code}`;
      const note = evidence.note === undefined ? "" : `, ${evidence.note}`;
      const first = `${evidence.timed_out ? "timed out, " : ""}${how} after ${formatDuration(evidence.duration_ms)}${note}`;
      return `${soft(first)}${output(evidence.output)}`;
    }
    case "file":
      return `${soft(evidence.total === 0 ? "nothing matches" : `${evidence.total} ${evidence.total === 1 ? "match" : "matches"}`)}${output(evidence.matches.join("\n"))}`;
    case "scores": {
      const rows = evidence.scores.map(({ criterion, score, reason }) => `${criterion}: ${score}. ${reason}`);
      return `${soft(`average ${Math.round(evidence.average * 100) / 100}, ${evidence.threshold} is needed`)}${output(rows.join("\n"))}`;
    }
    case "judgement": {
      const quotes = (evidence.quotes ?? []).map(({ file, line, text }) => `${file}:${line}: ${text}`);
      return `${soft(evidence.reason)}${output(quotes.join("\n"))}`;
    }
    case "undecided":
      return soft(evidence.reason);
    case "flaky":
      return soft(`flaky: ${evidence.reason}`);
    case "error":
      return soft(`cannot be decided: ${evidence.message}`);
  }
}

function soft(words: string): string {
  return `<div class="soft">${markupText(words)}</div>`;
}

function output(text: string): string {
  return text.trim() === "" ? "" : `<details><summary>evidence</summary><pre>${markupText(text)}</pre></details>`;
}
