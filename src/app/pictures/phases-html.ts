/**
 * A phase loop's story as one HTML file that travels: phases and gates as they stand, who answered what, and how each
 * phase was worked. Nothing in it is loaded or run. Pure.
 */
import { formatDuration } from "../../core/fuel.ts";
import type { State } from "../../core/state.ts";
import { gatesAfter, type Gate, type LoopDefinition, type Phase } from "../../phases/definition.ts";
import type { GateAnswer } from "../../phases/history.ts";
import { gateAhead, gateIn, phaseIn } from "../../phases/sequence.ts";
import { isOver, isSettled, type GateStatus, type PhaseLoop, type PhaseStatus } from "../../phases/state.ts";
import { outcomeSentence } from "../run/outcome-words.ts";
import { createStory, type RunStory } from "../run/run-story.ts";
import { htmlPage, htmlTable } from "./html-page.ts";
import { markupText } from "./markup.ts";
import { attemptTable, dateText, dollars, factList, moments, nothing, scrolled, section } from "./report-parts.ts";
import { TIMELINE_STYLE, timelineSvg } from "./timeline-svg.ts";
import { verdictHtml } from "./verdict-html.ts";

/** The AoT loop that worked a phase. */
export interface WorkedLoop {
  readonly phase: string;
  /** Name of its state file. */
  readonly file: string;
  /** Null: its file is gone, or not valid. */
  readonly state: State | null;
  readonly story: RunStory;
}

export interface PhasesTold {
  readonly definition: LoopDefinition;
  readonly loop: PhaseLoop;
  /** What the person said that it is about; may be empty. */
  readonly task: string;
  readonly answers: readonly GateAnswer[];
  /** Why the newest run came to rest. */
  readonly halted: string | null;
  /** Oldest first. */
  readonly works: readonly WorkedLoop[];
  readonly spent: { readonly cost_usd: number; readonly tokens: number; readonly active_ms: number };
}

const MOST_WORKS = 200;

/** @param at when the report was written, ISO 8601 */
export function phasesHtml(told: PhasesTold, at: string): string {
  const { definition, loop, task, works } = told;
  const name = definition.name ?? definition.id;
  const story = wholeStory(works);
  const body = [
    `<header><p class="soft">AoT Loop, report of ${dateText(Date.parse(at))}</p>`,
    `<h1>${markupText(name)}</h1>`,
    `<p>${standing(told)} <span class="soft">${markupText(`${definition.id} ${loop.version}, ${loop.mode}`)}</span></p>`,
    "</header>",
    facts(told, story),
    ...(task === "" ? [] : [section("Task", `<p>${markupText(task)}</p>`)]),
    section("Phases and gates", wayTable(told)),
    section("Answers at gates", answerTable(told.answers)),
    section("Timeline", scrolled("Timeline", timelineSvg(story)) || nothing("Nothing was attempted yet.")),
    section("How the phases were worked", worksHtml(works)),
    section("What happened beside", moments(story)),
  ].join("\n");
  return htmlPage(`${name}: ${loop.status}`, body, TIMELINE_STYLE);
}

const LOOP_STYLES = { active: "soft", paused: "warn", complete: "good", failed: "bad" } as const;

function standing({ definition, loop, halted }: PhasesTold): string {
  const gate = loop.status === "active" ? gateAhead(definition, loop) : null;
  const [words, style] =
    gate === null
      ? [
          { active: "At work, or interrupted", paused: "Paused", complete: "Complete", failed: "Failed" }[loop.status],
          LOOP_STYLES[loop.status],
        ]
      : [`The gate ${gate.id} ${gate.status === "failed" ? "failed" : "waits"}`, "warn"];
  const why = halted === null || loop.status !== "active" ? "" : ` ${markupText(halted)}`;
  return `<span class="tag ${style}">${markupText(words)}</span>${why}`;
}

function facts({ loop, spent }: PhasesTold, { attempts }: RunStory): string {
  const failures = attempts.filter(({ end }) => end === "failed").length;
  return factList([
    ["Phases over", `${loop.phases.filter(isOver).length} of ${loop.phases.length}`],
    ["Gates settled", `${loop.gates.filter(isSettled).length} of ${loop.gates.length}`],
    ["Attempts", `${attempts.length}${failures === 0 ? "" : `, ${failures} failed`}`],
    ["Cost", dollars(spent.cost_usd)],
    ...(spent.tokens === 0 ? [] : [["Tokens", spent.tokens.toLocaleString("en")] as const]),
    ["Time", formatDuration(spent.active_ms)],
    ...loop.metrics.map(({ name, value }) => [markupText(name), String(value)] as const),
  ]);
}

// ── phases and gates ────────────────────────────────────────────────────────

const MARKS: Readonly<Record<PhaseStatus | GateStatus, readonly [mark: string, style: string]>> = {
  pending: ["·", "soft"],
  active: ["▶", "soft"],
  complete: ["✓", "good"],
  passed: ["✓", "good"],
  skipped: ["–", "soft"],
  failed: ["✗", "bad"],
};

