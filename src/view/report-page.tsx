/**
 * A loop's story as one HTML file that travels, made of the dashboard's own panels: outcome, numbers, verdict with its
 * evidence, graph, timeline, measure, attempts, choices, fuel. Nothing in it is loaded or run. Pure.
 */
import type { JSX } from "preact";
import type { State } from "../core/state.ts";
import { controlSentence } from "../history/outcome-words.ts";
import { ChecksPanel } from "./checks-panel.tsx";
import { drawingOf } from "./drawing.ts";
import { StatusPill } from "./icons.tsx";
import { CostPanel, Outcome, StandingCounts, Tiles, TrailPanel } from "./loop-panels.tsx";
import { MeasurePanel } from "./measure-panel.tsx";
import { Panel, pageText, Table } from "./page-frame.tsx";
import { AttemptTable, GraphSection, NoteTable } from "./report-tables.tsx";
import type { Scene } from "./scene.ts";
import { SpentPanel } from "./spent-panel.tsx";
import { TimelinePanel } from "./timeline-chart.tsx";
import { moment } from "./words.ts";

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

/** The work graph alone. */
export function graphHtml(state: State): string {
  const { goal } = state.objective;
  const content = (
    <>
      <h1>{goal}</h1>
      <Panel title="Work">
        <GraphSection drawing={drawingOf(state)} goal={goal} />
      </Panel>
    </>
  );
  return pageText(`Work graph: ${goal}`, content);
}
