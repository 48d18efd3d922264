/** What stands beside the graph: choices and redirects, cost, journal. */
import type { JSX } from "preact";
import { describeEvent } from "../../../commands/event-text.ts";
import { atomOf } from "../../../core/journal-line.ts";
import { choicesIn } from "../model/choices.ts";
import type { Scene } from "./scene.ts";
import { clock, dollars, lasting, thousands } from "./words.ts";

// ── trail and corrections ───────────────────────────────────────────────────

export function TrailPanel({ scene }: { readonly scene: Scene }): JSX.Element {
  const { state, time } = scene;
  const until = <T extends { readonly timestamp: string }>(entries: readonly T[]): readonly T[] =>
    scene.position === null ? entries : entries.filter(({ timestamp }) => Date.parse(timestamp) <= time);
  const trail = until(choicesIn(state));
  const corrections = until(state.corrections);
  return (
    <div class="stack">
      <h3>Choices</h3>
      {trail.length === 0 ? <p class="empty">No alternative was given up.</p> : null}
      <ol class="events">
        {trail.map((entry) => (
          <li key={`${entry.timestamp}${entry.reason}`}>
            <time>{clock(entry.timestamp)}</time>
            <span>
              {"or_group" in entry ? (
                <>
                  <b>{entry.or_group}</b> goes on with <b>{entry.selected}</b>: {entry.reason}
                </>
              ) : (
                <>a person: {entry.reason}</>
              )}
            </span>
          </li>
        ))}
      </ol>
      <h3>Redirects</h3>
      {corrections.length === 0 ? <p class="empty">Nobody changed the course.</p> : null}
      <ol class="events">
        {corrections.map((entry) => (
          <li key={`${entry.timestamp}${entry.description}`}>
            <time>{clock(entry.timestamp)}</time>
            <span>
              {entry.description}
              <small> {entry.type.replaceAll("_", " ")}</small>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

// ── cost and fuel ───────────────────────────────────────────────────────────

export function CostPanel({ scene }: { readonly scene: Scene }): JSX.Element {
  const { state, limits, story, memory, worst } = scene;
  const { agents } = story;
  const { objective, control } = state;
  return (
    <div class="stack">
      <h3>Fuel</h3>
      <Meter name="Iterations" spent={control.iteration} limit={limits.max_iterations} words={String} />
      <Meter
        name="Without progress"
        spent={control.stall_count}
        limit={objective.constraints.max_stall_count}
        words={String}
      />
      <Meter name="Cost" spent={memory.cost_usd} limit={limits.max_cost_usd} words={dollars} />
      <Meter name="Working time" spent={memory.active_ms} limit={limits.max_duration_ms} words={lasting} />
      {Number.isFinite(limits.max_tokens) && (
        <Meter name="Tokens" spent={memory.tokens ?? 0} limit={limits.max_tokens} words={thousands} />
      )}
      <h3>What can still happen, at most</h3>
      <dl class="facts">
        <Fact name="iterations">{worst.iterations}</Fact>
        <Fact name="attempts">{worst.attempts}</Fact>
        <Fact name="calls of agents, repetitions included">{worst.agent_calls}</Fact>
        <Fact name="judge calls">{worst.judge_calls}</Fact>
        <Fact name="cost left">{worst.cost_left_usd === null ? "no limit" : dollars(worst.cost_left_usd)}</Fact>
        <Fact name="time">{worst.wall_ms === null ? "no limit" : lasting(worst.wall_ms)}</Fact>
      </dl>
      <h3>Who worked</h3>
      {agents.length === 0 ? <p class="empty">Nobody told a name yet.</p> : null}
      {agents.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">agent</th>
              <th scope="col">attempts</th>
              <th scope="col">failed</th>
              <th scope="col">cost</th>
            </tr>
          </thead>
          <tbody>
            {agents.map((share) => (
              <tr key={share.agent}>
                <th scope="row">{share.agent}</th>
                <td>{share.attempts}</td>
                <td>{share.failures}</td>
                <td>{dollars(share.cost_usd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

interface MeterProps {
  readonly name: string;
  readonly spent: number;
  readonly limit: number;
  readonly words: (value: number) => string;
}

function Meter({ name, spent, limit, words }: MeterProps): JSX.Element {
  const bounded = Number.isFinite(limit);
  const share = bounded && limit > 0 ? Math.min(1, spent / limit) : 0;
  return (
    <div class="meter">
      <span>{name}</span>
      <span class="meter-words">
        {words(spent)} {bounded ? `of ${words(limit)}` : "· no limit"}
      </span>
      <div class="meter-bar" aria-hidden="true">
        <i class={share >= 0.9 ? "is-near" : ""} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

export function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: JSX.Element | string | number;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// ── the journal ─────────────────────────────────────────────────────────────

const LINES_SHOWN = 250;

export function JournalPanel({
  scene,
  onSelect,
}: {
  readonly scene: Scene;
  readonly onSelect: (atom: string) => void;
}): JSX.Element {
  const lines = scene.lines.filter(({ event }) => event !== "state_saved");
  return (
    <div class="stack">
      {lines.length === 0 ? <p class="empty">Nothing happened yet.</p> : null}
      <ol class="events">
        {lines
          .slice(-LINES_SHOWN)
          .reverse()
          .map((line, index) => {
            const { text, style } = describeEvent(line);
            const atom = atomOf(line);
            return (
              <li key={lines.length - index} class={`tone-${style ?? "plain"}`}>
                <time>{clock(String(line["time"]))}</time>
                <span>
                  {atom !== "" && scene.drawing.atoms.has(atom) ? (
                    <button type="button" class="inline" onClick={() => onSelect(atom)}>
                      {atom}
                    </button>
                  ) : null}{" "}
                  {text}
                </span>
              </li>
            );
          })}
      </ol>
      {lines.length > LINES_SHOWN && <p class="note">The newest {LINES_SHOWN}; `aot log` shows all.</p>}
    </div>
  );
}
