/** The work graph as SVG elements: frames, arrows over them, boxes on top: on the page and in a report. Pure. */
import type { JSX } from "preact";
import { arrowPaths } from "./arrow-paths.ts";
import type { DrawnFrame, Drawing } from "./drawing.ts";
import { Shape } from "./icons.tsx";
import { layoutOf, type Layout, type Place } from "./layout.ts";
import { STANDINGS, type Standing } from "./standing.ts";
import { clipped, linesIn } from "./text-lines.ts";

export interface GraphProps {
  readonly drawing: Drawing;
  readonly layout: Layout;
  /** Where nothing can be done, nothing is offered to the keyboard either. */
  readonly act?: {
    readonly selected: string | null;
    /** The box that the tab key reaches. */
    readonly focusable: string | null;
    readonly onSelect: (atom: string) => void;
  };
}

/** The elements within an `<svg class="work-graph">`. */
export function GraphElements({ drawing, layout, act }: GraphProps): JSX.Element {
  const selected = act?.selected ?? null;
  return (
    <>
      <Tips />
      {[...layout.frames].map(([id, place]) => {
        const frame = drawing.frames.get(id);
        if (frame === undefined) return null;
        return <Frame key={id} frame={frame} place={place} act={act} />;
      })}
      {arrowPaths(drawing.arrows, layout).map(({ arrow, d }, index) => {
        const isNear = selected !== null && (arrow.from === selected || arrow.to === selected);
        const kind = isNear ? "near" : arrow.met ? "met" : "open";
        return <path key={index} class={`arrow is-${kind}`} d={d} marker-end={`url(#tip-${kind})`} />;
      })}
      {[...layout.boxes].map(([id, place]) => {
        const drawn = drawing.atoms.get(id);
        if (drawn === undefined) return null;
        const { atom, standing } = drawn;
        return <AtomBox key={id} id={id} description={atom.description} standing={standing} place={place} act={act} />;
      })}
    </>
  );
}

function Tips(): JSX.Element {
  return (
    <defs>
      {["met", "open", "near"].map((kind) => (
        <marker
          key={kind}
          id={`tip-${kind}`}
          class={`tip is-${kind}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="9"
          markerHeight="9"
          markerUnits="userSpaceOnUse"
          orient="auto-start-reverse"
        >
          <path d="M0 0.5L8 4L0 7.5z" />
        </marker>
      ))}
    </defs>
  );
}

/** Columns of text that fit beside the sign. */
const COLUMNS = { name: 19, words: 24 };
const MOST_LINES = 2;

interface BoxProps {
  readonly id: string;
  readonly description: string;
  readonly standing: Standing;
  readonly place: Place;
  readonly act: GraphProps["act"] | undefined;
}

function AtomBox({ id, description, standing, place, act }: BoxProps): JSX.Element {
  const { x, y, width, height } = place;
  const { words } = STANDINGS[standing];
  const lines = linesIn(description, COLUMNS.words, MOST_LINES);
  const top = height / 2 - 7 * lines.length;
  const isSelected = act?.selected === id;
  const button =
    act === undefined
      ? {}
      : {
          role: "button" as const,
          tabindex: act.focusable === id ? 0 : -1,
          "aria-pressed": isSelected,
          onClick: () => act.onSelect(id),
        };
  return (
    <svg
      class={`atom is-${standing}${isSelected ? " is-selected" : ""}`}
      {...{ x, y, width, height }}
      data-atom={id}
      data-standing={standing}
      {...button}
    >
      <title>{`${id}: ${description} (${words})`}</title>
      <rect class="box" x="2" y="2" width={width - 4} height={height - 4} rx="8" />
      <g class={`icon icon-${standing}`} transform={`translate(9 ${height / 2 - 8})`}>
        <Shape name={standing} />
      </g>
      <text class="atom-id" x="32" y={top + 5}>
        {clipped(id, COLUMNS.name)}
      </text>
      {lines.map((line, index) => (
        <text key={index} class={index === 0 ? "atom-words" : "atom-words is-more"} x="32" y={top + 20 + 14 * index}>
          {line}
        </text>
      ))}
    </svg>
  );
}

interface FrameProps {
  readonly frame: DrawnFrame;
  readonly place: Place;
  readonly act: GraphProps["act"] | undefined;
}

function Frame({ frame, place, act }: FrameProps): JSX.Element {
  const { kind, title, standing, atom } = frame;
  const words = standing === null ? "" : ` (${STANDINGS[standing].words})`;
  const isSelected = atom !== null && act?.selected === atom;
  const button =
    act === undefined || atom === null
      ? {}
      : {
          role: "button" as const,
          tabindex: 0,
          "aria-pressed": isSelected,
          "data-frame": atom,
          onClick: () => act.onSelect(atom),
        };
  return (
    <g class={`frame is-${kind}${standing === null ? "" : ` is-${standing}`}${isSelected ? " is-selected" : ""}`}>
      <title>{`${title}${words}`}</title>
      <rect class="frame-box" {...place} rx="12" />
      <text class="frame-title" x={place.x + 10} y={place.y + 15} {...button}>
        {clipped(title, Math.floor((place.width - 16) / 6.3))}
      </text>
    </g>
  );
}

interface PictureProps {
  readonly drawing: Drawing;
  readonly title: string;
}

/** The whole graph as an image with a title and a description. */
export function GraphPicture({ drawing, title }: PictureProps): JSX.Element {
  const layout = layoutOf(drawing.sketch);
  const { width, height } = layout;
  return (
    <svg
      class="work-graph"
      role="img"
      aria-labelledby="work-graph-title work-graph-words"
      viewBox={`0 0 ${width} ${height}`}
      {...{ width, height }}
    >
      <title id="work-graph-title">{title}</title>
      <desc id="work-graph-words">{countWords(drawing)}</desc>
      <rect class="paper" {...{ width, height }} />
      <GraphElements drawing={drawing} layout={layout} />
    </svg>
  );
}

/** `6 atoms: 2 running, 4 resolved` */
function countWords({ atoms, counts }: Drawing): string {
  const parts = [...counts].map(([standing, count]) => `${count} ${STANDINGS[standing].words}`);
  return `${atoms.size} atoms: ${parts.join(", ")}`;
}
