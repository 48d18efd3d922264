/** The work graph: boxes that can be reached by keyboard, frames around them, arrows behind them. */
import type { JSX, TargetedPointerEvent } from "preact";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Drawing } from "../../view/drawing.ts";
import { GraphElements } from "../../view/graph-drawing.tsx";
import { ToolButton } from "./parts.tsx";
import type { Layout, Place, Sketch } from "../../view/layout.ts";
import { atomThatWay, fit, SCALES, showing, visibleOf, zoomed, type Size, type View } from "./graph-visible.ts";
import { isIn } from "../../view/arrow-paths.ts";

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
    // What was not visible is drawn by then.
    requestAnimationFrame(() => {
      const box = stage.current?.querySelector<SVGElement>(`[data-atom="${CSS.escape(next ?? "")}"]`);
      box?.focus({ preventScroll: true });
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "+" || event.key === "=") zoom(SCALES.step);
    else if (event.key === "-") zoom(1 / SCALES.step);
    else if (event.key === "0") setMoved(null);
    else if (event.key === "Enter" || event.key === " ") press(event);
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

interface WorldProps extends GraphProps {
  readonly layout: Layout;
  readonly view: View;
  readonly size: Size;
}

/** Moved and scaled as a whole: what is in it is only drawn anew when other things come into view. */
function World({ layout, view, size, ...rest }: WorldProps): JSX.Element {
  const seen = visibleOf(view, size);
  const mark = `${seen.x} ${seen.y} ${seen.width} ${seen.height}`;
  const stable = useMemo(() => seen, [mark]);
  const style = {
    transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
    width: `${layout.width}px`,
    height: `${layout.height}px`,
  };
  return (
    <div class="world" style={style}>
      <Picture layout={layout} seen={stable} {...rest} />
    </div>
  );
}

interface PictureProps extends GraphProps {
  readonly layout: Layout;
  readonly seen: Place;
}

/** Only what is visible is drawn, so that a thousand atoms cost no more than those that fit. */
const Picture = memo(function Picture({ drawing, layout, seen, selected, onSelect }: PictureProps): JSX.Element {
  const first = [...layout.boxes].find(([, place]) => isIn(place, seen))?.[0] ?? drawing.sketch.boxes[0]?.id ?? null;
  const focusable = selected !== null && layout.boxes.has(selected) ? selected : first;
  return (
    <svg class="work-graph" width={layout.width} height={layout.height}>
      <GraphElements drawing={drawing} layout={layout} seen={seen} act={{ selected, focusable, onSelect }} />
    </svg>
  );
});

/** What is drawn does at a key what a button does. */
function press(event: KeyboardEvent): void {
  if (!(event.target instanceof SVGElement)) return;
  event.preventDefault();
  event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
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

type Drag = Readonly<Record<"onPointerDown" | "onPointerMove" | "onPointerUp" | "onPointerCancel", OnPointer>>;

function useDrag(view: View, move: (view: View) => void): Drag {
  const from = useRef<{ readonly x: number; readonly y: number; readonly view: View } | null>(null);
  const end = (): void => {
    from.current = null;
  };
  return {
    onPointerDown: (event) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest("[role=button]") !== null))
        return;
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
    onPointerUp: end,
    onPointerCancel: end,
  };
}

// The layout of a sketch, made by the worker; until it comes the last one stands.

function useLayout(sketch: Sketch): Layout | null {
  const [layout, setLayout] = useState<Layout | null>(null);
  const worker = useRef<Worker | null>(null);
  const asked = useRef(0);
  const shape = JSON.stringify(sketch);
  useEffect(() => {
    const made = new Worker(scriptUrl("/layout.js"));
    worker.current = made;
    return () => made.terminate();
  }, []);
  useEffect(() => {
    const own = ++asked.current;
    const made = worker.current;
    if (made === null) return undefined;
    const hear = (event: MessageEvent<{ readonly id: number; readonly layout: Layout }>): void => {
      if (event.data.id === own) setLayout(event.data.layout);
    };
    made.addEventListener("message", hear);
    made.postMessage({ id: own, sketch });
    return () => made.removeEventListener("message", hear);
  }, [shape]);
  return layout;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | null = null;

/** Only our own worker is ever started; browsers that know trusted types want that said. */
function scriptUrl(path: "/layout.js"): string {
  const types = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
  if (types === undefined) return path;
  policy ??= types.createPolicy("aot", { createScriptURL: (url) => url });
  return policy.createScriptURL(path);
}
