/** The timeline with what looks back in time: a click on the field, and the slider below it. */
import type { JSX } from "preact";
import { TimelinePanel } from "../../view/timeline-chart.tsx";
import type { AnyLine } from "../../core/journal-line.ts";
import { Player } from "./player.tsx";
import type { LiveScene } from "./scene.ts";

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
      // A mouse's way to what the slider below does for everybody.
      field={{ onClick: seek, role: "presentation" }}
    >
      <Player scene={scene} lines={lines} onMove={onMove} />
      {leftOut > 0 && (
        <p class="note">
          The {leftOut} oldest lines of the journal are not shown: looking back begins behind them. `aot log` has them.
        </p>
      )}
    </TimelinePanel>
  );
}

function positionAt(lines: readonly AnyLine[], time: number): number | null {
  const count = lines.findLastIndex((line) => Date.parse(String(line["time"])) <= time) + 1;
  return count >= lines.length ? null : count;
}
