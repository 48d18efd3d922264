/** The work graph: boxes that can be reached by keyboard, frames around them, arrows behind them. */
import type { JSX, TargetedPointerEvent } from "preact";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Layout, Place } from "../model/layout.ts";
import type { Drawing } from "../model/sketch.ts";
import {
  atomThatWay,
  fit,
  isIn,
  pathsOf,
  SCALES,
  showing,
  sightOf,
  zoomed,
  type Size,
  type View,
} from "./graph-sight.ts";
import { Icon, STANDING_WORDS } from "./icons.tsx";
import { useLayout } from "./use-layout.ts";

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
  const walk = (event: KeyboardEvent, layout: Layout): void => {
    const next = atomThatWay(event, layout);
    const place = layout.boxes.get(next ?? "");
    if (next !== undefined) event.preventDefault();
    if (place === undefined) return;
    setMoved(showing(view, place, size));
    // What was out of sight is drawn by then.
    requestAnimationFrame(() => {
      const box = stage.current?.querySelector<HTMLElement>(`[data-atom="${CSS.escape(next ?? "")}"]`);
      box?.focus({ preventScroll: true });
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "+" || event.key === "=") zoom(SCALES.step);
    else if (event.key === "-") zoom(1 / SCALES.step);
    else if (event.key === "0") setMoved(null);
    else if (layout !== null) walk(event, layout);
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

// ── sight ───────────────────────────────────────────────────────────────────

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
