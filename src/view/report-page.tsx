/**
 * A loop's story as one HTML file that travels, made of the dashboard's own panels: outcome, numbers, verdict with its
 * evidence, graph, timeline, measure, attempts, choices, fuel. Nothing in it is loaded or run. Pure.
 */
import type { JSX } from "preact";
import type { State } from "../core/state.ts";
import { controlSentence } from "../history/outcome-words.ts";
import { ChecksPanel } from "./checks-panel.tsx";
import type { Drawing } from "./drawing.ts";
import { StatusPill, StandingMark } from "./icons.tsx";
import { CostPanel, Outcome, StandingCounts, Tiles, TrailPanel } from "./loop-panels.tsx";
import { MeasurePanel } from "./measure-panel.tsx";
import { Panel, pageText, Table } from "./page-frame.tsx";
import type { Scene } from "./scene.ts";
import { SpentPanel } from "./spent-panel.tsx";
import { TimelinePanel } from "./timeline-chart.tsx";
import { moment, dollars } from "./words.ts";
import { formatDuration } from "../core/fuel.ts";
import type { AttemptPart, RunStory } from "../history/run-story.ts";
import { GraphPicture } from "./graph-drawing.tsx";
import { ATTEMPTS } from "./standing.ts";

/** @param at when the report was written, ISO 8601 */
export function reportHtml(scene: Scene, at: string): string {
  const { state, story, drawing } = scene;
  const { goal } = state.objective;
  const content = (
    <>
      <header>
        <small>AoT Loop, report of {moment(at, "UTC")}</small>
        <h1>{goal}</h1>
        <StatusPill status={state.control.status} />
        <Outcome scene={scene} />
        <Tiles scene={scene} />
      </header>
      <Panel title="Checks">
        <ChecksPanel scene={scene} />
      </Panel>
      <section class="panel">
        <h2>
          Work
          <StandingCounts scene={scene} />
        </h2>
        <GraphSection drawing={drawing} goal={goal} />
      </section>
      <TimelinePanel scene={scene} />
      <MeasurePanel scene={scene} />
      <SpentPanel scene={scene} />
      <Panel title="Attempts">
        <AttemptTable story={story} />
      </Panel>
      <Panel title="Trail">
        <TrailPanel scene={scene} />
      </Panel>
      <Panel title="Cost">
        <CostPanel scene={scene} />
      </Panel>
      <Panel title="Goal">
        <GoalTable state={state} />
      </Panel>
      <Panel title="Other events">
        <NoteTable story={story} />
      </Panel>
    </>
  );
  return pageText(`${goal}: ${controlSentence(state.control).words}`, content);
}

function GoalTable({ state }: { readonly state: State }): JSX.Element {
  const { objective } = state;
  const rows = [
    ["Why", objective.background_intent],
    ["Deliverables", objective.deliverables],
    ["Done when", objective.definition_of_done],
    ["Protected files", (objective.protected ?? []).join(", ")],
    ...(objective.clarifications ?? []).map(({ question, resolution }) => [question, resolution]),
  ].filter(([, value = ""]) => value.trim() !== "");
  if (rows.length === 0) return <p class="empty">Nothing more was said about it.</p>;
  return <Table name="Goal" head={["About", "Said"]} rows={rows.map(([name, value]) => [<b>{name}</b>, value])} />;
}

const MOST_MOMENTS = 200;

interface StoryProps {
  readonly story: RunStory;
}

/** Who attempted what, and what came of it. */
function AttemptTable({ story }: StoryProps): JSX.Element {
  const { attempts, last } = story;
  if (attempts.length === 0) return <p class="empty">None.</p>;
  const rows = attempts.map((attempt) => [
    <b>{attempt.attempt}</b>,
    <EndMark end={attempt.end} />,
    String(attempt.iteration),
    attempt.agent || attempt.role,
    formatDuration(Math.max(0, (attempt.to ?? last) - attempt.from)),
    attempt.cost_usd === null ? "" : dollars(attempt.cost_usd),
    <>
      {attempt.words} {attempt.commit === null ? null : <code>{attempt.commit.slice(0, 10)}</code>}
    </>,
  ]);
  return (
    <Table name="Attempts" head={["Attempt", "End", "Iteration#", "Who", "Time#", "Cost#", "Report"]} rows={rows} />
  );
}

function EndMark({ end }: Pick<AttemptPart, "end">): JSX.Element {
  const { mark, words } = ATTEMPTS[end ?? "running"];
  const tone = end === "failed" || end === "unavailable" ? "bad" : end === "integrated" ? "good" : "";
  return (
    <span class={tone}>
      {mark} {words}
    </span>
  );
}

/** What happened beside the attempts. */
function NoteTable({ story }: StoryProps): JSX.Element {
  const waits = story.waits.map(({ who, from, to, reason }) => {
    return { time: from, words: `${who} waited${to === null ? "" : ` ${formatDuration(to - from)}`}: ${reason}` };
  });
  const all = [...story.notes, ...waits].sort((a, b) => a.time - b.time);
  if (all.length === 0) return <p class="empty">Nothing.</p>;
  const rows = all.slice(-MOST_MOMENTS).map(({ time, words }) => [<When time={time} />, words]);
  return <Table name="Other events" head={["When", "What"]} rows={rows} />;
}

/** The same everywhere: `2026-01-01 10:00:00 UTC`. */
function When({ time }: { readonly time: number }): JSX.Element | null {
  // A year that ISO 8601 has no four digits for is no date of a loop.
  const isDate = time >= 0 && time < 253_402_300_800_000;
  return isDate ? <span class="when">{moment(time, "UTC")}</span> : null;
}

interface GraphProps {
  readonly drawing: Drawing;
  readonly goal: string;
}

/** The picture, in a frame that scrolls where it is wider than the page, and the same as a table. */
function GraphSection({ drawing, goal }: GraphProps): JSX.Element {
  const rows = [...drawing.atoms.values()].map(({ atom, standing }) => [
    <b>{atom.id}</b>,
    <StandingMark standing={standing} />,
    atom.description,
    [...atom.depends_on, ...(atom.or_group === undefined ? [] : [`one of ${atom.or_group}`])].join(", "),
    <>
      {atom.binding?.summary} {(atom.binding?.artifacts ?? []).map((path) => [<code>{path}</code>, " "])}
    </>,
  ]);
  return (
    <>
      <div class="wide" tabIndex={0} role="group" aria-label="Work graph">
        <GraphPicture drawing={drawing} title={`Work graph: ${goal}`} />
      </div>
      <Table name="Atoms" head={["Atom", "Status", "What", "Needs", "Result"]} rows={rows} />
    </>
  );
}
