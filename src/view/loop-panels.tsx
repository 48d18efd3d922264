/** How a loop stands: its outcome, its numbers, its choices and redirects, its fuel. */
import type { JSX } from "preact";
import { counted } from "../core/counted.ts";
import { formatDuration } from "../core/fuel.ts";
import { controlSentence } from "../history/outcome-words.ts";
import { choicesIn } from "./choices.ts";
import { Icon } from "./icons.tsx";
import type { Scene } from "./scene.ts";
import { resolvedShare, resolvedWords, STANDINGS } from "./standing.ts";
import { clock, costWords, dollars, moment, thousands } from "./words.ts";

interface SceneProps {
  readonly scene: Scene;
}

/** How it ended, where it did. */
export function Outcome({ scene }: SceneProps): JSX.Element | null {
  const { control } = scene.state;
  if (control.status === "running" && control.stop_requested)
    return <p class="banner">A stop is requested: attempts in flight are finished first.</p>;
  if (control.status !== "stopped" && control.status !== "completed") return null;
  const isGood = control.outcome === "verified";
  const { words, reason } = controlSentence(control);
  return (
    <p class={`banner ${isGood ? "is-good" : "is-halted"}`}>
      <Icon name={isGood ? "resolved" : "stop"} />
      <span>
        <b>{words}</b>
        {reason}
      </span>
    </p>
  );
}

// ── numbers ─────────────────────────────────────────────────────────────────

/** @param runner who works it, beside the number of agents */
export function Tiles({ scene, runner = "" }: SceneProps & { readonly runner?: string }): JSX.Element {
  const { state, drawing, limits, story, memory, attempts, running } = scene;
  const { control, objective } = state;
  return (
    <dl class="tiles">
      <Tile
        name="Left (M)"
        value={String(drawing.progress.left)}
        more={resolvedWords(drawing.progress)}
        share={resolvedShare(drawing.progress)}
      />
      <SpentTile name="Iteration" spent={control.iteration} limit={limits.max_iterations} words={String} />
      <Tile
        name="Without progress"
        value={String(control.stall_count)}
        more={`stops at ${objective.constraints.max_stall_count}`}
        share={control.stall_count / objective.constraints.max_stall_count}
        warn
      />
      <Tile
        name="Running"
        value={String(running)}
        more={`of ${limits.parallel}${runner}`}
        share={running / limits.parallel}
      />
      <Tile
        name="Attempts"
        value={String(attempts)}
        more={`${story.failures === 0 ? "none" : story.failures} failed, ${counted(story.other_calls, "other call")}`}
      />
      <SpentTile name="Cost" spent={memory.cost_usd} limit={limits.max_cost_usd} words={reported} />
      <SpentTile name="Working time" spent={memory.active_ms} limit={limits.max_duration_ms} words={formatDuration} />
    </dl>
  );
}

const reported = (usd: number): string => (usd === 0 ? "none reported" : dollars(usd));

/** What a limit bounds. */
function SpentTile({ name, spent, limit, words }: SpentProps): JSX.Element {
  const more = Number.isFinite(limit) ? `of ${words(limit)}` : "no limit";
  return <Tile name={name} value={words(spent)} more={more} share={spent / limit} />;
}

interface SpentProps {
  readonly name: string;
  readonly spent: number;
  readonly limit: number;
  readonly words: (value: number) => string;
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
        {share === undefined ? null : (
          <span class="tile-bar" aria-hidden="true">
            <i style={{ width: `${filled * 100}%` }} />
          </span>
        )}
      </dd>
    </div>
  );
}

/** How many atoms there are of each standing, with their signs. */
export function StandingCounts({ scene }: SceneProps): JSX.Element {
  return (
    <span class="legend">
      {[...scene.drawing.counts].map(([standing, count]) => (
        <span key={standing} class={`key mark is-${standing}`}>
          <Icon name={standing} />
          {count} {STANDINGS[standing].words}
        </span>
      ))}
    </span>
  );
}

// ── trail and corrections ───────────────────────────────────────────────────

