/** Evidence of a check in a person's words, as pages, the terminal and reports of a run have it. Pure. */
import { formatDuration } from "../core/fuel.ts";
import { testLines } from "../core/test-report.ts";
import type { Evidence, Quote } from "../core/verdict.ts";

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
      const { average, threshold, scores } = evidence;
      const given = scores.map(({ criterion, score }) => `${criterion} ${score}`).join(", ");
      const lines = scores.map(({ criterion, score, reason, quotes }) =>
        [`${criterion} ${score}: ${reason}`, ...quoteLines(quotes).map((line) => `  ${line}`)].join("\n"),
      );
      return {
        words: `average ${Math.round(average * 100) / 100} of ${threshold} needed (${given})`,
        lines: lines.join("\n"),
      };
    }
    case "judgement": {
      const { reason, quotes = [] } = evidence;
      return { words: `${cut(reason)}${placesWords(quotes, cut)}`, lines: quoteLines(quotes).join("\n") };
    }
    case "undecided":
      return { words: cut(evidence.reason), lines: "" };
    case "flaky":
      return { words: `flaky: ${cut(evidence.reason)}`, lines: "" };
    case "error":
      return { words: `cannot be decided: ${cut(evidence.message)}`, lines: "" };
  }
}

function quoteLines(quotes: readonly Quote[] = []): readonly string[] {
  return quotes.map(({ file, line, text }) => `${file}:${line}: ${text}`);
}

type CommandEvidence = Extract<Evidence, { kind: "command" }>;

function commandLines({ tests, output }: CommandEvidence): string {
  const named = tests === undefined ? [] : testLines(tests).slice(1);
  return [...named, output.trimEnd()].join("\n");
}

function commandWords(evidence: CommandEvidence): string {
  const { timed_out, exit_code, signal, duration_ms, note, because = [], unnoticed = [], tests } = evidence;
  const ended = exit_code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exit_code}`;
  const counts = tests === undefined ? [] : testLines(tests).slice(0, 1);
  const words = [
    `${timed_out ? "timed out" : ended} after ${formatDuration(duration_ms)}`,
    note ?? [],
    counts,
    because.length === 0 ? [] : `green because of ${because.join(", ")}`,
    unnoticed.length === 0 ? [] : `it does not see a fault that is planted in ${unnoticed.join(", ")}`,
  ];
  return words.flat().join(", ");
}

function placesWords(quotes: readonly Quote[], cut: (text: string) => string): string {
  return quotes.length === 0 ? "" : ` [${quotes.map(({ file, line }) => `${cut(file)}:${line}`).join(", ")}]`;
}
