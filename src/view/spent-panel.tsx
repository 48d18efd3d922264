/** What the runs have cost by each moment, beside the limits of cost and working time. */
import type { JSX } from "preact";
import { formatDuration } from "../core/fuel.ts";
import type { Scene } from "./scene.ts";
import { clock, costWords, dollars } from "./words.ts";

const CHART = { width: 360, height: 130, left: 44, right: 6, top: 10, bottom: 18 };
/** A limit that is farther away than so many times what is spent is named, not drawn. */
const NEAR = 4;

export function SpentPanel({ scene }: { readonly scene: Scene }): JSX.Element {
  const { memory, limits } = scene;
  const longest = limits.max_duration_ms;
  return (
    <section class="panel spent" aria-labelledby="spent-title">
      <h2 id="spent-title">
        Cost over time
        <small>
          {costWords(memory.cost_usd, limits.max_cost_usd)}, {formatDuration(memory.active_ms)}
          {Number.isFinite(longest) ? ` of ${formatDuration(longest)}` : ""}
        </small>
      </h2>
      {memory.cost_usd === 0 ? null : <Chart scene={scene} />}
    </section>
  );
}

function Chart({ scene }: { readonly scene: Scene }): JSX.Element {
  const { story, axis, limits, memory, time } = scene;
  const limit = limits.max_cost_usd;
  const isNear = limit <= NEAR * memory.cost_usd;
  const most = isNear ? Math.max(limit, memory.cost_usd) : memory.cost_usd;
  const wide = CHART.width - CHART.left - CHART.right;
  const high = CHART.height - CHART.top - CHART.bottom;
  const x = (when: number): number => round(CHART.left + wide * axis.at(when));
  const y = (usd: number): number => round(CHART.top + high * (1 - usd / most));
  // What the story does not tell attempt by attempt (a planner, a judge, attempts that are no longer kept) came before.
  const paid = story.attempts
    .flatMap(({ to, cost_usd }) => (to === null || cost_usd === null || to > time ? [] : [{ to, cost_usd }]))
    .toSorted((one, other) => one.to - other.to);
  let sum = Math.max(0, memory.cost_usd - paid.reduce((total, { cost_usd }) => total + cost_usd, 0));
  let path = `M${CHART.left} ${y(sum)}`;
  for (const { to, cost_usd } of paid) path += `H${x(to)}V${y((sum += cost_usd))}`;
  path += `H${x(time)}`;
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${CHART.width} ${CHART.height}`}
      role="img"
      aria-label={`Cost over time: ${dollars(memory.cost_usd)} by ${clock(time, scene.zone)}`}
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line class="rule" x1={CHART.left} x2={CHART.width - CHART.right} y1={y(most * share)} y2={y(most * share)} />
          <text x={CHART.left - 6} y={y(most * share) + 3.5} text-anchor="end">
            {dollars(most * share)}
          </text>
        </g>
      ))}
      {isNear && <line class="limit" x1={CHART.left} x2={CHART.width - CHART.right} y1={y(limit)} y2={y(limit)} />}
      <path class="paid" d={path} />
      {axis.ticks
        .filter(({ main }) => main)
        .map(({ at, time: when }) => (
          <text key={when} x={CHART.left + wide * at} y={CHART.height - 5}>
            {clock(when, scene.zone)}
          </text>
        ))}
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
