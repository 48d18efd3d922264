/** The work graph: boxes that can be reached by keyboard, frames around them, arrows behind them. */
import type { JSX, TargetedPointerEvent } from "preact";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Layout, Place } from "../model/layout.ts";
import type { Arrow, Drawing } from "../model/sketch.ts";
import { Icon, STANDING_WORDS } from "./icons.tsx";
import { useLayout } from "./use-layout.ts";

interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const SCALES = { least: 0.06, most: 1.6, step: 1.25, words: 0.42, names: 0.2 };
/** Around what is seen, so that moving shows no empty edge. Pixels of the screen. */
const BESIDE = 200;

interface GraphProps {
  readonly drawing: Drawing;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
}

export function GraphPanel({ drawing, selected, onSelect }: GraphProps): JSX.Element {
  const layout = useLayout(drawing.sketch);
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const [moved, setMoved] = useState<View | null>(null);
  const fitted = useMemo(() => (layout === null ? null : fit(layout, size)), [layout, size]);
  const view = moved ?? fitted ?? { x: 0, y: 0, scale: 1 };
  const zoom = (factor: number): void => setMoved(zoomed(view, factor, { x: size.width / 2, y: size.height / 2 }));
  const drag = useDrag(view, setMoved);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "+" || event.key === "=") zoom(SCALES.step);
    else if (event.key === "-") zoom(1 / SCALES.step);
    else if (event.key === "0") setMoved(null);
    else if (layout !== null && moveFocus(event, layout, stage.current)) event.preventDefault();
  };
  useEffect(() => {
    const element = stage.current;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = element?.getBoundingClientRect();
      setMoved((last) =>
        zoomed(last ?? fitted ?? view, Math.exp(-event.deltaY / 240), {
          x: event.clientX - (box?.left ?? 0),
          y: event.clientY - (box?.top ?? 0),
        }),
      );
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [fitted]);
  return (
    <div class="graph">
      <div class="graph-tools" role="group" aria-label="Zoom">
        <ToolButton name="minus" label="Smaller" onClick={() => zoom(1 / SCALES.step)} />
        <ToolButton name="plus" label="Larger" onClick={() => zoom(SCALES.step)} />
        <ToolButton name="fit" label="Show the whole graph" onClick={() => setMoved(null)} />
      </div>
      <div
        class={`stage ${view.scale < SCALES.names ? "is-dots" : view.scale < SCALES.words ? "is-far" : ""}`}
        ref={stage}
        role="group"
        aria-label={`Work graph of ${drawing.atoms.size} atoms. Arrow keys go from atom to atom, plus and minus zoom, 0 shows all.`}
        onKeyDown={onKeyDown}
        {...drag}
      >
        {layout === null ? (
          <p class="empty">Drawing the graph…</p>
        ) : (
          <World drawing={drawing} layout={layout} view={view} size={size} selected={selected} onSelect={onSelect} />
        )}
      </div>
    </div>
  );
}

function ToolButton({ name, label, onClick }: { name: string; label: string; onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="tool" aria-label={label} title={label} onClick={onClick}>
      <Icon name={name} />
    </button>
  );
}

interface WorldProps extends GraphProps {
  readonly layout: Layout;
  readonly view: View;
  readonly size: Size;
}

/** Moved and scaled as a whole: what is in it is only drawn anew when other things come into sight. */
function World({ layout, view, size, ...rest }: WorldProps): JSX.Element {
  const seen = sightOf(view, size);
  const mark = `${seen.x} ${seen.y} ${seen.width} ${seen.height}`;
  const stable = useMemo(() => seen, [mark]);
  const style = {
    transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
    width: `${layout.width}px`,
    height: `${layout.height}px`,
  };
  return (
    <div class="world" style={style}>
      <Drawn layout={layout} seen={stable} {...rest} />
    </div>
  );
}

interface DrawnProps extends GraphProps {
  readonly layout: Layout;
  readonly seen: Place;
}

