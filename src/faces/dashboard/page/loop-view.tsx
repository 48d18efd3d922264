/** An AoT loop: how it stands, its graph, its time, and what was learnt. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { outcomeSentence } from "../../../app/run/outcome-words.ts";
import type { Standing } from "../../../app/pictures/graph-text.ts";
import { AtomPanel } from "./atom-panel.tsx";
import type { Api, LoopEntry, Reply } from "./api.ts";
import { ApproveDialog, RedirectDialog, ResumeDialog, StopDialog } from "./dialogs.tsx";
import { GraphPanel } from "./graph.tsx";
import { Header } from "./header.tsx";
import { Icon, STANDING_WORDS, StandingMark } from "./icons.tsx";
import { createLoopModel, type LoopModel } from "./loop-model.ts";
import { ChecksPanel } from "./checks-panel.tsx";
import { MeasurePanel } from "./measure-panel.tsx";
import { HostedPanel } from "./hosted-panel.tsx";
import { choicesIn } from "../model/choices.ts";
import { CostPanel, JournalPanel, TrailPanel } from "./panels.tsx";
import { sceneOf, type Scene } from "./scene.ts";
import { Tabs } from "./tabs.tsx";
import { TimelinePanel } from "./timeline-panel.tsx";
import { dollars, lasting, moment } from "./words.ts";

interface LoopProps {
  readonly api: Api;
  readonly loop: LoopEntry;
  readonly canAct: boolean;
  readonly chooser: JSX.Element | null;
  readonly onReply: (reply: Reply) => void;
}

/** A bar that grows is drawn anew this often. */
const TICK_MS = 1_000;

export function LoopView({ api, loop, canAct, chooser, onReply }: LoopProps): JSX.Element {
  const { model, version, now } = useModel(api, loop.key);
  const [position, setPosition] = useState<number | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const [tab, setTab] = useState("checks");
  const [asking, setAsking] = useState<"stop" | "redirect" | "resume" | "approve" | null>(null);
  const scene = useMemo(() => (model === null ? null : sceneOf(model, position, now)), [model, version, position, now]);
  const select = (atom: string): void => {
    setSelected(atom);
    setTab("atom");
  };
  const close = (reply: Reply | null): void => {
    setAsking(null);
    if (reply !== null) onReply(reply);
  };
  const problem = model?.problem() ?? null;
  const link = model?.link() ?? "connecting";
  const { status = "pending", outcome = null } = scene?.state.control ?? {};
  const hosted = model?.hosted() ?? null;
  const isHosted = loop.engine !== undefined;
  return (
    <>
      <Header title={scene?.state.objective.goal ?? loop.name} status={status} link={link} chooser={chooser}>
        {/* Nothing is asked for on the look of the past. */}
        {canAct && scene !== null && scene.position === null && status !== "completed" && (
          <>
            {isHosted && status === "stopped" && (
              <button
                type="button"
                class="plain"
                onClick={() => setAsking(outcome === "needs_confirmation" ? "approve" : "resume")}
              >
                <Icon name={outcome === "needs_confirmation" ? "resolved" : "play"} />{" "}
                {outcome === "needs_confirmation" ? "Approve" : "Resume"}
              </button>
            )}
            <button type="button" class="plain" onClick={() => setAsking("redirect")}>
              <Icon name="turn" /> Redirect
            </button>
            <button type="button" class="plain" disabled={status === "stopped"} onClick={() => setAsking("stop")}>
              <Icon name="stop" /> Stop
            </button>
          </>
        )}
      </Header>
      <main class={position === null ? "" : "looks-back"}>
        {problem === null ? null : (
          <p class="banner is-problem" role="alert">
            {problem}
          </p>
        )}
        {hosted !== null && hosted.away !== null && (
          <p class="banner is-problem" role="alert">
            The engine does not answer: what you see is how it stood. It is asked again and again. {hosted.away}
          </p>
        )}
        {link === "lost" && (
          <p class="banner is-halted">
            The dashboard does not answer: what you see is how it stood. It is asked again and again.
          </p>
        )}
        {scene === null || model === null ? (
          <p class="empty">Reading the loop…</p>
        ) : (
          <>
            {scene.position === null ? null : (
              <p class="banner" role="status">
                Looking back at {moment(scene.time)}, iteration {scene.state.control.iteration}. What you see is not how
                it stands now.
              </p>
            )}
            <Outcome scene={scene} />
            <Tiles scene={scene} model={model} />
            {hosted === null ? null : <HostedPanel hosted={hosted} />}
            <div class="columns">
              <WorkPanel scene={scene} selected={selected} onSelect={select} />
              <aside class="panel aside" aria-label="Details">
                <Tabs
                  name="details"
                  chosen={tab}
                  onChoose={setTab}
                  tabs={[
                    { id: "atom", label: "Atom" },
                    { id: "checks", label: "Checks", count: scene.story.checks.length },
                    {
                      id: "trail",
                      label: "Trail",
                      count: choicesIn(scene.state).length + scene.state.corrections.length,
                    },
                    { id: "cost", label: "Cost" },
                    { id: "journal", label: "Journal" },
                  ]}
                >
                  <Detail
                    tab={tab}
                    scene={scene}
                    selected={selected}
                    api={api}
                    loop={loop.key}
                    elsewhere={isHosted}
                    onSelect={select}
                  />
                </Tabs>
              </aside>
            </div>
            <div class="columns">
              <TimelinePanel
                scene={scene}
                selected={selected}
                onSelect={select}
                onMove={setPosition}
                lines={model.lines()}
                leftOut={model.leftOut()}
              />
              <MeasurePanel scene={scene} />
            </div>
          </>
        )}
      </main>
      {asking === "stop" && <StopDialog api={api} loop={loop.key} hosted={isHosted} onClose={close} />}
      {asking === "resume" && <ResumeDialog api={api} loop={loop.key} onClose={close} />}
      {asking === "approve" && <ApproveDialog api={api} loop={loop.key} onClose={close} />}
      {asking === "redirect" && scene !== null && (
        <RedirectDialog api={api} loop={loop.key} state={scene.state} onClose={close} />
      )}
    </>
  );
}

