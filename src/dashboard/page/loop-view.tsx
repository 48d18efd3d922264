/** The page of one AoT loop: status, graph, timeline, and details. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { checkNodesOf, leavesOf } from "../../core/verdict.ts";
import { ChecksPanel } from "../../view/checks-panel.tsx";
import { choicesIn } from "../../view/choices.ts";
import { Icon, StandingMark } from "../../view/icons.tsx";
import { CostPanel, Outcome, Tiles, TrailPanel } from "../../view/loop-panels.tsx";
import { MeasurePanel } from "../../view/measure-panel.tsx";
import { SpentPanel } from "../../view/spent-panel.tsx";
import { MOST_DRAWN, readable } from "../../view/narrowed.ts";
import { ORDER } from "../../view/standing.ts";
import { moment } from "../../view/words.ts";
import type { DrawnAtom } from "../../view/drawing.ts";
import { ALL_ATOMS, FilterBar, filtered, matching } from "./atom-filter.tsx";
import { AtomPanel } from "./atom-panel.tsx";
import { AttemptViewer, type Viewed } from "./attempt-viewer.tsx";
import type { Api, LoopEntry, Reply } from "./api.ts";
import { DecideDialog, ResumeDialog, StopDialog } from "./dialogs.tsx";
import { RedirectDialog } from "./redirect-dialog.tsx";
import { GraphPanel } from "./graph.tsx";
import { useHaltNotice } from "./halt-notice.tsx";
import { Header } from "./header.tsx";
import { createLoopModel, type LoopModel } from "./loop-model.ts";
import { LostLink, Problem, Switch } from "./parts.tsx";
import { JournalPanel } from "./journal-panel.tsx";
import { sceneAt, type LiveScene } from "./scene.ts";
import { Tabs } from "./tabs.tsx";
import { LiveTimeline } from "./timeline-panel.tsx";

interface LoopProps {
  readonly api: Api;
  readonly loop: LoopEntry;
  readonly canAct: boolean;
  readonly chooser: JSX.Element | null;
  readonly onReply: (reply: Reply) => void;
}

/** How often the time shown advances while the loop runs. */
const TICK_MS = 1_000;