/** Only what is in sight is drawn, so that a thousand atoms cost no more than those that fit. */
const Drawn = memo(function Drawn({ drawing, layout, seen, selected, onSelect }: DrawnProps): JSX.Element {
  const paths = useMemo(() => pathsOf(drawing.arrows, layout), [drawing.arrows, layout]);
  const boxes = [...layout.boxes].filter(([id, place]) => id === selected || isIn(place, seen));
  const first = drawing.sketch.boxes[0]?.id;
  const focusable = selected !== null && layout.boxes.has(selected) ? selected : (boxes[0]?.[0] ?? first);
  return (
    <>
      {[...layout.frames]
        .filter(([, place]) => isIn(place, seen))
        .map(([id, place]) => (
          <Frame key={id} id={id} place={place} drawing={drawing} selected={selected} onSelect={onSelect} />
        ))}
      <svg class="arrows" width={layout.width} height={layout.height} aria-hidden="true">
        <Tips />
        {paths
          .filter(({ span }) => isIn(span, seen))
          .map(({ arrow, d }) => {
            const near = selected !== null && (arrow.from === selected || arrow.to === selected);
            const kind = near ? "near" : arrow.met ? "met" : "open";
            return (
              <path
                key={`${arrow.from} ${arrow.to}`}
                class={`arrow is-${kind}`}
                d={d}
                marker-end={`url(#tip-${kind})`}
              />
            );
          })}
      </svg>
      {boxes.map(([id, place]) => {
        const drawn = drawing.atoms.get(id);
        if (drawn === undefined) return null;
        const { atom, standing } = drawn;
        return (
          <AtomBox
            key={id}
            id={id}
            description={atom.description}
            standing={standing}
            {...place}
            selected={id === selected}
            focusable={id === focusable}
            onSelect={onSelect}
          />
        );
      })}
    </>
  );
});

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
          <path d="M0 0.500L8 4L0 7.500z" />
        </marker>
      ))}
    </defs>
  );
}

interface AtomBoxProps {
  readonly id: string;
  readonly description: string;
  readonly standing: keyof typeof STANDING_WORDS;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly selected: boolean;
  readonly focusable: boolean;
  readonly onSelect: (atom: string) => void;
}

const AtomBox = memo(function AtomBox(props: AtomBoxProps): JSX.Element {
  const { id, description, standing, x, y, width, height, selected, focusable, onSelect } = props;
  return (
    <button
      type="button"
      class={`atom is-${standing} ${selected ? "is-selected" : ""}`}
      style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
      data-atom={id}
      data-standing={standing}
      tabIndex={focusable ? 0 : -1}
      aria-pressed={selected}
      title={`${id} · ${STANDING_WORDS[standing]}\n${description}`}
      onClick={() => onSelect(id)}
    >
      <span class="atom-sign">
        <Icon name={standing} />
      </span>
      <span class="atom-id">{id}</span>
      <span class="atom-words">{description}</span>
      <span class="unseen">, {STANDING_WORDS[standing]}</span>
    </button>
  );
});

interface FrameProps extends GraphProps {
  readonly id: string;
  readonly place: Place;
}

function Frame({ id, place, drawing, selected, onSelect }: FrameProps): JSX.Element | null {
  const frame = drawing.frames.get(id);
  if (frame === undefined) return null;
  const style = { left: `${place.x}px`, top: `${place.y}px`, width: `${place.width}px`, height: `${place.height}px` };
  const name = `frame is-${frame.kind} ${frame.standing === null ? "" : `is-${frame.standing}`}`;
  const { atom } = frame;
  return (
    <div class={`${name} ${atom !== null && atom === selected ? "is-selected" : ""}`} style={style}>
      {atom === null ? (
        <span class="frame-title">{frame.title}</span>
      ) : (
        <button type="button" class="frame-title" aria-pressed={atom === selected} onClick={() => onSelect(atom)}>
          {frame.title}
        </button>
      )}
    </div>
  );
}

interface Path {
  readonly arrow: Arrow;
  readonly d: string;
  readonly span: Place;
}

