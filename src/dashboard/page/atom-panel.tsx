/** One atom: what it is, its attempts, what they printed and what they changed. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { graphOf } from "../../core/graph.ts";
import { at } from "../../core/vec.ts";
import { StandingMark } from "../../view/icons.tsx";
import { Fact } from "../../view/loop-panels.tsx";
import type { Scene } from "../../view/scene.ts";
import { ATTEMPTS } from "../../view/standing.ts";
import type { Bar } from "../../view/timeline.ts";
import { clock, dollars } from "../../view/words.ts";
import { formatDuration } from "../../core/fuel.ts";
import type { Api } from "./api.ts";

interface Source {
  readonly api: Api;
  readonly loop: string;
}

interface AtomProps extends Source {
  readonly scene: Scene;
  readonly id: string | null;
  /** What attempts printed and changed is not on this machine. */
  readonly elsewhere: boolean;
  readonly onSelect: (atom: string) => void;
}

export function AtomPanel({ scene, id, api, loop, elsewhere, onSelect }: AtomProps): JSX.Element {
  const [open, setOpen] = useState<{ readonly what: View; readonly bar: Bar } | null>(null);
  useEffect(() => setOpen(null), [id]);
  const drawn = id === null ? undefined : scene.drawing.atoms.get(id);
  if (id === null || drawn === undefined)
    return <p class="empty">Choose an atom of the graph, or an attempt on the timeline.</p>;
  const { atom, standing } = drawn;
  const index = graphOf(scene.state).indexOf.get(id) ?? 0;
  const { binding } = at(scene.state.atoms, index);
  const bars = scene.timeline.bars.filter((bar) => bar.atom === id && bar.from <= scene.time);
  return (
    <div class="stack">
      <h3 class="atom-title">
        {id} <StandingMark standing={standing} />
      </h3>
      <p class="lead">{atom.description}</p>
      <dl class="facts">
        {atom.depends_on.length > 0 && (
          <Fact name="depends on">
            <>
              {atom.depends_on.map((other) => (
                <button key={other} type="button" class="inline" onClick={() => onSelect(other)}>
                  {other}
                </button>
              ))}
            </>
          </Fact>
        )}
        {atom.or_group !== undefined && <Fact name="a choice of">{atom.or_group}</Fact>}
        {(atom.touches ?? []).length > 0 && <Fact name="touches">{(atom.touches ?? []).join(", ")}</Fact>}
      </dl>
      {binding !== undefined && (
        <>
          <h3>Result</h3>
          <p>{binding.summary}</p>
          {binding.artifacts.length > 0 && <p class="note">{binding.artifacts.join(", ")}</p>}
        </>
      )}
      <h3>Attempts</h3>
      {bars.length === 0 ? <p class="empty">None yet.</p> : null}
      <ul class="attempts">
        {bars.map((bar) => (
          <AttemptRow
            key={bar.attempt}
            bar={bar}
            elsewhere={elsewhere}
            open={open?.bar.attempt === bar.attempt ? open.what : null}
            onOpen={(what) => setOpen(what === null ? null : { what, bar })}
          />
        ))}
      </ul>
      {elsewhere && bars.length > 0 && (
        <p class="note">What they printed is where their workers keep logs: `aot loops log {id}`.</p>
      )}
      {open?.what === "log" && <LogView key={open.bar.attempt} api={api} loop={loop} attempt={open.bar.attempt} />}
      {open?.what === "diff" && <DiffView key={open.bar.attempt} api={api} loop={loop} attempt={open.bar.attempt} />}
    </div>
  );
}

const VIEWS = { log: "Log", diff: "Changes" } as const;
type View = keyof typeof VIEWS;

interface RowProps {
  readonly bar: Bar;
  readonly elsewhere: boolean;
  readonly open: View | null;
  readonly onOpen: (what: View | null) => void;
}

