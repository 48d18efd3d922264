/** Attempts on their slots, and idle time between them. */
import type { AnyLine } from "../../../core/journal-line.ts";
import type { JSX } from "preact";
import { memo } from "preact/compat";
import { counted } from "../../../app/counted.ts";
import type { Axis, Bar, Flag, Timeline } from "../model/timeline.ts";
import { Icon } from "./icons.tsx";
import { Player } from "./player.tsx";
import type { Scene } from "./scene.ts";
import { clock, dollars, lasting, percent } from "./words.ts";

const END_WORDS: Readonly<Record<Bar["end"], string>> = {
  running: "at work",
  integrating: "being integrated",
  integrated: "integrated",
  failed: "failed",
  aborted: "aborted",
  split: "split up",
  probed: "feasible",
  unavailable: "agent not available",
};
const SIGNS: Readonly<Record<Bar["end"], string>> = {
  running: "running",
  integrating: "forth",
  integrated: "resolved",
  failed: "given_up",
  aborted: "minus",
  split: "container",
  probed: "ready",
  unavailable: "stall",
};
const FLAG_SIGNS: Readonly<Record<Flag["kind"], string>> = {
  passed: "resolved",
  failed: "given_up",
  undecided: "undecided",
  redirect: "turn",
  stop: "stop",
};
const MOST_BARS = 1_500;

interface TimelineProps {
  readonly scene: Scene;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
  readonly onMove: (position: number | null) => void;
  readonly lines: readonly AnyLine[];
  readonly leftOut: number;
}

export function TimelinePanel({ scene, selected, onSelect, onMove, lines, leftOut }: TimelineProps): JSX.Element {
  const { timeline, axis } = scene;
  const now = axis.at(scene.time);
  const seek = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest("button") !== null) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onMove(positionAt(lines, axis.timeAt((event.clientX - box.left) / box.width)));
  };
  return (
    <section class="panel timeline" aria-labelledby="timeline-title">
      <h2 id="timeline-title">
        Attempts by slot
        <small>
          {timeline.bars.length === 0
            ? "none yet"
            : `${counted(timeline.bars.length, "attempt")}, ${counted(timeline.runs.length, "run")}`}
        </small>
        <Legend />
      </h2>
      <div class="gantt" role="group" aria-label="Timeline of attempts">
        <div class="gantt-names" aria-hidden="true">
          {timeline.busy.map((share, slot) => (
            <div class="gantt-name" key={slot}>
              <span>slot {slot + 1}</span>
              <small>{percent(share)} busy</small>
            </div>
          ))}
        </div>
        {/* A mouse's way to what the slider below does for everybody. */}
        <div class="gantt-field" onClick={seek} role="presentation">
          <Bars timeline={timeline} axis={axis} selected={selected} onSelect={onSelect} />
          {timeline.flags.map(({ time, kind, words }) => (
            // The journal tells the same to everybody.
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
          {timeline.bars.length > 0 && (
            <span class={`playhead ${scene.position === null ? "is-live" : ""}`} style={{ left: `${now * 100}%` }} />
          )}
          <div class="gantt-axis" aria-hidden="true">
            {(timeline.bars.length === 0 ? [] : axis.ticks).map(({ at, time, main }) => (
              <span key={time} class={main ? "is-main" : ""} style={{ left: `${at * 100}%` }}>
                {clock(time)}
              </span>
            ))}
          </div>
        </div>
      </div>
      <Player scene={scene} lines={lines} onMove={onMove} />
      {leftOut > 0 && (
        <p class="note">
          The {leftOut} oldest lines of the journal are not shown: looking back begins behind them. `aot log` has them.
        </p>
      )}
    </section>
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
          {END_WORDS[end]}
        </span>
      ))}
      <span class="key is-idle">
        <i />
        idle
      </span>
    </span>
  );
}

interface BarsProps {
  readonly timeline: Timeline;
  readonly axis: Axis;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
}

const Bars = memo(function Bars({ timeline, axis, selected, onSelect }: BarsProps): JSX.Element {
  const bars = timeline.bars.slice(-MOST_BARS);
  const lanes = Array.from({ length: Math.max(1, timeline.slots) }, (_, slot) =>
    bars.filter((bar) => bar.slot === slot),
  );
  return (
    <ol class="lanes">
      {lanes.map((lane, slot) => (
        <li key={slot} class="lane" aria-label={`Slot ${slot + 1}, ${percent(timeline.busy[slot] ?? 0)} busy`}>
          {timeline.runs.map(({ from, to }) => (
            <span
              key={from}
              class="idle"
              style={{ left: `${axis.at(from) * 100}%`, width: `${(axis.at(to) - axis.at(from)) * 100}%` }}
            />
          ))}
          {lane.map((bar) => (
            <BarButton key={bar.attempt} bar={bar} axis={axis} selected={bar.atom === selected} onSelect={onSelect} />
          ))}
        </li>
      ))}
    </ol>
  );
});

interface BarProps {
  readonly bar: Bar;
  readonly axis: Axis;
  readonly selected: boolean;
  readonly onSelect: (atom: string) => void;
}

function BarButton({ bar, axis, selected, onSelect }: BarProps): JSX.Element {
  const left = axis.at(bar.from);
  const width = Math.max(0, axis.at(bar.to) - left);
  const spent = bar.cost_usd === null ? "" : `, ${dollars(bar.cost_usd)}`;
  const words = `${bar.attempt} ${END_WORDS[bar.end]}, ${lasting(bar.to - bar.from)}${spent}`;
  return (
    <button
      type="button"
      class={`bar ends-${bar.end} ${selected ? "is-selected" : ""}`}
      style={{ left: `${left * 100}%`, width: `max(5px, ${width * 100}% - 2px)` }}
      aria-label={words}
      title={bar.words === "" ? words : `${words}\n${bar.words}`}
      onClick={() => onSelect(bar.atom)}
    >
      <Icon name={SIGNS[bar.end]} />
      <span>{bar.attempt}</span>
    </button>
  );
}

function positionAt(lines: readonly AnyLine[], time: number): number | null {
  const count = lines.findLastIndex((line) => Date.parse(String(line["time"])) <= time) + 1;
  return count >= lines.length ? null : count;
}
