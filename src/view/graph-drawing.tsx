/** The work graph as SVG elements: frames, arrows over them, boxes on top: on the page and in a report. Pure. */
import type { JSX } from "preact";
import type { DrawnFrame, Drawing, Arrow } from "./drawing.ts";
import { Shape } from "./icons.tsx";
import { layoutOf, type Layout, type Rect } from "./layout.ts";
import { STANDINGS, type Standing } from "./standing.ts";

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
  readonly place: Rect;
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
  readonly place: Rect;
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

interface Path {
  readonly arrow: Arrow;
  readonly d: string;
}

function arrowPaths(arrows: readonly Arrow[], layout: Layout): readonly Path[] {
  return arrows.flatMap((arrow, index) => {
    const from = layout.boxes.get(arrow.from) ?? layout.frames.get(arrow.from);
    const to = layout.boxes.get(arrow.to) ?? layout.frames.get(arrow.to);
    if (from === undefined || to === undefined) return [];
    // What leaves a frame leaves it at its border, not where its last box stands.
    const inner = layout.boxes.has(arrow.from) ? (layout.edges[index] ?? []).slice(1, -1) : [];
    return [{ arrow, d: curve(from, to, inner) }];
  });
}

function curve(from: Rect, to: Rect, inner: readonly { readonly x: number; readonly y: number }[]): string {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + from.height / 2, to.x - 2, to.y + to.height / 2];
  const round = (value: number): number => Math.round(value * 10) / 10;
  if (inner.length <= 1) {
    const bend = Math.max(18, Math.abs(x2 - x1) / 2);
    return `M${round(x1)} ${round(y1)}C${round(x1 + bend)} ${round(y1)} ${round(x2 - bend)} ${round(y2)} ${round(x2)} ${round(y2)}`;
  }
  const stops = [{ x: x1, y: y1 }, ...inner, { x: x2, y: y2 }];
  let path = `M${round(x1)} ${round(y1)}`;
  for (let at = 1; at < stops.length; at++) {
    const [last, next] = [stops[at - 1], stops[at]];
    if (last === undefined || next === undefined) continue;
    const middle = (next.x - last.x) / 2;
    path += `C${round(last.x + middle)} ${round(last.y)} ${round(next.x - middle)} ${round(next.y)} ${round(next.x)} ${round(next.y)}`;
  }
  return path;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;

/** The text in a few lines, with an ellipsis where it is longer. */
function linesIn(text: string, columns: number, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || (lines.length < most && columnsOf(longer) > columns)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => clipped(line, columns));
}

/** The text, or its beginning with an ellipsis. */
function clipped(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  let kept = "";
  let columns = 0;
  for (const character of text) {
    columns += WIDE.test(character) ? 2 : 1;
    if (columns > most - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}