function AttemptRow({ bar, elsewhere, open, onOpen }: RowProps): JSX.Element {
  const spent = [bar.agent, bar.cost_usd === null ? null : dollars(bar.cost_usd)]
    .filter((part) => part !== null)
    .join(", ");
  const isOver = bar.end !== "running" && bar.end !== "integrating";
  const offered: readonly View[] = isOver ? ["log", "diff"] : ["log"];
  return (
    <li>
      <div class="attempt-head">
        <b>{bar.attempt}</b>
        <span class={`end ends-${bar.end}`}>{ATTEMPTS[bar.end].words}</span>
        <small>
          {clock(bar.from)}, {formatDuration(bar.to - bar.from)}
          {spent === "" ? "" : `, ${spent}`}
        </small>
        <span class="attempt-buttons" hidden={elsewhere}>
          {offered.map((what) => (
            <button
              key={what}
              type="button"
              class="plain"
              aria-expanded={open === what}
              aria-label={`${VIEWS[what]} of ${bar.attempt}`}
              onClick={() => onOpen(open === what ? null : what)}
            >
              {VIEWS[what]}
            </button>
          ))}
        </span>
      </div>
      {bar.words !== "" && <p class="note">{bar.words}</p>}
    </li>
  );
}

const LOG_SHOWN = 400_000;

interface LogPart {
  readonly text: string;
  readonly skipped: number;
}

function LogView({ api, loop, attempt }: Source & { readonly attempt: string }): JSX.Element {
  const [text, setText] = useState<string | null>(null);
  const [skipped, setSkipped] = useState(0);
  const shown = useRef<HTMLPreElement>(null);
  useEffect(
    () =>
      api.follow(
        `/api/loops/${loop}/log?attempt=${encodeURIComponent(attempt)}`,
        (_, value) => {
          const part = value as LogPart;
          setSkipped((sum) => sum + part.skipped);
          setText((before) => ((before ?? "") + part.text).slice(-LOG_SHOWN));
        },
        // A line that broke is begun anew, and reported anew.
        (link) => link === "lost" && setText(null),
      ),
    [attempt],
  );
  useEffect(() => {
    const { current } = shown;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [text]);
  return (
    <section class="viewer" aria-label={`Log of ${attempt}`}>
      <h3>Log of {attempt}</h3>
      {skipped > 0 && <p class="note">{skipped} bytes before it are not shown.</p>}
      <pre ref={shown} tabIndex={0} role="log" aria-label={`What ${attempt} printed`}>
        {text ?? "It has printed nothing that was kept."}
      </pre>
    </section>
  );
}

interface Diff {
  readonly success: boolean;
  readonly commit?: string;
  /** Of work that is not integrated. */
  readonly branch?: string;
  readonly files?: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  readonly patch?: string;
  readonly errors?: readonly { readonly message: string }[];
}

function DiffView({ api, loop, attempt }: Source & { readonly attempt: string }): JSX.Element {
  const [diff, setDiff] = useState<Diff | null>(null);
  useEffect(() => {
    let wanted = true;
    void api
      .read(`/api/loops/${loop}/diff?attempt=${encodeURIComponent(attempt)}`)
      .then((answer) => wanted && setDiff(answer as Diff));
    return () => {
      wanted = false;
    };
  }, [attempt]);
  const { branch, commit } = diff ?? {};
  return (
    <section class="viewer" aria-label={`Changes of ${attempt}`}>
      <h3>{branch === undefined ? `Changes of ${attempt} ${commit?.slice(0, 10) ?? ""}` : `Kept as ${branch}`}</h3>
      {diff === null ? <p class="note">Asking git…</p> : null}
      {diff !== null && !diff.success && <p class="note">{diff.errors?.[0]?.message ?? "it cannot be shown"}</p>}
      <ul class="files">
        {(diff?.files ?? []).map((file) => (
          <li key={file.path}>
            <span class="added">+{file.added ?? "?"}</span> <span class="removed">−{file.removed ?? "?"}</span>{" "}
            {file.path}
          </li>
        ))}
      </ul>
      {diff?.patch !== undefined && (
        <pre class="patch" tabIndex={0} role="group" aria-label="Patch">
          {diff.patch.split("\n").map((line, index) => (
            <span key={index} class={toneOf(line)}>
              {line}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
      {diff?.success === true && diff.patch === undefined && <p class="note">Too large to be shown line by line.</p>}
    </section>
  );
}

function toneOf(line: string): string {
  if (/^(diff|index|---|\+\+\+|new file|deleted file|similarity|rename)/.test(line)) return "head";
  if (line.startsWith("@@")) return "hunk";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
}
