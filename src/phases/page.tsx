/**
 * A phase loop's story as one HTML file that travels: phases and gates as they are, who answered what, and how each phase
 * was worked. Nothing in it is loaded or run. Pure.
 */
import type { ComponentChildren, JSX } from "preact";
import { formatDuration } from "../core/fuel.ts";
import type { State } from "../core/state.ts";
import { gatesAfter, type Gate, type LoopDefinition, type Phase } from "./core/definition.ts";
import type { GateAnswer } from "./core/history.ts";
import { gateAhead, gateIn, phaseIn } from "./core/sequence.ts";
import { isOver, isSettled, type PhaseLoop } from "./core/state.ts";
import { controlSentence } from "../history/outcome-words.ts";
import { createStory, type RunStory } from "../history/run-story.ts";
import { StatusPill } from "../view/icons.tsx";
import { PhaseMark } from "./phase-mark.tsx";
import { PlannedList, VerdictList } from "../view/checks-panel.tsx";
import { Tile } from "../view/loop-panels.tsx";
import { Panel, pageText, Table } from "../view/page-frame.tsx";
import { AttemptTable, NoteTable, When } from "../view/report-tables.tsx";
import { TimelinePanel } from "../view/timeline-chart.tsx";
import { axisOf, timelineOf } from "../view/timeline.ts";
import { dollars, moment, thousands } from "../view/words.ts";

/** The AoT loop that worked a phase. */
export interface WorkedLoop {
  readonly phase: string;
  /** Name of its state file. */
  readonly file: string;
  /** Null: its file is gone, or not valid. */
  readonly state: State | null;
  readonly story: RunStory;
}

