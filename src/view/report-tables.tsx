/** What reports of loops and of phase loops are made of beside the panels of the page. Pure. */
import type { JSX } from "preact";
import { formatDuration } from "../core/fuel.ts";
import type { AttemptPart, RunStory } from "../history/run-story.ts";
import type { Drawing } from "./drawing.ts";
import { GraphPicture } from "./graph-drawing.tsx";
import { StandingMark } from "./icons.tsx";
import { Table } from "./page-frame.tsx";
import { ATTEMPTS } from "./standing.ts";
import { dollars, moment } from "./words.ts";

const MOST_ATTEMPTS = 2_000;
const MOST_MOMENTS = 200;

interface StoryProps {
  readonly story: RunStory;
}

/** Who attempted what, and what came of it. */
export function AttemptTable({ story }: StoryProps): JSX.Element {
  const { attempts, last } = story;
  if (attempts.length === 0) return <p class="empty">None.</p>;
  const rows = attempts.slice(-MOST_ATTEMPTS).map((attempt) => [
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
  const left = attempts.length - rows.length;
  return (
    <>
      {left > 0 && (
        <p class="note">
          The newest {rows.length}; {left} older ones are in the journal.
        </p>
      )}
      <Table name="Attempts" head={["Attempt", "End", "Iteration#", "Who", "Time#", "Cost#", "Report"]} rows={rows} />
    </>
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
export function NoteTable({ story }: StoryProps): JSX.Element {
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
export function GraphSection({ drawing, goal }: GraphProps): JSX.Element {
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
