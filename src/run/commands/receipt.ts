/** The receipt of a run: what it came to, with the evidence (SPEC section 9). A pure function of the report. */
import type { RunReport } from "../report.ts";
import { formatDuration } from "../../core/fuel.ts";
import { outcomeSentence } from "../../history/outcome-words.ts";
import { luckWords } from "../../view/standing.ts";
import { callsWords, costWords } from "../../view/words.ts";
import { nextStep } from "../../command/next-step.ts";
import type { Painter } from "../../terminal/paint.ts";
import { bothEnds, oneLine, verdictLines } from "../../terminal/verdict-text.ts";

/** @param next what a person does now */
export function receipt(report: RunReport, paint: Painter, next = nextStep(report)): string {
  const { outcome } = report;
  const good = outcome === "verified";
  const luck = good && report.verdict !== null ? luckWords(report.verdict) : null;
  const { words, reason } = outcomeSentence(outcome, oneLine(report.message, 400));
  return [
    "",
    paint("bold", oneLine(report.goal)),
    `${paint(good ? "green" : "yellow", words)}${reason}${luck === null ? "" : paint("dim", `; ${luck}`)}`,
    ...sections(
      [
        [
          "base case",
          report.verdict === null ? ["not checked in this run"] : verdictLines(report.verdict, paint, good),
        ],
        ["unresolved", unresolved(report)],
        ["history", recent(report.history.map((one) => `${commitOf(one)}${oneLine(one.what)}${author(one, report)}`))],
        ["agents", shares(report)],
        ["choices", choices(report)],
        ["redirects", report.corrections.map((one) => `${one.type}: ${oneLine(one.description)}`)],
        ["notes", recent(notesOf(report))],
      ],
      paint,
    ),
    "",
    spent(report),
    oneLine(report.place, 1_000),
    paint("bold", `next: ${next}`),
  ].join("\n");
}

/** What confines it was said when the run began. */
function notesOf({ notes }: RunReport): string[] {
  return notes.flatMap((note) => (note.startsWith("sandbox: ") ? [] : [oneLine(note, 1_000)]));
}

/** A commit that nobody can look at is not worth a word. */
function commitOf({ commit }: RunReport["history"][number]): string {
  return `${commit?.slice(0, 10) ?? "(no change)"}  `;
}

/** Who did what is worth a word only where there were several. */
function author({ agent }: RunReport["history"][number], { agents }: RunReport): string {
  return agents.length < 2 || agent === undefined ? "" : ` [${agent}]`;
}

function shares({ agents }: RunReport): string[] {
  if (agents.length < 2) return [];
  return agents.map(
    ({ agent, attempts, failures, cost_usd }) =>
      `${agent}  ${callsWords(attempts, 0)}, ${failures} failed, ${costWords(cost_usd)}`,
  );
}

/** A single line follows its title: what is short stays on one screen. Those without lines are left out. */
function sections(all: readonly (readonly [title: string, lines: readonly string[]])[], paint: Painter): string[] {
  const shown = all.filter(([, lines]) => lines.length > 0);
  return shown.flatMap(([title, lines], at) => {
    if (lines.length > 1) return ["", paint("dim", title), ...lines.map((line) => `  ${line}`)];
    const isBehindBlock = (shown[at - 1]?.[1].length ?? 0) > 1;
    return [...(isBehindBlock ? [""] : []), `${paint("dim", title.padEnd(9))}  ${lines[0] ?? ""}`];
  });
}

function unresolved({ atoms, outcome }: RunReport): string[] {
  if (outcome === "verified") return [];
  const open = atoms.filter((atom) => atom.counted);
  // What failed first: it is why the rest waits.
  const sorted = [...open.filter((atom) => atom.failed), ...open.filter((atom) => !atom.failed)];
  return first(
    sorted.flatMap(({ id, description, failed }) => [
      `${id}  ${oneLine(description, 80)}`,
      ...(failed === undefined
        ? []
        : [`${" ".repeat(id.length)}  failed ${times(failed.times)}: ${bothEnds(failed.reason, 200)}`]),
    ]),
  );
}

/** What a person changed is among the redirects. Of a group without a choice left none is chosen: why, of each. */
function choices({ trail, exhausted = [] }: RunReport): string[] {
  const gone = new Set(exhausted.map(({ or_group }) => or_group));
  return [
    ...trail.flatMap((entry) =>
      "or_group" in entry && !gone.has(entry.or_group)
        ? [`${entry.or_group}: ${entry.selected} (${oneLine(entry.reason)})`]
        : [],
    ),
    ...exhausted.flatMap(({ or_group, choices: all }) => [
      `${or_group}: exhausted, no choice is left`,
      ...all.map(
        ({ id, reason }) =>
          `  ${id} given up${reason === undefined ? " in an earlier run" : `: ${bothEnds(reason, 200)}`}`,
      ),
    ]),
  ];
}

function spent(report: RunReport): string {
  const { iteration, max_iterations, attempts, failures, active_ms, waited_ms, cost_usd, tokens } = report;
  return [
    `${callsWords(attempts, report.other_calls, failures)} in this run`,
    `iteration ${iteration} of ${max_iterations}`,
    `${report.measure} left`,
    `${formatDuration(active_ms)} and ${costWords(cost_usd)}${tokens === 0 ? "" : `, ${tokens} tokens`} in all`,
    ...(waited_ms === 0 ? [] : [`up to ${formatDuration(waited_ms)} of waiting for rate limits in this run`]),
  ].join(" | ");
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

const MOST_LINES = 12;

function recent(lines: readonly string[]): string[] {
  const hidden = lines.length - MOST_LINES;
  return hidden > 0 ? [`... ${hidden} earlier`, ...lines.slice(-MOST_LINES)] : [...lines];
}

function first(lines: readonly string[]): string[] {
  const hidden = lines.length - MOST_LINES;
  return hidden > 0 ? [...lines.slice(0, MOST_LINES), `... ${hidden} more lines`] : [...lines];
}