function pathsOf(arrows: readonly Arrow[], layout: Layout): readonly Path[] {
  return arrows.flatMap((arrow, index) => {
    const from = layout.boxes.get(arrow.from) ?? layout.frames.get(arrow.from);
    const to = layout.boxes.get(arrow.to) ?? layout.frames.get(arrow.to);
    if (from === undefined || to === undefined) return [];
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    const width = Math.max(from.x + from.width, to.x + to.width) - x;
    const height = Math.max(from.y + from.height, to.y + to.height) - y;
    // What leaves a frame leaves it at its border, not where its last box stands.
    const inner = layout.boxes.has(arrow.from) ? (layout.edges[index] ?? []).slice(1, -1) : [];
    return [{ arrow, d: curve(from, to, inner), span: { x, y, width, height } }];
  });
}

function curve(from: Place, to: Place, inner: readonly { readonly x: number; readonly y: number }[]): string {
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

// ── sight ───────────────────────────────────────────────────────────────────

interface Size {
  readonly width: number;
  readonly height: number;
}

function useSize(element: { readonly current: HTMLElement | null }): Size {
  const [size, setSize] = useState<Size>({ width: 800, height: 400 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = (): void => setSize({ width: current.clientWidth, height: current.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return size;
}

function fit(layout: Layout, { width, height }: Size): View {
  const scale = Math.min(1, Math.max(SCALES.least, Math.min(width / layout.width, height / layout.height)));
  return {
    scale,
    x: Math.max(0, (width - layout.width * scale) / 2),
    y: Math.max(0, (height - layout.height * scale) / 2),
  };
}

function zoomed(view: View, factor: number, about: { readonly x: number; readonly y: number }): View {
  const scale = Math.min(SCALES.most, Math.max(SCALES.least, view.scale * factor));
  const ratio = scale / view.scale;
  return { scale, x: about.x - (about.x - view.x) * ratio, y: about.y - (about.y - view.y) * ratio };
}

/** In steps, so that moving a little changes nothing. */
function sightOf(view: View, { width, height }: Size): Place {
  const step = BESIDE / view.scale;
  const down = (value: number): number => Math.floor(value / step) * step;
  return {
    x: down(-view.x / view.scale) - step,
    y: down(-view.y / view.scale) - step,
    width: down(width / view.scale) + 4 * step,
    height: down(height / view.scale) + 4 * step,
  };
}

function isIn(place: Place, seen: Place): boolean {
  return (
    place.x < seen.x + seen.width &&
    place.x + place.width > seen.x &&
    place.y < seen.y + seen.height &&
    place.y + place.height > seen.y
  );
}

type OnPointer = (event: TargetedPointerEvent<HTMLDivElement>) => void;

interface Drag {
  readonly onPointerDown: OnPointer;
  readonly onPointerMove: OnPointer;
  readonly onPointerUp: OnPointer;
  readonly onPointerCancel: OnPointer;
}

function useDrag(view: View, move: (view: View) => void): Drag {
  const from = useRef<{ readonly x: number; readonly y: number; readonly view: View } | null>(null);
  return {
    onPointerDown: (event) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest("button") !== null)) return;
      from.current = { x: event.clientX, y: event.clientY, view };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event) => {
      const { current } = from;
      if (current === null) return;
      move({
        ...current.view,
        x: current.view.x + event.clientX - current.x,
        y: current.view.y + event.clientY - current.y,
      });
    },
    onPointerUp: () => {
      from.current = null;
    },
    onPointerCancel: () => {
      from.current = null;
    },
  };
}

const WAYS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The nearest atom that way. @returns whether the key was one of these */
function moveFocus(event: KeyboardEvent, layout: Layout, stage: HTMLElement | null): boolean {
  const way = WAYS[event.key];
  const here = event.target instanceof HTMLElement ? layout.boxes.get(event.target.dataset["atom"] ?? "") : undefined;
  if (way === undefined || here === undefined) return false;
  let best: { readonly id: string; readonly far: number } | null = null;
  for (const [id, place] of layout.boxes) {
    const [dx, dy] = [place.x - here.x, place.y - here.y];
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    const far = along + 2.5 * aside;
    if (along > 4 && (best === null || far < best.far)) best = { id, far };
  }
  if (best === null) return true;
  const next = stage?.querySelector<HTMLElement>(`[data-atom="${CSS.escape(best.id)}"]`);
  next?.focus();
  return true;
}
