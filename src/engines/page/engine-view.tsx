/** An engine: all of its loops, who works what and what each waits for, and its workers. */
import { counted } from "../../history/counted.ts";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { EngineMessage } from "../messages.ts";
import { OUTCOMES, outcomeRow } from "../../core/outcome.ts";
import type { Api, Link, LoopEntry } from "../../dashboard/page/api.ts";
import { Header } from "../../dashboard/page/header.tsx";
import { EngineAway, LostLink, Switch } from "../../dashboard/page/parts.tsx";
import { Icon, StatusPill } from "../../view/icons.tsx";
import { Tile } from "../../view/loop-panels.tsx";
import { dollars, moment } from "../../view/words.ts";
import { formatDuration } from "../../core/fuel.ts";

interface EngineProps {
  readonly api: Api;
  readonly loop: LoopEntry;
  readonly chooser: JSX.Element | null;
  readonly onOpen: (loop: LoopEntry) => void;
}

type Row = EngineMessage["loops"][number];
type Worker = EngineMessage["workers"][number];

/** "Heard of 20 s ago" is drawn anew this often. */
const TICK_MS = 2_000;
/** Workers tell every ten seconds. */
const SILENT_MS = 45_000;

export function EngineView({ api, loop, chooser, onOpen }: EngineProps): JSX.Element {
  const [reported, setReported] = useState<EngineMessage | null>(null);
  const [link, setLink] = useState<Link>("connecting");
  const [now, setNow] = useState(Date.now());
  useEffect(
    () => api.follow(`/api/loops/${loop.key}/events`, (_, value) => setReported(value as EngineMessage), setLink),
    [loop.key],
  );
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const away = reported?.away ?? null;
  return (
    <>
      <Header
        title={`Loops of ${loop.name}`}
        status={reported === null ? "asking" : away === null ? "active" : "away"}
        link={link}
        chooser={chooser}
      >
        {null}
      </Header>
      <main class="engine">
        <LostLink link={link} />
        <EngineAway why={away} />
        {reported === null || (reported.seen_at === null && away === null) ? (
          <p class="empty">Asking the engine…</p>
        ) : (
          <>
            <Tiles reported={reported} />
            <LoopsPanel reported={reported} onOpen={onOpen} />
            <WorkersPanel workers={reported.workers} now={now} />
          </>
        )}
      </main>
    </>
  );
}

// ── numbers ─────────────────────────────────────────────────────────────────

function Tiles({ reported }: { readonly reported: EngineMessage }): JSX.Element {
  const { loops, workers } = reported;
  const sum = (value: (row: Row) => number): number => loops.reduce((total, row) => total + value(row), 0);
  const count = (status: string): number => loops.filter((row) => row.status === status).length;
  const begun = sum(({ working }) => working.filter(({ worker }) => worker !== null).length);
  const waiting = sum(({ working }) => working.filter(({ worker }) => worker === null).length);
  const slots = workers.reduce((total, worker) => total + (worker.draining ? 0 : worker.slots), 0);
  return (
    <dl class="tiles">
      <Tile name="Loops running" value={String(count("running"))} more={`of ${loops.length + reported.left_out}`} />
      <Tile name="Wait for somebody" value={String(count("stopped"))} more="stopped" />
      <Tile name="Verified" value={String(count("completed"))} more="completed" />
      <Tile name="Tasks running" value={String(begun)} more={waiting === 0 ? "none waits" : `${waiting} wait`} />
      <Tile name="Slots" value={String(slots)} more={workers.length === 1 ? "1 worker" : `${workers.length} workers`} />
      <Tile
        name="Begun again"
        value={String(sum(({ reruns }) => reruns))}
        more={`${sum(({ refused }) => refused)} late results refused`}
      />
      <Tile
        name="Cost"
        value={dollars(sum(({ cost_usd }) => cost_usd))}
        more={counted(
          sum(({ attempts }) => attempts),
          "attempt",
        )}
      />
    </dl>
  );
}

// ── loops ───────────────────────────────────────────────────────────────────

const SHOWN = { all: "All", running: "Running", stopped: "Waiting for somebody", completed: "Verified" } as const;
type Shown = keyof typeof SHOWN;
/** More would make a phone wait. */
const ROWS = 300;
const ORDER: readonly string[] = ["stopped", "running", "pending", "completed"];

