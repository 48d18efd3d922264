/**
 * A loop's story as one HTML file that travels: goal, outcome, verdict with its evidence, graph, timeline, measure,
 * attempts, choices, corrections, cost, commits. Nothing in it is loaded or run. Pure.
 */
import { formatDuration } from "../../core/fuel.ts";
import type { State } from "../../core/state.ts";
import { graphOf, isContainer } from "../../core/graph.ts";
import { at } from "../../core/vec.ts";
import { graphFigure } from "./graph-html.ts";
import { graphJson } from "./graph-text.ts";
import { STANDING_WORDS } from "./graph-svg.ts";
import { htmlPage, htmlTable } from "./html-page.ts";
import { markupText } from "./markup.ts";
import { MEASURE_STYLE, measureSvg } from "./measure-svg.ts";
import { attemptTable, dateText, dollars, factList, moments, nothing, scrolled, section } from "./report-parts.ts";
import { outcomeSentence } from "../run/outcome-words.ts";
import type { RunStory } from "../run/run-story.ts";
import { measureOf } from "../show-state.ts";
import { TIMELINE_STYLE, timelineSvg } from "./timeline-svg.ts";
import { verdictHtml } from "./verdict-html.ts";

/** @param at when the report was written, ISO 8601 */
export function reportHtml(state: State, story: RunStory, at: string): string {
  const { objective } = state;
  const body = [
    `<header><p class="soft">AoT Loop, report of ${dateText(Date.parse(at))}</p>`,
    `<h1>${markupText(objective.goal)}</h1>`,
    outcomeLine(state, story),
    "</header>",
    facts(state, story),
    section("Goal", goalText(state)),
    section("Base case", baseCase(state, story)),
    section("Work graph", graphFigure(graphJson(state), objective.goal) + atomTable(state)),
    section("Timeline", scrolled("Timeline", timelineSvg(story)) || nothing("Nothing was attempted yet.")),
    section(
      "Atoms left after each iteration",
      scrolled("Measure", measureSvg(story)) || nothing("No iteration was judged yet."),
    ),
    section("Attempts", attemptTable(story)),
    section("Choices and corrections", history(state)),
    section("What happened beside", moments(story)),
  ].join("\n");
  return htmlPage(`${objective.goal}: ${outcomeWords(state)}`, body, `${TIMELINE_STYLE}${MEASURE_STYLE}`);
}

function outcomeWords({ control }: State): string {
  const { outcome } = control;
  if (outcome !== undefined && outcome !== null) return outcomeSentence(outcome, "").words;
  return control.status === "running"
    ? "At work, or interrupted"
    : control.status === "pending"
      ? "Not begun"
      : control.status;
}

function outcomeLine(state: State, { runs }: RunStory): string {
  const { outcome, stop_reason } = state.control;
  const style = outcome === "verified" ? "good" : outcome === undefined || outcome === null ? "soft" : "warn";
  const said = runs.at(-1)?.message ?? stop_reason ?? "";
  const told =
    outcome === undefined || outcome === null
      ? { words: outcomeWords(state), reason: said }
      : outcomeSentence(outcome, outcome === "verified" ? "" : said);
  // The words stand in a box of their own: nothing has to join the reason to them.
  const reason = told.reason.replace(/^:? /, "");
  const more = reason === "" ? "" : ` <span class="soft">${markupText(reason)}</span>`;
  return `<p><span class="tag ${style}">${markupText(told.words)}</span>${more}</p>`;
}

function facts(state: State, story: RunStory): string {
  const graph = graphOf(state);
  const worked = graph.ids.map((_, index) => index).filter((index) => !isContainer(graph, index));
  const resolved = worked.filter((index) => at(state.atoms, index).status === "resolved").length;
  const { constraints } = state.objective;
  const failures = story.attempts.filter(({ end }) => end === "failed").length;
  const active = story.runs.reduce((sum, { from, to }) => sum + Math.max(0, (to ?? story.last) - from), 0);
  const rows: readonly (readonly [string, string])[] = [
    ["Atoms resolved", `${resolved} of ${worked.length}`],
    ["Left", String(measureOf(state, graph))],
    ["Iterations", `${state.control.iteration} of ${constraints.max_iterations}`],
    ["Attempts", `${story.attempts.length}${failures === 0 ? "" : `, ${failures} failed`}`],
    [
      "Cost",
      dollars(story.cost_usd) +
        (constraints.max_cost_usd === undefined ? "" : ` of ${dollars(constraints.max_cost_usd)}`),
    ],
    ...(story.tokens === 0 ? [] : [["Tokens", story.tokens.toLocaleString("en")] as const]),
    ["Time", formatDuration(active)],
    ["Runs", String(story.runs.length)],
  ];
  return factList(rows);
}

function goalText({ objective }: State): string {
  const rows: readonly (readonly [string, string])[] = [
    ["Why", objective.background_intent],
    ["Deliverables", objective.deliverables],
    ["Done when", objective.definition_of_done],
    ["Protected files", (objective.protected ?? []).join(", ")],
    ...(objective.clarifications ?? []).map(({ question, resolution }) => [question, resolution] as const),
  ];
  const told = rows.filter(([, value]) => value.trim() !== "");
  if (told.length === 0) return nothing("Nothing more was said about it.");
  return htmlTable(
    "Goal",
    ["About", "Said"],
    told.map(([name, value]) => [`<strong>${markupText(name)}</strong>`, markupText(value)]),
  );
}

function baseCase({ objective, control: { outcome } }: State, { checked }: RunStory): string {
  if (checked === null)
    return `${nothing("It was not checked yet.")}${verdictHtml(objective.base_case, null, outcome)}`;
  const commit = checked.commit === null ? "" : ` on commit <code>${markupText(checked.commit.slice(0, 10))}</code>`;
  return `<p class="soft">Checked ${dateText(checked.time)}${commit}.</p>${verdictHtml(objective.base_case, checked.verdict, outcome)}`;
}

function atomTable(state: State): string {
  const { nodes } = graphJson(state);
  const rows = nodes.map(({ id, description, standing }, index) => {
    const { binding } = at(state.atoms, index);
    const artifacts = (binding?.artifacts ?? []).map((path) => `<code>${markupText(path)}</code>`).join(" ");
    const [mark, words] = STANDING_WORDS[standing];
    return [
      `<strong>${markupText(id)}</strong>`,
      `${mark} ${words}`,
      markupText(description),
      [markupText(binding?.summary ?? ""), artifacts].filter((part) => part !== "").join("<br/>"),
    ];
  });
  return `<h3>Atoms</h3>${htmlTable("Atoms", ["Atom", "Status", "What", "Result"], rows)}`;
}

function history({ trail, corrections }: State): string {
  const rows = [
    ...trail.map((entry) => ({
      time: Date.parse(entry.timestamp),
      what: "or_group" in entry ? `${entry.or_group}: ${entry.selected} was chosen` : "a person changed the graph",
      why: entry.reason,
    })),
    ...corrections.map((entry) => ({
      time: Date.parse(entry.timestamp),
      what: entry.type.replaceAll("_", " "),
      why: `${entry.description}${entry.trail_cleared ? " (the trail was cleared)" : ""}`,
    })),
  ].sort((a, b) => a.time - b.time);
  if (rows.length === 0) return nothing("None.");
  return htmlTable(
    "Choices and corrections",
    ["When", "What", "Why"],
    rows.map(({ time, what, why }) => [dateText(time), markupText(what), markupText(why)]),
  );
}
