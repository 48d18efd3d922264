/** Evidence of a check in a person's words, as pages, the terminal and reports of a run have it. Pure. */
import { formatDuration } from "../core/fuel.ts";
import { testLines } from "../core/test-report.ts";
import type { Evidence, Panel, Quote, Score } from "../core/verdict.ts";

export interface EvidenceWords {
  /** Why the check has its verdict. */
  readonly words: string;
  /** What shows it, line by line: an output, matches, reasons of scores, quotes. Empty: there is no more. */
  readonly lines: string;
  /** The command that shows all of it. */
  readonly log?: string;
}

/** @param cut what a program or a model wrote, as there is space for it */
export function evidenceWords(evidence: Evidence, cut = (text: string): string => text): EvidenceWords {
  switch (evidence.kind) {
    case "command":
      return {
        words: commandWords(evidence),
        lines: commandLines(evidence),
        ...(evidence.log === undefined ? {} : { log: `aot logs ${evidence.log}` }),
      };
    case "file": {
      const { total, matches } = evidence;
      const words = total === 0 ? "nothing matches" : `${total} ${total === 1 ? "match" : "matches"}`;
      return { words, lines: matches.join("\n") };
    }
    case "scores": {
      const { average, threshold, scores, panel } = evidence;
      const given = `${scores.map(scoreWords).join(", ")}${votesWords(panel)}`;
      const lines = scores.map(({ criterion, reason }) => `${criterion}: ${reason}`).join("\n");
      return { words: `average ${Math.round(average * 100) / 100} of ${threshold} needed (${given})`, lines };
    }
    case "judgement": {
      const { reason, quotes = [], panel } = evidence;
      const lines = quotes.map(({ file, line, text }) => `${file}:${line}: ${text}`).join("\n");
      return { words: `${cut(reason)}${placesWords(quotes, cut)}${yesWords(panel)}`, lines };
    }
    case "undecided":
      return { words: cut(evidence.reason), lines: "" };
    case "flaky":
      return { words: `flaky: ${cut(evidence.reason)}`, lines: "" };
    case "error":
      return { words: `cannot be decided: ${cut(evidence.message)}`, lines: "" };
  }
}

type CommandEvidence = Extract<Evidence, { kind: "command" }>;

function commandLines({ tests, output }: CommandEvidence): string {
  const named = tests === undefined ? [] : testLines(tests).slice(1);
  return [...named, output.trimEnd()].join("\n");
}

function commandWords({ timed_out, exit_code, signal, duration_ms, note, tests }: CommandEvidence): string {
  const ended = exit_code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exit_code}`;
  const counts = tests === undefined ? [] : testLines(tests).slice(0, 1);
  const words = [`${timed_out ? "timed out" : ended} after ${formatDuration(duration_ms)}`, note ?? [], counts];
  return words.flat().join(", ");
}

/** The median, and how far the votes lie apart. */
function scoreWords({ criterion, score, votes = [] }: Score): string {
  const [least, most] = [Math.min(...votes), Math.max(...votes)];
  return `${criterion} ${score}${votes.length > 1 ? ` [${least === most ? least : `${least} to ${most}`}]` : ""}`;
}

function placesWords(quotes: readonly Quote[], cut: (text: string) => string): string {
  return quotes.length === 0 ? "" : ` [${quotes.map(({ file, line }) => `${cut(file)}:${line}`).join(", ")}]`;
}

function votesWords(panel: Panel | undefined): string {
  const count = votesIn(panel);
  return count === null ? "" : `; median of ${count.valid} votes${count.void}`;
}

function yesWords(panel: Panel | undefined): string {
  const count = votesIn(panel);
  return count === null ? "" : ` (${count.yes} of ${count.valid} votes say yes${count.void})`;
}

/** null: there was one vote only. */
function votesIn(
  panel: Panel | undefined,
): { readonly valid: number; readonly yes: number; readonly void: string } | null {
  if (panel === undefined || panel.wanted === 1) return null;
  const valid = panel.votes.filter((vote) => vote.void === undefined);
  const voids = panel.votes.length - valid.length;
  const yes = valid.filter((vote) => vote.passed === true).length;
  return { valid: valid.length, yes, void: voids === 0 ? "" : `, ${voids} void` };
}
