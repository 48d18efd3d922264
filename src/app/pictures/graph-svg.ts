/**
 * A work graph as an SVG image: one element without outside references, light or dark as its reader prefers, with a
 * title, a description and a tooltip for every node. Pure.
 */
import { layoutGraph, type PlacedEdge, type PlacedNode } from "./graph-layout.ts";
import type { GraphJson, Standing } from "./graph-text.ts";
import { markupText } from "./markup.ts";

/** A status is told by its mark and words as well as by its colour. */
export const STANDING_WORDS: Readonly<Record<Standing | "group", readonly [mark: string, words: string]>> = {
  resolved: ["✓", "resolved"],
  running: ["▶", "running"],
  ready: ["○", "ready"],
  waiting: ["·", "waiting"],
  given_up: ["✗", "given up"],
  untried: ["–", "untried"],
  container: ["▾", "split"],
  group: ["⎇", "alternatives"],
};

const STYLE = `
.aot-graph{--paper:#fff;--ink:#1f2328;--line:#8c959f;--resolved:#dafbe1;--resolved-line:#1a7f37;--running:#ddf4ff;--running-line:#0969da;--ready:#fff8c5;--ready-line:#9a6700;--waiting:#f6f8fa;--given_up:#ffebe9;--given_up-line:#cf222e;--container:#fbefff;--container-line:#8250df;font:12px system-ui,sans-serif}
@media (prefers-color-scheme:dark){.aot-graph{--paper:#0d1117;--ink:#e6edf3;--line:#768390;--resolved:#12351d;--resolved-line:#3fb950;--running:#0c2d57;--running-line:#58a6ff;--ready:#3a2d06;--ready-line:#d29922;--waiting:#161b22;--given_up:#4c1519;--given_up-line:#f85149;--container:#2f1c4d;--container-line:#a371f7}}
.aot-graph .paper{fill:var(--paper)}.aot-graph text{fill:var(--ink)}.aot-graph .name{font-weight:600}
.aot-graph .box{fill:var(--waiting);stroke:var(--line);stroke-width:1.2}
.aot-graph .resolved .box{fill:var(--resolved);stroke:var(--resolved-line)}.aot-graph .running .box{fill:var(--running);stroke:var(--running-line);stroke-width:2.4}
.aot-graph .ready .box{fill:var(--ready);stroke:var(--ready-line)}.aot-graph .given_up .box{fill:var(--given_up);stroke:var(--given_up-line);stroke-dasharray:6 3}
.aot-graph .untried .box{stroke-dasharray:3 3}.aot-graph .container .box,.aot-graph .group .box{fill:var(--container);stroke:var(--container-line)}
.aot-graph .given_up .name,.aot-graph .untried .name{font-weight:400}
.aot-graph .edge{fill:none;stroke:var(--line);stroke-width:1.3}.aot-graph .edge.part{stroke-dasharray:2 3}.aot-graph .edge.other{stroke-dasharray:6 4}.aot-graph .edge.chosen{stroke-width:2.4}
.aot-graph .tip{fill:var(--line)}
`.trim();

const LINE_HEIGHT = 16;
const PADDING = 10;
/** Of one narrow character, pixels; a bit more than most are. */
const CHARACTER = 6.9;
const MOST_COLUMNS = 30;
const MOST_LINES = 3;

/** @param title what it is a picture of */
export function graphSvg(graph: GraphJson, title: string): string {
  const placed = layoutGraph(graph, ({ name, description }) => {
    const lines = [`x ${name}`, ...linesOf(description)].map((line) => columnsOf(clipped(line, MOST_COLUMNS)));
    return {
      width: Math.ceil(Math.max(6, ...lines) * CHARACTER) + 2 * PADDING,
      height: lines.length * LINE_HEIGHT + 2 * PADDING - 4,
    };
  });
  const { width, height } = placed;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="aot-graph" role="img" aria-labelledby="aot-graph-title aot-graph-desc" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title id="aot-graph-title">${markupText(title)}</title>`,
    `<desc id="aot-graph-desc">${markupText(described(graph))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...placed.edges.map(edgeMarkup),
    ...placed.nodes.map(nodeMarkup),
    "</svg>",
    "",
  ].join("\n");
}

function described({ nodes, groups }: GraphJson): string {
  const counts = new Map<Standing, number>();
  for (const { standing } of nodes) counts.set(standing, (counts.get(standing) ?? 0) + 1);
  const parts = [...counts].map(([standing, count]) => `${count} ${STANDING_WORDS[standing][1]}`);
  const choices = groups.map(({ name, selected }) => `${name}: ${selected} is chosen`);
  return [`${nodes.length} atoms: ${parts.join(", ")}`, ...choices].join(". ");
}

function nodeMarkup({ kind, name, description, standing, x, y, width, height }: PlacedNode): string {
  const [mark, words] = STANDING_WORDS[standing];
  const [left, top] = [tenths(x - width / 2), tenths(y - height / 2)];
  const lines = [`${mark} ${name}`, ...linesOf(description)].map((line) => clipped(line, MOST_COLUMNS));
  const texts = lines.map((line, index) => {
    const at = `x="${tenths(left + PADDING)}" y="${tenths(top + PADDING + 8 + index * LINE_HEIGHT)}"`;
    return `<text ${at}${index === 0 ? ' class="name"' : ""}>${markupText(line)}</text>`;
  });
  const tooltip = kind === "group" ? `${name}: ${description}` : `${name}: ${description} (${words})`;
  return `<g class="${standing}"><title>${markupText(tooltip)}</title><rect class="box" x="${left}" y="${top}" width="${width}" height="${height}" rx="${kind === "group" ? 14 : 6}"/>${texts.join("")}</g>`;
}

/** A curve from row to row, with an arrow head where it ends at what needs something. */
function edgeMarkup({ kind, points }: PlacedEdge): string {
  const [first, ...rest] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "";
  let here = first;
  const curves = rest.map((next) => {
    const middle = tenths((here.y + next.y) / 2);
    const curve = `C${here.x} ${middle} ${next.x} ${middle} ${next.x} ${next.y}`;
    here = next;
    return curve;
  });
  const path = `<path class="edge ${kind}" d="M${first.x} ${first.y}${curves.join("")}"/>`;
  const tip = `<path class="tip" d="M${last.x} ${last.y}l-4 -8h8Z"/>`;
  return kind === "part" ? path : `${path}${tip}`;
}

// ── words ───────────────────────────────────────────────────────────────────

/** The text in a few short lines. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || columnsOf(longer) <= MOST_COLUMNS) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  if (line !== "") lines.push(line);
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1] ?? ""}…`];
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}

function clipped(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  let kept = "";
  let columns = 0;
  for (const character of text) {
    columns += WIDE.test(character) ? 2 : 1;
    if (columns > most - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
