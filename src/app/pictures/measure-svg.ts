/** The measure `M` over the iterations, as an SVG element: what was left after each, stalls marked. Pure. */
import { markupText } from "./markup.ts";
import type { RunStory } from "../run/run-story.ts";

const WIDTH = 1_000;
const HEIGHT = 180;
const LEFT = 58;
const RIGHT = 16;
const TOP = 18;
const BOTTOM = 34;

export const MEASURE_STYLE = `
.aot-measure{font:12px system-ui,sans-serif}.aot-measure text{fill:var(--soft)}.aot-measure .rule{stroke:var(--line)}
.aot-measure .line{fill:none;stroke:var(--run);stroke-width:2}.aot-measure .dot{fill:var(--run)}.aot-measure .stall .dot{fill:var(--bad)}.aot-measure .stall text{fill:var(--bad);font-weight:600}
`.trim();

/** Empty: no iteration was judged yet. */
export function measureSvg({ iterations, measures }: RunStory): string {
  if (iterations.length === 0) return "";
  const first = measures[0]?.measure ?? 0;
  const most = Math.max(1, ...iterations.map(({ measure }) => measure), first);
  const place = (index: number): number =>
    tenths(LEFT + ((index + 1) / (iterations.length + 1)) * (WIDTH - LEFT - RIGHT));
  const height = (measure: number): number => tenths(TOP + (1 - measure / most) * (HEIGHT - TOP - BOTTOM));
  const points = iterations.map(({ measure }, index) => `${place(index)} ${height(measure)}`);
  const words = iterations.map(
    ({ iteration, measure, movement }) => `iteration ${iteration}: ${measure} left, ${movement}`,
  );
  const every = Math.ceil(iterations.length / 20);
  const dots = iterations.map(({ iteration, measure, movement }, index) => {
    const stalled = movement === "stall" || movement === "expansion";
    const [x, y] = [place(index), height(measure)];
    const named =
      index % every === 0 ? `<text x="${x}" y="${HEIGHT - 12}" text-anchor="middle">${iteration}</text>` : "";
    const mark = stalled ? `<text x="${x}" y="${y - 9}" text-anchor="middle">${markupText(movement)}</text>` : "";
    return `<g class="${stalled ? "stall" : "moved"}"><title>${markupText(words[index] ?? "")}</title><circle class="dot" cx="${x}" cy="${y}" r="4"/>${mark}${named}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="aot-measure" role="img" aria-labelledby="aot-measure-title aot-measure-desc" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">`,
    '<title id="aot-measure-title">Atoms left after each iteration</title>',
    `<desc id="aot-measure-desc">${markupText(words.slice(0, 100).join("; "))}</desc>`,
    ...[0, most].map(
      (measure) =>
        `<path class="rule" d="M${LEFT} ${height(measure)}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${height(measure) + 4}" text-anchor="end">${measure}</text>`,
    ),
    `<path class="line" d="M${points.join("L")}"/>`,
    ...dots,
    "</svg>",
  ].join("\n");
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
