/** How much is left after each iteration, with those marked that brought no progress. */
import type { JSX } from "preact";
import type { JudgedIteration } from "../history/run-story.ts";
import type { Scene } from "./scene.ts";

const CHART = { width: 360, height: 150, left: 26, right: 4, top: 14, bottom: 20 };
const MOST_POINTS = 40;

export function MeasurePanel({ scene }: { readonly scene: Scene }): JSX.Element {
  const judged = scene.story.iterations.slice(-MOST_POINTS);
  const stalls = judged.filter(isStall);
  const { left } = scene.drawing.progress;
  const last = judged.at(-1);
  return (
    <section class="panel measure" aria-labelledby="measure-title">
      <h2 id="measure-title">
        <span>
          Left after each iteration (<i>M</i>)
        </span>
        <small>{stalls.length === 0 ? "no stall" : `${stalls.length} without progress`}</small>
      </h2>
      {judged.length === 0 ? (
        <p class="empty">No iteration is judged yet: {left} left.</p>
      ) : (
        <Chart judged={judged} measure={left} />
      )}
      {last !== undefined && last.advice !== null && isStall(last) && <p class="advice">{last.advice}</p>}
    </section>
  );
}

function isStall({ movement }: JudgedIteration): boolean {
  return movement === "stall" || movement === "expansion";
}

function Chart({
  judged,
  measure,
}: {
  readonly judged: readonly JudgedIteration[];
  readonly measure: number;
}): JSX.Element {
  const most = Math.max(1, measure, ...judged.map((one) => one.measure));
  const room = CHART.width - CHART.left - CHART.right;
  const step = room / judged.length;
  const high = CHART.height - CHART.top - CHART.bottom;
  const y = (value: number): number => CHART.top + high * (1 - value / most);
  const words = judged
    .map((one) => `iteration ${one.iteration}: ${one.measure}${isStall(one) ? `, ${one.movement}` : ""}`)
    .join("; ");
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${CHART.width} ${CHART.height}`}
      role="img"
      aria-label={`Left after each iteration. ${words}`}
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line class="rule" x1={CHART.left} x2={CHART.width - CHART.right} y1={y(most * share)} y2={y(most * share)} />
          <text x={CHART.left - 6} y={y(most * share) + 3.5} text-anchor="end">
            {share === 0.5 && most < 2 ? "" : Math.round(most * share)}
          </text>
        </g>
      ))}
      {judged.map((one, index) => {
        const width = Math.min(26, step * 0.62);
        const x = CHART.left + step * (index + 0.5);
        const tall = Math.max(one.measure === 0 ? 2 : 3, high * (one.measure / most));
        return (
          <g key={one.iteration} class={`judged moves-${one.movement}`}>
            <rect x={x - width / 2} y={CHART.top + high - tall} width={width} height={tall} rx="2" />
            {isStall(one) && (
              <g transform={`translate(${x - 7} ${Math.max(0, CHART.top + high - tall - 15)}) scale(0.875)`}>
                <path class="warn" d="M8 3l5.500 9.500h-11zM8 6.500v3M8 11v.2" />
              </g>
            )}
            {(judged.length <= 14 || index % 5 === 0) && (
              <text x={x} y={CHART.height - 6} text-anchor="middle">
                {one.iteration}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