export interface PhasesReported {
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
export function phasesHtml(reported: PhasesReported, at: string): string {
  const { definition, loop, task, works, answers } = reported;
  const name = definition.name ?? definition.id;
  const story = wholeStory(works);
  const timeline = timelineOf(story, story.last);
  const scene = { timeline, axis: axisOf(timeline.runs), time: story.last, isPast: false, zone: "UTC" } as const;
  const content = (
    <>
      <header>
        <small>AoT Loop, report of {moment(at, "UTC")}</small>
        <h1>{name}</h1>
        <Halt reported={reported} />
        <small>
          {definition.id} {loop.version}, {loop.mode}
        </small>
        <Facts reported={reported} story={story} />
      </header>
      {task !== "" && (
        <Panel title="Task">
          <p class="lead">{task}</p>
        </Panel>
      )}
      <Panel title="Phases and gates">
        <WayTable reported={reported} />
      </Panel>
      <Panel title="Answers at gates">
        <AnswerTable answers={answers} />
      </Panel>
      <TimelinePanel scene={scene} />
      <Panel title="How the phases were worked">
        <Works works={works} />
      </Panel>
      <Panel title="Other events">
        <NoteTable story={story} />
      </Panel>
    </>
  );
  return pageText(`${name}: ${loop.status}`, content);
}

interface ReportedProps {
  readonly reported: PhasesReported;
}

/** How the loop stands, and what it waits for. */
function Halt({ reported: { definition, loop, halted } }: ReportedProps): JSX.Element {
  const gate = loop.status === "active" ? gateAhead(definition, loop) : null;
  const why = halted === null || loop.status !== "active" ? "" : halted;
  return (
    <>
      <StatusPill status={loop.status} />
      {gate === null && why === "" ? null : (
        <p class="banner is-halted">
          {gate === null ? null : <b>{`The gate ${gate.id} ${gate.status === "failed" ? "failed" : "waits"}`}</b>}
          {why}
        </p>
      )}
    </>
  );
}

function Facts({ reported: { loop, spent }, story }: ReportedProps & { readonly story: RunStory }): JSX.Element {
  const { attempts, failures } = story;
  return (
    <dl class="tiles">
      <Tile name="Phases over" value={String(loop.phases.filter(isOver).length)} more={`of ${loop.phases.length}`} />
      <Tile name="Gates settled" value={String(loop.gates.filter(isSettled).length)} more={`of ${loop.gates.length}`} />
      <Tile
        name="Attempts"
        value={String(attempts.length)}
        more={failures === 0 ? "none failed" : `${failures} failed`}
      />
      <Tile
        name="Cost"
        value={dollars(spent.cost_usd)}
        more={spent.tokens === 0 ? "" : `${thousands(spent.tokens)} tokens`}
      />
      <Tile name="Working time" value={formatDuration(spent.active_ms)} more="" />
      {loop.metrics.map(({ name, value }) => (
        <Tile key={name} name={name} value={String(value)} more="" />
      ))}
    </dl>
  );
}

// ── phases and gates ────────────────────────────────────────────────────────

function WayTable({ reported: { definition, loop, answers } }: ReportedProps): JSX.Element {
  const rows = definition.phases.flatMap((phase) => [
    phaseRow(phase, loop),
    ...gatesAfter(definition, phase.name).map((gate) => gateRow(gate, loop, answers)),
  ]);
  return <Table name="Phases and gates" head={["Phase or gate", "Status", "What", "When", "Files"]} rows={rows} />;
}

function phaseRow({ name, skills, required, notes = "" }: Phase, loop: PhaseLoop): readonly ComponentChildren[] {
  const state = phaseIn(loop, name);
  const times = [state?.startedAt, state?.completedAt].filter((time) => typeof time === "string");
  return [
    <>
      <b>{name}</b> {required ? null : <small>optional</small>}
    </>,
    <PhaseMark status={state?.status ?? "pending"} />,
    [skills.map(({ id }) => id).join(", "), notes].filter((part) => part !== "").join(". "),
    times.map((time, index) => [index === 0 ? null : <br />, whenOf(time)]),
    filesOf(state?.deliverables ?? []),
  ];
}

function gateRow(gate: Gate, loop: PhaseLoop, answers: readonly GateAnswer[]): readonly ComponentChildren[] {
  const state = gateIn(loop, gate.id);
  const answer = answers.findLast((one) => one.gate === gate.id);
  const why = state?.skippedReason ?? (state?.status === "failed" ? answer?.reason : null);
  const said = [gate.name ?? "", gate.auto_check ?? gate.condition ?? "", why ?? ""].filter((part) => part !== "");
  return [
    <>
      gate <b>{gate.id}</b> <small>({gate.approval})</small> {gate.required ? null : <small>optional</small>}
    </>,
    <PhaseMark status={state?.status ?? "pending"} />,
    said.join(". "),
    whenOf(state?.passedAt ?? answer?.when),
    filesOf(gate.deliverables),
  ];
}

function whenOf(time: string | null | undefined): ComponentChildren {
  return typeof time === "string" ? <When time={Date.parse(time)} /> : null;
}

function filesOf(files: readonly string[]): ComponentChildren {
  return files.map((file) => [<code>{file}</code>, " "]);
}

function AnswerTable({ answers }: Pick<PhasesReported, "answers">): JSX.Element {
  if (answers.length === 0) return <p class="empty">None yet.</p>;
  const rows = answers.map(({ gate, answer, who, when, reason }) => [
    whenOf(when),
    <b>{gate}</b>,
    answer,
    who,
    reason ?? "",
  ]);
  return <Table name="Answers at gates" head={["When", "Gate", "Answer", "Who", "Why"]} rows={rows} />;
}

// ── how they were worked ────────────────────────────────────────────────────

function Works({ works }: Pick<PhasesReported, "works">): JSX.Element {
  if (works.length === 0) return <p class="empty">Nothing was worked yet.</p>;
  const left = works.length - MOST_WORKS;
  return (
    <div class="stack">
      {left > 0 && (
        <p class="note">
          The newest {MOST_WORKS}; {left} older ones are in .claude/loops.
        </p>
      )}
      {works.slice(-MOST_WORKS).map((work) => (
        <Work key={work.file} work={work} />
      ))}
    </div>
  );
}

function Work({ work: { phase, file, state, story } }: { readonly work: WorkedLoop }): JSX.Element {
  const head = (
    <h3>
      {phase} <small>{file}</small>
    </h3>
  );
  if (state === null)
    return (
      <>
        {head}
        <p class="empty">Its state file does not exist any more.</p>
      </>
    );
  const { words, reason } = controlSentence(state.control);
  const { checked } = story;
  return (
    <>
      {head}
      <p>
        <b>{words}</b>
        {reason}
      </p>
      {checked === null ? (
        <PlannedList baseCase={state.objective.base_case} />
      ) : (
        <VerdictList verdict={checked.verdict} isConfirmed={state.control.outcome === "verified"} />
      )}
      <AttemptTable story={story} />
    </>
  );
}

/** One story of all loops, which are worked one after the other. */
function wholeStory(works: readonly WorkedLoop[]): RunStory {
  const stories = works.map(({ story }) => story);
  const sum = (of: (story: RunStory) => number): number => stories.reduce((total, story) => total + of(story), 0);
  return {
    ...createStory().now(),
    runs: stories.flatMap(({ runs }) => runs),
    attempts: stories.flatMap(({ attempts }) => attempts),
    waits: stories.flatMap(({ waits }) => waits),
    checks: stories.flatMap(({ checks }) => checks),
    notes: stories.flatMap(({ notes }) => notes),
    failures: sum(({ failures }) => failures),
    last: Math.max(0, ...stories.map(({ last }) => last)),
  };
}
