/** An HTML page that is one file: no script, no outside request, light or dark as its reader prefers. Pure. */
import { markupText } from "./markup.ts";

/** Nothing is loaded and nothing is run, whatever stands in the page. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--panel:#f6f8fa;--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--run:#0969da;--mark:#8250df}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--panel:#151b23;--good:#3fb950;--bad:#f85149;--warn:#d29922;--run:#58a6ff;--mark:#a371f7}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:24px 20px 48px}h1{font-size:1.5rem;line-height:1.25;margin:.2em 0}h2{font-size:1.1rem;margin:2em 0 .6em;padding-bottom:.3em;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1.2em 0 .4em}
p{margin:.5em 0}.soft{color:var(--soft)}.when{white-space:nowrap}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
h1,h2,p,td,th,li,dd,summary{overflow-wrap:anywhere}code,pre{font:13px/1.45 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:8px 10px;margin:.4em 0;max-height:24em;overflow:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:5px 10px 5px 0;border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:600}td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--bg)}.wide svg{display:block;height:auto;min-width:560px;max-width:100%}.wide.natural svg{max-width:none;min-width:0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:10px;margin:1.2em 0}.facts div{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:8px 12px}.facts dt{color:var(--soft);font-size:.85rem}.facts dd{margin:0;font-size:1.15rem;font-weight:600;font-variant-numeric:tabular-nums}
ul.tree{list-style:none;padding-left:0}ul.tree li{margin:.5em 0}ul.tree ul{list-style:none;padding-left:1.4em}.tag{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:0 .6em;font-size:.85rem;font-weight:600}
@media (max-width:800px){main{padding:14px 12px 32px}table.cards thead{position:absolute;clip-path:inset(50%)}table.cards th{min-width:0!important}table.cards tr{display:block;border-bottom:1px solid var(--line);padding:6px 0}table.cards td{display:block;border:0;padding:1px 0;text-align:left}}
@media print{.wide,pre{overflow:visible;max-height:none}}
`.trim();

/** @param body markup. @param style further rules */
export function htmlPage(title: string, body: string, style = ""): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="generator" content="aot-loop">',
    `<title>${markupText(title)}</title>`,
    `<style>${STYLE}${style}</style>`,
    "</head>",
    "<body>",
    `<main>${body}</main>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** No column is narrower than its words, or than so many characters: what is longer may be broken. */
const WIDEST_WORD = 11;

/** @param rows of cells that are markup; a column whose head ends in `#` holds numbers */
export function htmlTable(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumber = head.map((name) => name.endsWith("#"));
  const numbers = (index: number): string => (isNumber[index] === true ? ' class="number"' : "");
  const names = head.map((name, index) => {
    const shown = markupText(name.replace(/#$/, ""));
    const width = rows.reduce((most, cells) => Math.max(most, longestWord(cells[index] ?? "")), longestWord(shown));
    return `<th${numbers(index)} scope="col" style="min-width:calc(${width}ch + 20px)">${shown}</th>`;
  });
  const lines = rows.map(
    (cells) => `<tr>${cells.map((content, index) => `<td${numbers(index)}>${content}</td>`).join("")}</tr>`,
  );
  return `<table class="cards" aria-label="${markupText(caption).replaceAll('"', "&quot;")}"><thead><tr>${names.join("")}</tr></thead><tbody>${lines.join("\n")}</tbody></table>`;
}

/** In characters, at most {@link WIDEST_WORD}. @param content markup */
function longestWord(content: string): number {
  let longest = 0;
  for (const word of content
    .replace(/<br\/?>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&#?\w+;/g, "x")
    .split(/[\s-]+/)) {
    longest = Math.max(longest, word.length);
    if (longest >= WIDEST_WORD) return WIDEST_WORD;
  }
  return longest;
}