function useModel(
  api: Api,
  key: string,
): { readonly model: LoopModel | null; readonly version: number; readonly now: number } {
  const [model, setModel] = useState<LoopModel | null>(null);
  const [version, setVersion] = useState(0);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const made = createLoopModel(api, key);
    setModel(made);
    const off = made.onChange(() => {
      setVersion(made.version());
      setNow(Date.now());
    });
    return () => {
      off();
      made.close();
    };
  }, [key]);
  useEffect(() => {
    const timer = setInterval(() => model?.isAtWork() === true && setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [model]);
  return { model, version, now };
}

interface DetailProps {
  readonly tab: string;
  readonly scene: Scene;
  readonly selected: string | null;
  readonly api: Api;
  readonly loop: string;
  readonly elsewhere: boolean;
  readonly onSelect: (atom: string) => void;
}

function Detail({ tab, scene, selected, api, loop, elsewhere, onSelect }: DetailProps): JSX.Element {
  switch (tab) {
    case "atom":
      return <AtomPanel scene={scene} id={selected} api={api} loop={loop} elsewhere={elsewhere} onSelect={onSelect} />;
    case "trail":
      return <TrailPanel scene={scene} />;
    case "cost":
      return <CostPanel scene={scene} />;
    case "journal":
      return <JournalPanel scene={scene} onSelect={onSelect} />;
    default:
      return <ChecksPanel scene={scene} />;
  }
}

function Outcome({ scene }: { readonly scene: Scene }): JSX.Element | null {
  const { status, outcome, stop_reason, stop_requested } = scene.state.control;
  if (status === "running" && stop_requested)
    return <p class="banner">A stop is requested: attempts in flight are finished first.</p>;
  if (status !== "stopped" && status !== "completed") return null;
  const good = outcome === "verified";
  const said = good ? "" : (stop_reason ?? "");
  const { words, reason } =
    outcome === null || outcome === undefined
      ? { words: status, reason: said === "" ? "" : `: ${said}` }
      : outcomeSentence(outcome, said);
  return (
    <p class={`banner ${good ? "is-good" : "is-halted"}`}>
      <Icon name={good ? "resolved" : "stop"} />
      <b>{words}</b>
      {reason}
    </p>
  );
}

// ── numbers ─────────────────────────────────────────────────────────────────

function Tiles({ scene, model }: { readonly scene: Scene; readonly model: LoopModel }): JSX.Element {
  const { state, drawing, limits, story, memory, timeline } = scene;
  const attempts = Object.values(memory.attempts).reduce((sum, count) => sum + count, 0);
  const running = timeline.bars.filter(
    ({ from, to, end }) => from <= scene.time && (to > scene.time || (end === "running" && scene.position === null)),
  ).length;
  const { pid } = model.runner();
  const of = (limit: number, words: (value: number) => string): string =>
    Number.isFinite(limit) ? `of ${words(limit)}` : "no limit";
  return (
    <dl class="tiles">
      <Tile
        name="Left (M)"
        value={String(drawing.measure)}
        more={`${drawing.resolved} of ${drawing.resolved + drawing.measure} resolved`}
        share={drawing.resolved / Math.max(1, drawing.resolved + drawing.measure)}
      />
      <Tile
        name="Iteration"
        value={String(state.control.iteration)}
        more={of(limits.max_iterations, String)}
        share={state.control.iteration / limits.max_iterations}
      />
      <Tile
        name="Without progress"
        value={String(state.control.stall_count)}
        more={`stops at ${state.objective.constraints.max_stall_count}`}
        share={state.control.stall_count / state.objective.constraints.max_stall_count}
        warn
      />
      <Tile
        name="Agents at work"
        value={String(running)}
        more={`of ${limits.parallel}${pid === null || scene.position !== null ? "" : `, pid ${pid}`}`}
        share={running / limits.parallel}
      />
      <Tile
        name="Attempts"
        value={String(attempts)}
        more={story.failures === 0 ? "none failed" : `${story.failures} failed`}
      />
      <Tile
        name="Cost"
        value={dollars(memory.cost_usd)}
        more={of(limits.max_cost_usd, dollars)}
        share={memory.cost_usd / limits.max_cost_usd}
      />
      <Tile
        name="Working time"
        value={lasting(memory.active_ms)}
        more={of(limits.max_duration_ms, lasting)}
        share={memory.active_ms / limits.max_duration_ms}
      />
    </dl>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly more: string;
  readonly share?: number;
  readonly warn?: boolean;
}

function Tile({ name, value, more, share, warn = false }: TileProps): JSX.Element {
  const filled = share === undefined || !Number.isFinite(share) ? 0 : Math.min(1, share);
  return (
    <div class={`tile ${warn && filled > 0 ? "is-warning" : ""}`}>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b> <small>{more}</small>
        <span class="tile-bar" aria-hidden="true">
          <i style={{ width: `${filled * 100}%` }} />
        </span>
      </dd>
    </div>
  );
}

// ── the work ────────────────────────────────────────────────────────────────

interface WorkProps {
  readonly scene: Scene;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
}

const NARROW = "(max-width: 640px)";

function WorkPanel({ scene, selected, onSelect }: WorkProps): JSX.Element {
  const [shown, setShown] = useState<"graph" | "list">(() => (matchMedia(NARROW).matches ? "list" : "graph"));
  return (
    <section class="panel work" aria-labelledby="work-title">
      <h2 id="work-title">
        Work
        <StandingCounts scene={scene} />
        <span class="switch" role="group" aria-label="Show the work as">
          {(["graph", "list"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={shown === one} onClick={() => setShown(one)}>
              {one === "graph" ? "Graph" : "List"}
            </button>
          ))}
        </span>
      </h2>
      {shown === "graph" ? (
        <GraphPanel drawing={scene.drawing} selected={selected} onSelect={onSelect} />
      ) : (
        <AtomList scene={scene} selected={selected} onSelect={onSelect} />
      )}
    </section>
  );
}

const ORDER: readonly Standing[] = ["running", "ready", "waiting", "resolved", "given_up", "untried", "container"];

function StandingCounts({ scene }: { readonly scene: Scene }): JSX.Element {
  const counts = new Map<Standing, number>();
  for (const { standing } of scene.drawing.atoms.values()) counts.set(standing, (counts.get(standing) ?? 0) + 1);
  return (
    <span class="legend">
      {ORDER.filter((standing) => counts.has(standing)).map((standing) => (
        <span key={standing} class={`key mark is-${standing}`}>
          <Icon name={standing} />
          {counts.get(standing)} {STANDING_WORDS[standing]}
        </span>
      ))}
    </span>
  );
}

/** More would make a phone wait. */
const ROWS = 400;

function AtomList({ scene, selected, onSelect }: WorkProps): JSX.Element {
  const atoms = [...scene.drawing.atoms.values()].toSorted(
    (a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing),
  );
  return (
    <div class="list">
      <ul>
        {atoms.slice(0, ROWS).map(({ atom, standing }) => (
          <li key={atom.id}>
            <button
              type="button"
              class={`row ${atom.id === selected ? "is-selected" : ""}`}
              aria-pressed={atom.id === selected}
              data-atom={atom.id}
              data-standing={standing}
              onClick={() => onSelect(atom.id)}
            >
              <b>{atom.id}</b>
              <StandingMark standing={standing} />
              <span class="row-words">{atom.description}</span>
            </button>
          </li>
        ))}
      </ul>
      {atoms.length > ROWS && <p class="note">{atoms.length - ROWS} more; the graph shows all.</p>}
    </div>
  );
}