export function LoopView({ api, loop, canAct, chooser, onReply }: LoopProps): JSX.Element {
  const { model, version, now } = useModel(api, loop.key);
  const [position, setPosition] = useState<number | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const [tab, setTab] = useState("checks");
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const [asking, setAsking] = useState<"stop" | "redirect" | "resume" | "decide" | null>(null);
  const scene = useMemo(() => (model === null ? null : sceneAt(model, position, now)), [model, version, position, now]);
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
  const canResume = model !== null && !model.isAtWork();
  useHaltNotice(scene);
  return (
    <>
      <Header title={scene?.state.objective.goal ?? loop.name} status={status} link={link} chooser={chooser}>
        {/* No actions while looking back: the state shown is not the current one. */}
        {canAct && scene !== null && scene.position === null && status !== "completed" && (
          <>
            {outcome === "needs_confirmation" && (
              <button type="button" class="plain" onClick={() => setAsking("decide")}>
                <Icon name="resolved" /> Confirm or reject
              </button>
            )}
            {canResume && (
              <button type="button" class="plain" onClick={() => setAsking("resume")}>
                <Icon name="play" /> {status === "pending" ? "Run" : "Resume"}
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
      <main class={`${position === null ? "" : "looks-back"}${viewed === null ? "" : " has-viewer"}`}>
        <Problem>{problem}</Problem>
        <LostLink link={link} />
        {scene === null || model === null ? (
          <p class="empty">
            {problem === null
              ? "Reading the loop…"
              : 'There is no loop to show. Begin one with `aot run "GOAL" --check "COMMAND"`; this page shows it then.'}
          </p>
        ) : (
          <>
            {scene.position === null ? null : (
              <p class="banner" role="status">
                Looking back at {moment(scene.time)}, iteration {scene.state.control.iteration}. This is not the current
                state.
              </p>
            )}
            <Outcome scene={scene} />
            <Tiles scene={scene} runner={runnerWords(model, scene)} />
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
                    { id: "trail", label: "Trail", count: trailLength(scene) },
                    { id: "cost", label: "Cost" },
                    { id: "journal", label: "Journal" },
                  ]}
                >
                  <Detail
                    tab={tab}
                    scene={scene}
                    selected={selected}
                    viewed={viewed}
                    onSelect={select}
                    onView={setViewed}
                  />
                </Tabs>
              </aside>
            </div>
            {viewed !== null && (
              <AttemptViewer api={api} loop={loop.key} scene={scene} viewed={viewed} onView={setViewed} />
            )}
            <div class="columns is-uneven">
              <LiveTimeline
                scene={scene}
                selected={selected}
                onSelect={select}
                onMove={(count) => setPosition(count === null ? null : model.leftOut() + count)}
                lines={model.lines()}
                leftOut={model.leftOut()}
              />
              <div class="beside">
                <MeasurePanel scene={scene} />
                <SpentPanel scene={scene} />
              </div>
            </div>
          </>
        )}
      </main>
      {asking === "stop" && <StopDialog api={api} loop={loop.key} onClose={close} />}
      {asking === "resume" && <ResumeDialog api={api} loop={loop.key} onClose={close} />}
      {asking === "decide" && scene !== null && (
        <DecideDialog api={api} loop={loop.key} items={undecidedItems(scene)} onClose={close} />
      )}
      {asking === "redirect" && scene !== null && (
        <RedirectDialog api={api} loop={loop.key} state={scene.state} onClose={close} />
      )}
    </>
  );
}

/** Items that a person has to decide: undecided ones, and assertions that a judge found true. */
function undecidedItems({ state, story }: LiveScene): readonly string[] {
  const { checked } = story;
  if (checked === null) return leavesOf(state.objective.base_case).map(({ item }) => item);
  return checkNodesOf(checked.verdict.checklist).flatMap(({ item, passed, requires_user_confirmation }) =>
    passed === null || requires_user_confirmation === true ? [item] : [],
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

interface DetailProps extends WorkProps {
  readonly tab: string;
  readonly viewed: Viewed | null;
  readonly onView: (viewed: Viewed) => void;
}

function Detail({ tab, selected, ...props }: DetailProps): JSX.Element {
  const { scene, onSelect } = props;
  switch (tab) {
    case "atom":
      return <AtomPanel id={selected} {...props} />;
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

function trailLength({ state }: LiveScene): number {
  return choicesIn(state).length + state.corrections.length;
}

function runnerWords(model: LoopModel, scene: LiveScene): string {
  const { pid } = model.runner();
  return pid === null || scene.isPast ? "" : `, pid ${pid}`;
}

// ── the work ────────────────────────────────────────────────────────────────

interface WorkProps {
  readonly scene: LiveScene;
  readonly selected: string | null;
  readonly onSelect: (atom: string) => void;
}

const NARROW_SCREEN = "(max-width: 640px)";
const WORK_VIEWS = { graph: "Graph", list: "List" } as const;

function WorkPanel({ scene, selected, onSelect }: WorkProps): JSX.Element {
  const [shown, setShown] = useState<"graph" | "list">(() => (matchMedia(NARROW_SCREEN).matches ? "list" : "graph"));
  const [filter, setFilter] = useState(ALL_ATOMS);
  const { drawing } = scene;
  const found = useMemo(() => filtered(drawing, filter), [drawing, filter]);
  const graph = useMemo(() => readable(found), [found]);
  const isLarge = graph !== found;
  return (
    <section class="panel work" aria-labelledby="work-title">
      <div class="panel-head">
        <h2 id="work-title">Work</h2>
        <FilterBar drawing={drawing} filter={filter} onFilter={setFilter} onSelect={onSelect} />
        {!isLarge && <Switch label="Show the work as" choices={WORK_VIEWS} chosen={shown} onChoose={setShown} />}
      </div>
      {isLarge && <p class="note">More than {MOST_DRAWN} atoms: what runs and what failed, and a list of all.</p>}
      {(isLarge ? graph.sketch.boxes.length > 0 : shown === "graph") && (
        <GraphPanel drawing={graph} selected={selected} onSelect={onSelect} />
      )}
      {(isLarge || shown === "list") && (
        <AtomList atoms={matching(drawing, filter)} selected={selected} onSelect={onSelect} />
      )}
    </section>
  );
}

/** More would be slow on a phone. */
const MOST_ROWS = 400;

interface ListProps extends Omit<WorkProps, "scene"> {
  readonly atoms: readonly DrawnAtom[];
}

function AtomList({ atoms: found, selected, onSelect }: ListProps): JSX.Element {
  const atoms = found.toSorted((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing));
  return (
    <div class="list">
      <ul>
        {atoms.slice(0, MOST_ROWS).map(({ atom, standing }) => (
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
      {atoms.length > MOST_ROWS && <p class="note">{atoms.length - MOST_ROWS} more: search.</p>}
    </div>
  );
}
