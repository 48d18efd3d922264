/** What reports of loops and of phase loops are made of, as HTML. Pure. */
import { formatDuration } from "../../core/fuel.ts";
import type { AttemptPart, RunStory } from "../run/run-story.ts";
import { htmlTable } from "./html-page.ts";
import { markupText } from "./markup.ts";
import { END_MARKS } from "./timeline-svg.ts";

const MOST_ATTEMPTS = 2_000;
const MOST_MOMENTS = 200;

/** Who attempted what, and what it came to. */
export function attemptTable({ attempts, last }: RunStory): string {
  if (attempts.length === 0) return nothing("None.");
  const rows = attempts
    .slice(-MOST_ATTEMPTS)
    .map((attempt) => [
      `<strong>${markupText(attempt.attempt)}</strong>`,
      endText(attempt),
      String(attempt.iteration),
      markupText(attempt.agent || attempt.role),
      formatDuration(Math.max(0, (attempt.to ?? last) - attempt.from)),
      attempt.cost_usd === null ? "" : dollars(attempt.cost_usd),
      `${markupText(attempt.words)}${attempt.commit === null ? "" : ` <code>${markupText(attempt.commit.slice(0, 10))}</code>`}`,
    ]);
  const left = attempts.length - rows.length;
  const note = left > 0 ? nothing(`The newest ${rows.length}; ${left} older ones are in the journal.`) : "";
  return note + htmlTable("Attempts", ["Attempt", "End", "Iteration#", "Who", "Time#", "Cost#", "Report"], rows);
}

function endText({ end }: AttemptPart): string {
  const [mark, words] = END_MARKS[end ?? "open"];
  const style = end === "failed" || end === "unavailable" ? "bad" : end === "integrated" ? "good" : "soft";
  return `<span class="${style}">${mark} ${words}</span>`;
}

export function section(title: string, content: string): string {
  return `<section><h2>${title}</h2>\n${content}</section>`;
}

export function nothing(words: string): string {
  return `<p class="soft">${words}</p>`;
}

export function scrolled(name: string, svg: string): string {
  return svg === "" ? "" : `<div class="wide" tabindex="0" role="group" aria-label="${name}">${svg}</div>`;
}

/** The same everywhere: `2026-01-01 10:00:00 UTC`. */
export function dateText(time: number): string {
  // A year that ISO 8601 has no four digits for is no date of a loop.
  const isDate = time >= 0 && time < 253_402_300_800_000;
  return isDate ? `<span class="when">${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC</span>` : "";
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

export function factList(rows: readonly (readonly [name: string, value: string])[]): string {
  return `<dl class="facts">${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${markupText(value)}</dd></div>`).join("")}</dl>`;
}

/** What a person should know beside the attempts. */
export function moments({ notes, waits }: RunStory): string {
  const all = [
    ...notes,
    ...waits.map(({ who, from, to, reason }) => {
      return { time: from, words: `${who} waited${to === null ? "" : ` ${formatDuration(to - from)}`}: ${reason}` };
    }),
  ].sort((a, b) => a.time - b.time);
  if (all.length === 0) return nothing("Nothing.");
  const rows = all.slice(-MOST_MOMENTS).map(({ time, words }) => [dateText(time), markupText(words)]);
  return htmlTable("What happened beside", ["When", "What"], rows);
}
