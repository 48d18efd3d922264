/** An attempt's log and diff, or the diffs of two attempts of an atom side by side. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatDuration } from "../../core/fuel.ts";
import type { Scene } from "../../view/scene.ts";
import { ATTEMPTS } from "../../view/standing.ts";
import type { Bar } from "../../view/timeline.ts";
import { clock, dollars } from "../../view/words.ts";
import type { Api } from "./api.ts";
import { Switch, ToolButton } from "./parts.tsx";

interface Source {
  readonly api: Api;
  readonly loop: string;
}

export const VIEWS = { log: "Log", diff: "Changes", compare: "Compare" } as const;
export type View = keyof typeof VIEWS;

export interface Viewed {
  readonly what: View;
  readonly attempt: string;
}

/** `14s, claude, $0.08` */
export function spentWords({ from, to, agent, cost_usd }: Bar): string {
  return [formatDuration(to - from), agent, cost_usd === null ? "" : dollars(cost_usd)]
    .filter((part) => part !== "")
    .join(", ");
}

interface ViewerProps extends Source {
  readonly scene: Scene;
  readonly viewed: Viewed;
  /** Null: close the viewer. */
  readonly onView: (viewed: Viewed | null) => void;
}

export function AttemptViewer({ scene, viewed, onView, ...source }: ViewerProps): JSX.Element | null {
  const { what, attempt } = viewed;
  const box = useRef<HTMLElement>(null);
  const [other, setOther] = useState("");
  useEffect(() => box.current?.focus(), [attempt, what]);
  const bar = scene.timeline.bars.find((one) => one.attempt === attempt);
  if (bar === undefined) return null;
  const siblings = scene.timeline.bars.filter(({ atom }) => atom === bar.atom);
  const others = siblings.filter((one) => one !== bar);
  const against = others.find((one) => one.attempt === other) ?? others.at(-1);
  return (
    <section
      class="panel viewer"
      aria-label={`${VIEWS[what]} of ${attempt}`}
      tabIndex={-1}
      ref={box}
      onKeyDown={(event) => event.key === "Escape" && onView(null)}
    >
      <ViewerHead {...{ viewed, siblings, others, against, onView }} onOther={setOther} />
      {what === "compare" && against !== undefined ? (
        <div class="compared">
          {[bar, against].map((one) => (
            <section key={one.attempt} aria-label={one.attempt}>
              <h3>{one.attempt}</h3>
              <AttemptFacts bar={one} />
              <DiffView {...source} key={one.attempt} attempt={one.attempt} />
            </section>
          ))}
        </div>
      ) : (
        <>
          <AttemptFacts bar={bar} />
          {what === "log" ? (
            <LogView {...source} key={attempt} attempt={attempt} />
          ) : (
            <DiffView {...source} key={attempt} attempt={attempt} />
          )}
        </>
      )}
    </section>
  );
}

interface HeadProps extends Pick<ViewerProps, "viewed" | "onView"> {
  /** Attempts of the same atom; `others`: without this one. */
  readonly siblings: readonly Bar[];
  readonly others: readonly Bar[];
  readonly against: Bar | undefined;
  readonly onOther: (attempt: string) => void;
}

function ViewerHead({ viewed, siblings, others, against, onView, onOther }: HeadProps): JSX.Element {
  const { what, attempt } = viewed;
  return (
    <div class="panel-head">
      <AttemptChoice
        label="Attempt"
        bars={siblings}
        chosen={attempt}
        onChoose={(name) => onView({ what, attempt: name })}
      />
      {what === "compare" && against !== undefined && (
        <AttemptChoice label="with" bars={others} chosen={against.attempt} onChoose={onOther} />
      )}
      <Switch
        label="What is shown of the attempt"
        choices={others.length === 0 ? { log: VIEWS.log, diff: VIEWS.diff } : VIEWS}
        chosen={what}
        onChoose={(next) => onView({ what: next, attempt })}
      />
      <ToolButton name="close" label="Close" onClick={() => onView(null)} />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly chosen: string;
  readonly onChoose: (attempt: string) => void;
}

function AttemptChoice({ label, bars, chosen, onChoose }: ChoiceProps): JSX.Element {
  return (
    <label class="choice">
      {label}
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {bars.map(({ attempt, end }) => (
          <option key={attempt} value={attempt}>
            {attempt}, {ATTEMPTS[end].words}
          </option>
        ))}
      </select>
    </label>
  );
}

function AttemptFacts({ bar }: { readonly bar: Bar }): JSX.Element {
  return (
    <>
      <p class="attempt-head">
        <span class={`end ends-${bar.end}`}>{ATTEMPTS[bar.end].words}</span>
        <small>
          {clock(bar.from)}, {spentWords(bar)}
          {bar.tokens === 0 ? "" : `, ${bar.tokens} tokens`}
        </small>
      </p>
      {bar.words !== "" && <p class="note">{bar.words}</p>}
    </>
  );
}

const MOST_LOG_CHARACTERS = 400_000;

interface LogPart {
  readonly text: string;
  readonly skipped: number;
}

function withPart(before: LogPart, part: LogPart): LogPart {
  const text = before.text + part.text;
  const over = Math.max(0, text.length - MOST_LOG_CHARACTERS);
  const dropped = new TextEncoder().encode(text.slice(0, over)).length;
  return { text: text.slice(over), skipped: before.skipped + part.skipped + dropped };
}

function LogView({ api, loop, attempt }: Source & { readonly attempt: string }): JSX.Element {
  const [log, setLog] = useState<LogPart | null>(null);
  const shown = useRef<HTMLPreElement>(null);
  useEffect(
    () =>
      api.follow(
        `/api/loops/${loop}/log?attempt=${encodeURIComponent(attempt)}`,
        (_, value) => setLog((before) => withPart(before ?? { text: "", skipped: 0 }, value as LogPart)),
        // After a reconnect the server sends the log once more.
        (link) => link === "lost" && setLog(null),
      ),
    [attempt],
  );
  useEffect(() => {
    const { current } = shown;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [log]);
  return (
    <>
      {log !== null && log.skipped > 0 && <p class="note">{log.skipped} bytes before it are not shown.</p>}
      <pre ref={shown} tabIndex={0} role="log" aria-label={`What ${attempt} printed`}>
        {log?.text ?? "It has printed nothing that was kept."}
      </pre>
    </>
  );
}

interface Diff {
  readonly success: boolean;
  readonly commit?: string;
  /** The branch of work that is not integrated. */
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
    <>
      {diff?.success === true && (
        <p class="note">{branch === undefined ? `Commit ${commit?.slice(0, 10) ?? ""}` : `Kept as ${branch}`}</p>
      )}
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
        <pre class="patch" tabIndex={0} role="group" aria-label={`Patch of ${attempt}`}>
          {diff.patch.split("\n").map((line, index) => (
            <span key={index} class={toneOf(line)}>
              {line}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
      {diff?.success === true && diff.patch === undefined && <p class="note">Too large to be shown line by line.</p>}
    </>
  );
}

function toneOf(line: string): string {
  if (/^(diff|index|---|\+\+\+|new file|deleted file|similarity|rename)/.test(line)) return "head";
  if (line.startsWith("@@")) return "hunk";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
}
