/** The work graph: boxes that can be reached by keyboard, frames around them, arrows behind them, a map of all of it. */
import type { JSX, TargetedPointerEvent } from "preact";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Drawing } from "../../view/drawing.ts";
import { GraphElements } from "../../view/graph-drawing.tsx";
import { MiniMap } from "./minimap.tsx";
import { ToolButton } from "./parts.tsx";
import type { Layout, Place, Sketch } from "../../view/layout.ts";
import {
  atomThatWay,
  fit,
  following,
  held,
  SCALES,
  showing,
  visibleOf,
  zoomed,
  type Size,
  type View,
} from "./graph-visible.ts";
import { clustered, CROWDED, framesAround } from "../../view/clusters.ts";
import { Icon } from "../../view/icons.tsx";
import { isIn } from "../../view/arrow-paths.ts";

interface GraphProps {
  readonly drawing: Drawing;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
}

export function GraphPanel({ drawing: whole, selected, onSelect }: GraphProps): JSX.Element {
  const [view, setView] = useState<Chosen>(null);
  const { drawing, running, isLarge, open, closeAll } = useClusters(whole, selected, view === "running");
  const layout = useLayout(drawing.sketch);
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const { shown, fitted } = useSight(layout, size, view, { running, isLarge });
  const zoom = (factor: number, about = { x: size.width / 2, y: size.height / 2 }): void =>
    setView(zoomed(shown, factor, about, fitted.scale));
  const drag = useDrag(shown, setView);
  useWheel(stage, zoom);
  const showAll = (): void => {
    closeAll();
    setView("whole");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "+" || event.key === "=") zoom(SCALES.step);
    else if (event.key === "-") zoom(1 / SCALES.step);
    else if (event.key === "0") showAll();
    else if (event.key === "Enter" || event.key === " ") press(event);
    else if (layout !== null && stage.current !== null)
      walk(event, layout, stage.current, (place) => setView(showing(shown, place, size)));
  };
  const onOpen = (cluster: string): void => {
    open(cluster);
    setView({ around: cluster });
    // Its box is gone with what it had the focus for.
    stage.current?.focus({ preventScroll: true });
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
        class={`stage ${detailAt(shown.scale)}`}
        ref={stage}
        tabIndex={-1}
        role="group"
        aria-label={`Work graph of ${whole.sketch.boxes.length} atoms. Arrow keys go from box to box, plus and minus zoom, 0 shows all.`}
        onKeyDown={onKeyDown}
        {...drag}
      >
        {layout === null ? (
          <p class="empty">Drawing the graph…</p>
        ) : (
          <World {...{ drawing, layout, size, selected, onSelect, onOpen }} view={shown} />
        )}
      </div>
      {layout !== null && shown.scale > fitted.scale * 1.05 && (
        <MiniMap drawing={drawing} layout={layout} view={shown} size={size} onMove={setView} />
      )}
    </div>
  );
}

/** What a person wants to see; null: nothing was said. */
type Chosen = View | "whole" | "running" | { readonly around: string } | null;

interface Clusters {
  readonly drawing: Drawing;
  readonly running: readonly string[];
  readonly isLarge: boolean;
  open(cluster: string): void;
  closeAll(): void;
}

/** The drawing with what is opened, looked at or followed box by box. */
function useClusters(whole: Drawing, selected: string | null, follows: boolean): Clusters {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const running = useMemo(
    () => whole.sketch.boxes.flatMap(({ id }) => (whole.atoms.get(id)?.standing === "running" ? [id] : [])),
    [whole],
  );
  const isLarge = whole.sketch.boxes.length > CROWDED.boxes;
  const drawing = useMemo(() => {
    const wanted = [...(selected === null ? [] : [selected]), ...(follows ? running : [])];
    const around = isLarge ? wanted.flatMap(framesAround(whole)) : [];
    return clustered(whole, new Set([...opened, ...around]), new Set(wanted));
  }, [whole, opened, selected, follows, running]);
  return {
    drawing,
    running,
    isLarge,
    open: (cluster) => setOpened(new Set([...opened, cluster])),
    closeAll: () => setOpened(new Set()),
  };
}

/** What is seen, and what would be of the whole. */
function useSight(
  layout: Layout | null,
  size: Size,
  view: Chosen,
  { running, isLarge }: Pick<Clusters, "running" | "isLarge">,
): { readonly shown: View; readonly fitted: View } {
  const fitted = useMemo(() => (layout === null ? { x: 0, y: 0, scale: 1 } : fit(layout, size)), [layout, size]);
  const shown = useMemo(() => {
    if (layout === null || view === "whole") return fitted;
    if (view !== null && typeof view === "object" && "scale" in view) return held(view, layout, size);
    const placesOf = (atoms: readonly string[]): readonly Place[] => atoms.flatMap((id) => layout.boxes.get(id) ?? []);
    // A large graph begins with all of it, cluster by cluster; one that cannot be read as a whole where something runs.
    const begins = view === null && !isLarge && fitted.scale < SCALES.whole;
    const frame = view !== null && typeof view === "object" ? layout.frames.get(view.around) : undefined;
    const places = view === "running" || begins ? placesOf(running) : frame === undefined ? [] : [frame];
    return held(following(places, size) ?? fitted, layout, size);
  }, [layout, fitted, view, running, isLarge]);
  return { shown, fitted };
}

/** An arrow key goes to the next box that way, and from the stage into the graph. */
function walk(event: KeyboardEvent, layout: Layout, stage: HTMLElement, show: (place: Place) => void): void {
  const focus = (selector: string): void => stage.querySelector<SVGElement>(selector)?.focus({ preventScroll: true });
  if (event.target === stage && event.key.startsWith("Arrow")) return focus('[role="button"][tabindex="0"]');
  const next = atomThatWay(event, layout);
  const place = layout.boxes.get(next ?? "");
  if (next !== undefined) event.preventDefault();
  if (place === undefined) return;
  show(place);
  const name = CSS.escape(next ?? "");
  // What was not visible is drawn by then.
  requestAnimationFrame(() => focus(`[data-atom="${name}"],[data-cluster="${name}"]`));
}

/** Ctrl and the wheel. */
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

/** How much of a box is drawn. */
function detailAt(scale: number): string {
  if (scale >= SCALES.words) return "";
  return scale >= SCALES.lines ? "is-near" : scale >= SCALES.names ? "is-far" : "is-dots";
}

interface WorldProps extends GraphProps {
  readonly onOpen: (cluster: string) => void;
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
    "--scale": String(view.scale),
  };
  return (
    <div class="world" style={style}>
      <Picture layout={layout} seen={stable} {...rest} />
    </div>
  );
}

interface PictureProps extends GraphProps {
  readonly onOpen: (cluster: string) => void;
  readonly layout: Layout;
  readonly seen: Place;
}

/** Only what is visible is drawn, so that a thousand atoms cost no more than those that fit. */
const Picture = memo(function Picture({
  drawing,
  layout,
  seen,
  selected,
  onSelect,
  onOpen,
}: PictureProps): JSX.Element {
  const first = [...layout.boxes].find(([, place]) => isIn(place, seen))?.[0] ?? drawing.sketch.boxes[0]?.id ?? null;
  const focusable = selected !== null && layout.boxes.has(selected) ? selected : first;
  return (
    <svg class="work-graph" width={layout.width} height={layout.height}>
      <GraphElements drawing={drawing} layout={layout} seen={seen} act={{ selected, focusable, onSelect, onOpen }} />
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
