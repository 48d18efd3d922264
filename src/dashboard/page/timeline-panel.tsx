/** The timeline, with the controls for looking back: a click on it, and the slider below it. */
import type { JSX } from "preact";
import { TimelinePanel } from "../../view/timeline-chart.tsx";
import type { AnyLine } from "../../core/journal-line.ts";
import type { LiveScene } from "./scene.ts";
import { useEffect, useState } from "preact/hooks";
import { describeEvent } from "../../terminal/event-text.ts";
import { ToolButton } from "./parts.tsx";
import { moment } from "../../view/words.ts";

interface TimelineProps {
  readonly scene: LiveScene;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
  readonly onMove: (position: number | null) => void;
  readonly lines: readonly AnyLine[];
  readonly leftOut: number;
}

export function LiveTimeline({ scene, selected, onSelect, onMove, lines, leftOut }: TimelineProps): JSX.Element {
  const seek = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest("button") !== null) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onMove(positionAt(lines, scene.axis.timeAt((event.clientX - box.left) / box.width)));
  };
  return (
    <TimelinePanel
      scene={scene}
      selected={selected}
      onSelect={onSelect}
      // For the mouse only; the slider does the same accessibly.
      field={{ onClick: seek, role: "presentation" }}
    >
      <Player scene={scene} lines={lines} onMove={onMove} />
      {leftOut > 0 && (
        <p class="note">
          The {leftOut} oldest lines of the journal are not shown: looking back begins behind them. `aot logs` has them.
        </p>
      )}
    </TimelinePanel>
  );
}

function positionAt(lines: readonly AnyLine[], time: number): number | null {
  const count = lines.findLastIndex((line) => Date.parse(String(line["time"])) <= time) + 1;
  return count >= lines.length ? null : count;
}

// The player: steps through time by slider or buttons, or plays.

const PLAY_STEP_MS = 140;

interface PlayerProps {
  readonly scene: LiveScene;
  readonly lines: readonly AnyLine[];
  readonly onMove: (position: number | null) => void;
}

function Player({ scene, lines, onMove }: PlayerProps): JSX.Element {
  const [playing, setPlaying] = useState(false);
  const total = lines.length;
  const at = scene.position ?? total;
  const last = lines.slice(0, at).findLast(({ event }) => event !== SKIPPED_EVENT);
  useEffect(() => {
    if (!playing) return undefined;
    const next = nextPosition(lines, at);
    if (next >= total) {
      setPlaying(false);
      onMove(null);
      return undefined;
    }
    const timer = setTimeout(() => onMove(next), PLAY_STEP_MS);
    return () => clearTimeout(timer);
  }, [playing, at, total]);
  const play = (): void => {
    if (!playing && scene.position === null) onMove(0);
    setPlaying(!playing);
  };
  const reported =
    last === undefined ? "before the first event" : `${moment(String(last["time"]))}, ${describeEvent(last).text}`;
  return (
    <div class="player">
      <div class="player-buttons" role="group" aria-label="Looking back">
        <ToolButton
          name={playing ? "pause" : "play"}
          disabled={total === 0}
          onClick={play}
          label={playing ? "Pause" : "Play the run from the beginning"}
          title={playing ? "Pause" : "Play"}
        />
        <ToolButton
          name="back"
          label="One event back"
          disabled={at === 0}
          onClick={() => onMove(previousPosition(lines, at))}
        />
        <ToolButton
          name="forth"
          label="One event on"
          disabled={at >= total}
          onClick={() => onMove(nextPosition(lines, at))}
        />
      </div>
      <input
        type="range"
        min={0}
        max={total}
        value={at}
        aria-label="Moment that is shown"
        aria-valuetext={scene.position === null ? "now" : reported}
        disabled={total === 0}
        onInput={(event) => {
          setPlaying(false);
          const value = Number(event.currentTarget.value);
          onMove(value >= total ? null : value);
        }}
      />
      <output class="player-words">{scene.position === null ? "now" : reported}</output>
      <button
        type="button"
        class="plain"
        disabled={scene.position === null}
        onClick={() => (setPlaying(false), onMove(null))}
      >
        Back to now
      </button>
    </div>
  );
}

const SKIPPED_EVENT = "state_saved";

/** The position after the next line, skipping SKIPPED_EVENT lines. */
function nextPosition(lines: readonly AnyLine[], at: number): number {
  let next = at + 1;
  while (next < lines.length && lines[next - 1]?.["event"] === SKIPPED_EVENT) next++;
  return Math.min(next, lines.length);
}

function previousPosition(lines: readonly AnyLine[], at: number): number {
  let last = at - 1;
  while (last > 0 && lines[last - 1]?.["event"] === SKIPPED_EVENT) last--;
  return Math.max(0, last);
}
