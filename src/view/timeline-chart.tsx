/** Attempts as bars on their slots, idle time between them, and what happened to the loop above them. */
import type { ComponentChildren, JSX } from "preact";
import { counted } from "../core/counted.ts";
import { formatDuration } from "../core/fuel.ts";
import { Icon } from "./icons.tsx";
import type { Scene } from "./scene.ts";
import { ATTEMPTS } from "./standing.ts";
import type { Axis, Bar, Flag, Timeline } from "./timeline.ts";
import { clock, dollars, percent } from "./words.ts";

const SIGNS: Readonly<Record<Bar["end"], string>> = {
  running: "running",
  integrating: "forth",
  integrated: "resolved",
  failed: "failed",
  aborted: "minus",
  discarded: "minus",
  split: "split",
  feasible: "ready",
  unavailable: "stall",
};
const FLAG_SIGNS: Readonly<Record<Flag["kind"], string>> = {
  passed: "resolved",
  failed: "failed",
  undecided: "undecided",
  redirect: "turn",
  stop: "stop",
};
/** More would make a browser wait. */
const MOST_BARS = 1_500;
/** From so many on a slot a bar is a stripe: its border would be all of it. */
const DENSE = 80;

interface TimelineProps {
  readonly scene: Pick<Scene, "timeline" | "axis" | "time" | "isPast" | "zone">;
  readonly selected?: string | null;
  readonly onSelect?: (atom: string) => void;
  /** Further attributes of the field of bars. */
  readonly field?: object;
  /** Below them. */
  readonly children?: ComponentChildren;
}

export function TimelinePanel({ scene, selected = null, onSelect, field, children }: TimelineProps): JSX.Element {
  const { timeline, axis } = scene;
  const { bars, runs } = timeline;
  const isDense = bars.length > DENSE * timeline.slots;
  return (
    <section class="panel timeline" aria-labelledby="timeline-title">
      <h2 id="timeline-title">
        Attempts by slot
        <small>
          {bars.length === 0
            ? "none yet"
            : `${counted(bars.length, "attempt")}, ${counted(timeline.slots, "slot")}, ${counted(runs.length, "run")}`}
        </small>
        <Legend />
      </h2>
      <div class={`gantt${isDense ? " is-dense" : ""}`} role="group" aria-label="Timeline of attempts">
        <div class="gantt-names" aria-hidden="true">
          {timeline.busy.map((share, slot) => (
            <div class="gantt-name" key={slot}>
              <span>slot {slot + 1}</span>
              <small>{percent(share)} busy</small>
            </div>
          ))}
        </div>
        <div class="gantt-field" {...field}>
          <Lanes timeline={timeline} axis={axis} selected={selected} onSelect={onSelect} />
          <Marks scene={scene} />
        </div>
      </div>
      {children}
    </section>
  );
}

/** The journal says the same to screen readers. */
function Marks({ scene }: { readonly scene: TimelineProps["scene"] }): JSX.Element {
  const { timeline, axis, zone } = scene;
  const isEmpty = timeline.bars.length === 0;
  return (
    <>
      {timeline.flags.map(({ time, kind, words }) => (
        <span
          key={`${time} ${words}`}
          class={`flag is-${kind}`}
          style={{ left: `${axis.at(time) * 100}%` }}
          title={words}
          aria-hidden="true"
        >
          <Icon name={FLAG_SIGNS[kind]} />
        </span>
      ))}
      {axis.breaks.map((at) => (
        <span key={at} class="gantt-break" style={{ left: `${at * 100}%` }} />
      ))}
      {!isEmpty && (
        <span class={`playhead ${scene.isPast ? "" : "is-live"}`} style={{ left: `${axis.at(scene.time) * 100}%` }} />
      )}
      <div class="gantt-axis" aria-hidden="true">
        {(isEmpty ? [] : axis.ticks).map(({ at, time, main }) => (
          <span key={time} class={main ? "is-main" : ""} style={{ left: `${at * 100}%` }}>
            {clock(time, zone)}
          </span>
        ))}
      </div>
    </>
  );
}

function Legend(): JSX.Element {
  return (
    <span class="legend">
      {(["integrated", "failed", "aborted", "running"] as const).map((end) => (
        <span key={end} class={`key ends-${end}`}>
          <i>
            <Icon name={SIGNS[end]} />
          </i>
          {ATTEMPTS[end].words}
        </span>
      ))}
      <span class="key is-idle">
        <i />
        idle
      </span>
    </span>
  );
}

interface LanesProps {
  readonly timeline: Timeline;
  readonly axis: Axis;
  readonly selected: string | null;
  readonly onSelect: TimelineProps["onSelect"];
}

function Lanes({ timeline, axis, selected, onSelect }: LanesProps): JSX.Element {
  const bars = timeline.bars.slice(-MOST_BARS);
  return (
    <ol class="lanes">
      {Array.from({ length: Math.max(1, timeline.slots) }, (_, slot) => (
        <li key={slot} class="lane" aria-label={`Slot ${slot + 1}, ${percent(timeline.busy[slot] ?? 0)} busy`}>
          {timeline.runs.map(({ from, to }) => (
            <span
              key={from}
              class="idle"
              style={{ left: `${axis.at(from) * 100}%`, width: `${(axis.at(to) - axis.at(from)) * 100}%` }}
            />
          ))}
          {bars
            .filter((bar) => bar.slot === slot)
            .map((bar) => (
              <BarBox key={bar.attempt} bar={bar} axis={axis} isSelected={bar.atom === selected} onSelect={onSelect} />
            ))}
        </li>
      ))}
    </ol>
  );
}

interface BarProps {
  readonly bar: Bar;
  readonly axis: Axis;
  readonly isSelected: boolean;
  readonly onSelect: TimelineProps["onSelect"];
}

function BarBox({ bar, axis, isSelected, onSelect }: BarProps): JSX.Element {
  const left = axis.at(bar.from);
  const width = Math.max(0, axis.at(bar.to) - left);
  const spent = bar.cost_usd === null ? "" : `, ${dollars(bar.cost_usd)}`;
  const words = `${bar.attempt} ${ATTEMPTS[bar.end].words}, ${formatDuration(bar.to - bar.from)}${spent}`;
  const look = {
    class: `bar ends-${bar.end}${isSelected ? " is-selected" : ""}`,
    style: { left: `${left * 100}%`, width: `max(5px, ${width * 100}% - 2px)` },
    title: bar.words === "" ? words : `${words}\n${bar.words}`,
    "aria-label": words,
  };
  const content = (
    <>
      <Icon name={SIGNS[bar.end]} />
      <span>{bar.attempt}</span>
    </>
  );
  if (onSelect === undefined)
    return (
      <div role="img" {...look}>
        {content}
      </div>
    );
  return (
    <button type="button" {...look} onClick={() => onSelect(bar.atom)}>
      {content}
    </button>
  );
}