export function TrailPanel({ scene }: SceneProps): JSX.Element {
  const { state, time, zone, isPast } = scene;
  const until = <T extends { readonly timestamp: string }>(entries: readonly T[]): readonly T[] =>
    isPast ? entries.filter(({ timestamp }) => Date.parse(timestamp) <= time) : entries;
  const trail = until(choicesIn(state));
  const corrections = until(state.corrections);
  return (
    <div class="stack">
      <h3>Choices</h3>
      {trail.length === 0 ? <p class="empty">No alternative failed.</p> : null}
      <ol class="events">
        {trail.map((entry) => (
          <li key={`${entry.timestamp}${entry.reason}`}>
            <time>{zone === "UTC" ? moment(entry.timestamp, zone) : clock(entry.timestamp)}</time>
            <span>
              {"or_group" in entry ? (
                <>
                  <b>{entry.or_group}</b> goes on with <b>{entry.selected}</b>: {entry.reason}
                </>
              ) : (
                <>by a human: {entry.reason}</>
              )}
            </span>
          </li>
        ))}
      </ol>
      <h3>Redirects</h3>
      {corrections.length === 0 ? <p class="empty">No redirects.</p> : null}
      <ol class="events">
        {corrections.map((entry) => (
          <li key={`${entry.timestamp}${entry.description}`}>
            <time>{zone === "UTC" ? moment(entry.timestamp, zone) : clock(entry.timestamp)}</time>
            <span>
              {entry.description}
              <small>
                {" "}
                {entry.type.replaceAll("_", " ")}
                {entry.trail_cleared ? ", the trail was cleared" : ""}
              </small>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

// ── cost and fuel ───────────────────────────────────────────────────────────

export function CostPanel({ scene }: SceneProps): JSX.Element {
  const { state, limits, story, memory, worst } = scene;
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
      <Meter name="Cost" spent={memory.cost_usd} limit={limits.max_cost_usd} words={reported} />
      <Meter name="Working time" spent={memory.active_ms} limit={limits.max_duration_ms} words={formatDuration} />
      {((memory.tokens ?? 0) > 0 || Number.isFinite(limits.max_tokens)) && (
        <Meter name="Tokens" spent={memory.tokens ?? 0} limit={limits.max_tokens} words={thousands} />
      )}
      <h3>Worst case left</h3>
      <dl class="facts">
        <Fact name="iterations">{worst.iterations}</Fact>
        <Fact name="attempts">{worst.attempts}</Fact>
        <Fact name="calls of agents, repetitions included">{worst.agent_calls}</Fact>
        <Fact name="judge calls">{worst.judge_calls}</Fact>
        <Fact name="cost left">{worst.cost_left_usd === null ? "no limit" : dollars(worst.cost_left_usd)}</Fact>
        <Fact name="time">{worst.wall_ms === null ? "no limit" : formatDuration(worst.wall_ms)}</Fact>
      </dl>
      <h3>Agents</h3>
      {story.agents.length === 0 ? <p class="empty">No agent is known yet.</p> : <AgentTable scene={scene} />}
    </div>
  );
}

function AgentTable({ scene }: SceneProps): JSX.Element {
  return (
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
        {scene.story.agents.map((share) => (
          <tr key={share.agent}>
            <th scope="row">{share.agent}</th>
            <td>{share.attempts}</td>
            <td>{share.failures}</td>
            <td>{costWords(share.cost_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Meter({ name, spent, limit, words }: SpentProps): JSX.Element {
  const isBounded = Number.isFinite(limit);
  const share = isBounded && limit > 0 ? Math.min(1, spent / limit) : 0;
  return (
    <div class="meter">
      <span>{name}</span>
      <span class="meter-words">
        {words(spent)} {isBounded ? `of ${words(limit)}` : "· no limit"}
      </span>
      <div class="meter-bar" aria-hidden="true">
        <i class={share >= 0.9 ? "is-near" : ""} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

interface FactProps {
  readonly name: string;
  readonly children: JSX.Element | string | number;
}

export function Fact({ name, children }: FactProps): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