function wayTable({ definition, loop, answers }: PhasesTold): string {
  const rows = definition.phases.flatMap((phase) => [
    phaseRow(phase, loop),
    ...gatesAfter(definition, phase.name).map((gate) => gateRow(gate, loop, answers)),
  ]);
  return htmlTable("Phases and gates", ["Phase or gate", "Status", "What", "When", "Files"], rows);
}

function phaseRow({ name, skills, required, notes = "" }: Phase, loop: PhaseLoop): readonly string[] {
  const state = phaseIn(loop, name);
  return [
    `<strong>${markupText(name)}</strong>${optional(required)}`,
    statusText(state?.status ?? "pending"),
    markupText([skills.map(({ id }) => id).join(", "), notes].filter((part) => part !== "").join(". ")),
    [state?.startedAt, state?.completedAt]
      .map(whenText)
      .filter((part) => part !== "")
      .join("<br/>"),
    filesText(state?.deliverables ?? []),
  ];
}

function gateRow(gate: Gate, loop: PhaseLoop, answers: readonly GateAnswer[]): readonly string[] {
  const state = gateIn(loop, gate.id);
  const answer = answers.findLast((one) => one.gate === gate.id);
  const why = state?.skippedReason ?? (state?.status === "failed" ? answer?.reason : null);
  const said = [gate.name ?? "", gate.auto_check ?? gate.condition ?? "", why ?? ""].filter((part) => part !== "");
  return [
    `gate <strong>${markupText(gate.id)}</strong> <span class="soft">(${gate.approval})</span>${optional(gate.required)}`,
    statusText(state?.status ?? "pending"),
    markupText(said.join(". ")),
    whenText(state?.passedAt ?? answer?.when),
    filesText(gate.deliverables),
  ];
}

function optional(required: boolean): string {
  return required ? "" : ' <span class="soft">optional</span>';
}

function statusText(status: PhaseStatus | GateStatus): string {
  const [mark, style] = MARKS[status];
  return `<span class="${style}">${mark} ${status}</span>`;
}

function whenText(time: string | null | undefined): string {
  return typeof time === "string" ? dateText(Date.parse(time)) : "";
}

function filesText(files: readonly string[]): string {
  return files.map((file) => `<code>${markupText(file)}</code>`).join(" ");
}

function answerTable(answers: readonly GateAnswer[]): string {
  if (answers.length === 0) return nothing("None yet.");
  const rows = answers.map(({ gate, answer, who, when, reason }) => [
    whenText(when),
    `<strong>${markupText(gate)}</strong>`,
    answer,
    markupText(who),
    markupText(reason ?? ""),
  ]);
  return htmlTable("Answers at gates", ["When", "Gate", "Answer", "Who", "Why"], rows);
}

// ── how they were worked ────────────────────────────────────────────────────

function worksHtml(works: readonly WorkedLoop[]): string {
  if (works.length === 0) return nothing("Nothing was worked yet.");
  const left = works.length - MOST_WORKS;
  const note = left > 0 ? nothing(`The newest ${MOST_WORKS}; ${left} older ones are in .claude/loops.`) : "";
  return note + works.slice(-MOST_WORKS).map(workHtml).join("\n");
}

function workHtml({ phase, file, state, story }: WorkedLoop): string {
  const head = `<h3>${markupText(phase)} <span class="soft">${markupText(file)}</span></h3>`;
  if (state === null) return `${head}${nothing("Its state file is not there any more.")}`;
  const { outcome, stop_reason } = state.control;
  const said = story.runs.at(-1)?.message ?? stop_reason ?? "";
  const { words, reason } =
    outcome === undefined || outcome === null
      ? { words: "At work, or interrupted", reason: said === "" ? "" : `: ${said}` }
      : outcomeSentence(outcome, outcome === "verified" ? "" : said);
  const verdict = verdictHtml(state.objective.base_case, story.checked?.verdict ?? null, outcome);
  return `${head}<p>${words}${reason === "" ? "" : `<span class="soft">${markupText(reason)}</span>`}</p>${verdict}${attemptTable(story)}`;
}

/** One story of all loops, which are worked one after the other. */
function wholeStory(works: readonly WorkedLoop[]): RunStory {
  const stories = works.map(({ story }) => story);
  return {
    ...createStory().now(),
    runs: stories.flatMap(({ runs }) => runs),
    attempts: stories.flatMap(({ attempts }) => attempts),
    waits: stories.flatMap(({ waits }) => waits),
    checks: stories.flatMap(({ checks }) => checks),
    notes: stories.flatMap(({ notes }) => notes),
    cost_usd: stories.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    tokens: stories.reduce((sum, { tokens }) => sum + tokens, 0),
    last: Math.max(0, ...stories.map(({ last }) => last)),
  };
}