function LoopsPanel({
  reported,
  onOpen,
}: Pick<EngineProps, "onOpen"> & { readonly reported: EngineMessage }): JSX.Element {
  const [shown, setShown] = useState<Shown>("all");
  const [wanted, setWanted] = useState("");
  const found = useMemo(() => {
    const text = wanted.trim().toLowerCase();
    return reported.loops
      .filter((row) => shown === "all" || row.status === shown)
      .filter((row) => text === "" || `${row.loop} ${row.goal}`.toLowerCase().includes(text))
      .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  }, [reported, shown, wanted]);
  const hidden = found.length - Math.min(found.length, ROWS) + reported.left_out;
  return (
    <section class="panel" aria-labelledby="loops-title">
      <h2 id="loops-title">
        Loops
        <small>{found.length}</small>
        <Switch label="Which loops" choices={SHOWN} chosen={shown} onChoose={setShown} />
        <input
          type="search"
          class="search"
          aria-label="Search loops by name or goal"
          placeholder="name or goal"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      </h2>
      {found.length === 0 ? <p class="empty">No such loop.</p> : null}
      <ul class="loops">
        {found.slice(0, ROWS).map((row) => (
          <LoopCard key={row.key} row={row} engine={reported.engine} onOpen={onOpen} />
        ))}
      </ul>
      {hidden > 0 && <p class="note">{hidden} more are not shown; search, or `aot loops`.</p>}
    </section>
  );
}

interface CardProps extends Pick<EngineProps, "onOpen"> {
  readonly row: Row;
  readonly engine: string;
}

function LoopCard({ row, engine, onOpen }: CardProps): JSX.Element {
  const open = (): void =>
    onOpen({ key: row.key, kind: "atoms", name: row.loop, file: `${engine}/${row.loop}`, engine });
  return (
    <li data-loop={row.loop} data-status={row.status}>
      <button type="button" class="loop-card" onClick={open}>
        <StatusPill status={row.status} />
        <span class="loop-words">
          <b>{row.goal}</b>
          <small>{row.loop}</small>
        </span>
        <span class="loop-left">
          <b>{row.unresolved}</b> left
        </span>
        <span class="loop-now">{nowOf(row)}</span>
        <span class="loop-spent">
          iteration {row.iteration}, {counted(row.attempts, "attempt")}, {dollars(row.cost_usd)}
          {row.reruns === 0 ? "" : `, ${row.reruns} begun again`}
        </span>
      </button>
    </li>
  );
}

/** A worker of another version may know an outcome that this page does not. */
function wordsOf(outcome: string): string {
  const known = OUTCOMES.find((one) => one === outcome);
  return known === undefined ? outcome : outcomeRow(known).words;
}

/** Who works what, and what it waits for. */
function nowOf({ status, outcome, working, waiting }: Row): string {
  if (outcome !== null) return wordsOf(outcome);
  const waits = new Map(waiting.map((one) => [one.task, one.for]));
  const parts = working.map(({ task, worker }) =>
    worker === null ? `${task} waits for ${waits.get(task) ?? "a worker"}` : `${task} on ${worker}`,
  );
  if (parts.length > 0) return parts.join(", ");
  return status === "running" ? "between two steps" : "";
}

// ── workers ─────────────────────────────────────────────────────────────────

function WorkersPanel({ workers, now }: { readonly workers: readonly Worker[]; readonly now: number }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="workers-title">
      <h2 id="workers-title">
        Workers
        <small>{workers.length}</small>
      </h2>
      {workers.length === 0 ? (
        <p class="empty">None was heard of within a day. Start one with `aot worker`.</p>
      ) : (
        <div class="scroll" role="group" aria-label="Workers" tabIndex={0}>
          <table class="table workers">
            <thead>
              <tr>
                {["worker", "state", "slots taken", "waiting", "called at", "last heard of"].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {workers.map((worker) => (
                <WorkerRow key={worker.name} worker={worker} now={now} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function WorkerRow({ worker, now }: { readonly worker: Worker; readonly now: number }): JSX.Element {
  const ago = Math.max(0, now - Date.parse(worker.seen_at));
  const state = worker.draining ? "drains" : ago > SILENT_MS ? "silent" : "takes work";
  return (
    <tr data-worker={worker.name} data-state={state}>
      <th scope="row">{worker.name}</th>
      <td>
        <span class={`mark is-${state === "takes work" ? "resolved" : state === "drains" ? "waiting" : "given_up"}`}>
          <Icon name={state === "takes work" ? "resolved" : state === "drains" ? "pause" : "undecided"} /> {state}
        </span>
      </td>
      <td>
        {worker.working} of {worker.slots}
      </td>
      <td>{worker.waiting}</td>
      <td>{worker.address}</td>
      <td>
        <time dateTime={worker.seen_at} title={moment(worker.seen_at)}>
          {ago < 1_000 ? "now" : `${formatDuration(Math.floor(ago / 1_000) * 1_000)} ago`}
        </time>
      </td>
    </tr>
  );
}
