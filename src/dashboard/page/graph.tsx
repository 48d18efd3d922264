/** The work graph, with pan, zoom and keyboard access. */
import type { JSX, TargetedPointerEvent } from "preact";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Drawing } from "../../view/drawing.ts";
import { GraphElements } from "../../view/graph-drawing.tsx";
import { ToolButton } from "./parts.tsx";
import type { Layout, Rect, Sketch } from "../../view/layout.ts";
import { atomThatWay, fit, following, held, SCALES, showing, zoomed, type Size, type View } from "./graph-visible.ts";
import { Icon } from "../../view/icons.tsx";

interface GraphProps {
  readonly drawing: Drawing;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
}

export function GraphPanel({ drawing, selected, onSelect }: GraphProps): JSX.Element {
  const [view, setView] = useState<Chosen>(null);
  const running = useMemo(
    () => drawing.sketch.boxes.flatMap(({ id }) => (drawing.atoms.get(id)?.standing === "running" ? [id] : [])),
    [drawing],
  );
  const layout = useLayout(drawing.sketch);
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const { shown, fitted } = useSight(layout, size, view, running);
  const zoom = (factor: number, about = { x: size.width / 2, y: size.height / 2 }): void =>
    setView(zoomed(shown, factor, about, fitted.scale));
  const drag = useDrag(shown, setView);
  useWheel(stage, zoom);
  const showAll = (): void => setView("whole");
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "+" || event.key === "=") zoom(SCALES.step);
    else if (event.key === "-") zoom(1 / SCALES.step);
    else if (event.key === "0") showAll();
    else if (event.key === "Enter" || event.key === " ") press(event);
    else if (layout !== null && stage.current !== null)
      walk(event, layout, stage.current, (place) => setView(showing(shown, place, size)));
  };
  return (
    <div class="graph">
      <div class="graph-tools" role="group" aria-label="What is shown of the graph">
        <button
          type="button"
          class="plain"
          aria-pressed={view === "running"}
          disabled={running.length === 0}
          onClick={() => setView(view === "running" ? "whole" : "running")}
        >
          <Icon name="running" /> Follow
        </button>
        <ToolButton name="minus" label="Smaller" onClick={() => zoom(1 / SCALES.step)} />
        <ToolButton name="plus" label="Larger" onClick={() => zoom(SCALES.step)} />
        <ToolButton name="fit" label="Show the whole graph" onClick={showAll} />
      </div>
      <div
        class="stage"
        ref={stage}
        tabIndex={-1}
        role="group"
        aria-label={`Work graph of ${drawing.sketch.boxes.length} atoms. Arrow keys go from box to box, plus and minus zoom, 0 shows all.`}
        onKeyDown={onKeyDown}
        {...drag}
      >
        {layout === null ? (
          <p class="empty">Drawing the graph…</p>
        ) : (
          <World {...{ drawing, layout, selected, onSelect }} view={shown} />
        )}
      </div>
    </div>
  );
}

/** The view that was chosen; null: none yet. */
type Chosen = View | "whole" | "running" | null;

/** `shown`: the view now; `fitted`: the one of the whole graph. */
function useSight(
  layout: Layout | null,
  size: Size,
  view: Chosen,
  running: readonly string[],
): { readonly shown: View; readonly fitted: View } {
  const fitted = useMemo(() => (layout === null ? { x: 0, y: 0, scale: 1 } : fit(layout, size)), [layout, size]);
  const shown = useMemo(() => {
    if (layout === null || view === "whole") return fitted;
    if (view !== null && typeof view === "object") return held(view, layout, size);
    const follows = view === "running" || fitted.scale < SCALES.whole;
    const places = follows ? running.flatMap((id) => layout.boxes.get(id) ?? []) : [];
    return held(following(places, size) ?? fitted, layout, size);
  }, [layout, fitted, view, running]);
  return { shown, fitted };
}

/** An arrow key moves the focus to the next box in its direction, or from the stage to a box. */
function walk(event: KeyboardEvent, layout: Layout, stage: HTMLElement, show: (place: Rect) => void): void {
  const focus = (selector: string): void => stage.querySelector<SVGElement>(selector)?.focus({ preventScroll: true });
  if (event.target === stage && event.key.startsWith("Arrow")) return focus('[role="button"][tabindex="0"]');
  const next = atomThatWay(event, layout);
  const place = layout.boxes.get(next ?? "");
  if (next !== undefined) event.preventDefault();
  if (place === undefined) return;
  show(place);
  focus(`[data-atom="${CSS.escape(next ?? "")}"]`);
}

/** Zooms with Ctrl (or Cmd) and the wheel. */
function useWheel(
  stage: { readonly current: HTMLElement | null },
  zoom: (factor: number, about: { x: number; y: number }) => void,
): void {
  const newest = useRef(zoom);
  newest.current = zoom;
  useEffect(() => {
    const element = stage.current;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = element?.getBoundingClientRect();
      const about = { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
      newest.current(Math.exp(-event.deltaY / 240), about);
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);
}

interface WorldProps extends GraphProps {
  readonly layout: Layout;
  readonly view: View;
}

/** Pans and zooms by a CSS transform, so that the picture renders only when its content changes. */
function World({ layout, view, ...rest }: WorldProps): JSX.Element {
  const style = {
    transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
    width: `${layout.width}px`,
    height: `${layout.height}px`,
  };
  return (
    <div class="world" style={style}>
      <Picture layout={layout} {...rest} />
    </div>
  );
}

const Picture = memo(function Picture({ drawing, layout, selected, onSelect }: Omit<WorldProps, "view">): JSX.Element {
  const first = drawing.sketch.boxes[0]?.id ?? null;
  const focusable = selected !== null && layout.boxes.has(selected) ? selected : first;
  return (
    <svg class="work-graph" width={layout.width} height={layout.height}>
      <GraphElements drawing={drawing} layout={layout} act={{ selected, focusable, onSelect }} />
    </svg>
  );
});

/** Makes Enter and Space click an SVG element, as they would a button. */
function press(event: KeyboardEvent): void {
  if (!(event.target instanceof SVGElement)) return;
  event.preventDefault();
  event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
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

/** The sketch's layout by the worker; the previous one until it is ready. */
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

/** The page's policy demands a trusted script URL where the browser supports trusted types. */
function scriptUrl(path: "/layout.js"): string {
  const types = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
  if (types === undefined) return path;
  policy ??= types.createPolicy("aot", { createScriptURL: (url) => url });
  return policy.createScriptURL(path);
}
