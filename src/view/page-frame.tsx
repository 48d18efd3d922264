/** An HTML page that is one file: no script, no outside request, light or dark as its reader prefers. Pure. */
import type { ComponentChildren, JSX } from "preact";
import { markupOf } from "./markup.ts";
import { STYLE } from "./style.ts";

/** Nothing is loaded and nothing is run, whatever the page holds. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const FILE_STYLE = `
main.file{grid-template-columns:minmax(0,1fr);max-width:1180px}
.file h1{font-size:21px;line-height:1.25;overflow-wrap:anywhere}
.file header{display:grid;gap:6px;justify-items:start}
.file .tiles,.file .banner{justify-self:stretch}
.file .events li{grid-template-columns:auto minmax(0,1fr)}
.wide{overflow-x:auto;border-radius:6px;background:var(--sunk)}
.wide svg{display:block}
.cards{border-collapse:collapse;width:100%;font-size:13px}
.cards th,.cards td{text-align:left;vertical-align:top;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.cards th{color:var(--dim);font-weight:600}
.cards .number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.cards .mark{white-space:normal}
.when{white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}
@media (max-width:800px){.cards thead{position:absolute;clip-path:inset(50%)}.cards th{min-width:0!important}.cards tr{display:block;border-bottom:1px solid var(--line);padding:6px 0}.cards td{display:block;border:0;padding:1px 0}.cards .number{text-align:left}}
@media print{.wide,pre{overflow:visible;max-height:none}}
`;

/** @param content of the page's main part */
export function pageText(title: string, content: ComponentChildren): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="generator" content="aot-loop" />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: `${STYLE}${FILE_STYLE}` }} />
      </head>
      <body>
        <main class="file">{content}</main>
      </body>
    </html>
  );
  return `<!doctype html>\n${markupOf(page)}\n`;
}

interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, children }: PanelProps): JSX.Element {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** No column is narrower than its words, or than so many characters: what is longer may be broken. */
const WIDEST_WORD = 11;

interface TableProps {
  readonly name: string;
  /** A column whose head ends in `#` holds numbers. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** On a narrow screen each row is a card. */
export function Table({ name, head, rows }: TableProps): JSX.Element {
  const isNumber = head.map((one) => one.endsWith("#"));
  const kind = (index: number): string | undefined => (isNumber[index] === true ? "number" : undefined);
  return (
    <table class="cards" aria-label={name}>
      <thead>
        <tr>
          {head.map((one, index) => {
            const shown = one.replace(/#$/, "");
            const words = rows.map((cells) => longestWord(markupOf(cells[index])));
            const width = words.reduce((most, length) => Math.max(most, length), longestWord(shown));
            return (
              <th key={index} class={kind(index)} scope="col" style={{ minWidth: `calc(${width}ch + 20px)` }}>
                {shown}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, index) => (
              <td key={index} class={kind(index)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** In characters, at most {@link WIDEST_WORD}. @param content markup */
function longestWord(content: string): number {
  let longest = 0;
  for (const word of content
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&#?\w+;/g, "x")
    .split(/[\s-]+/)) {
    longest = Math.max(longest, word.length);
    if (longest >= WIDEST_WORD) return WIDEST_WORD;
  }
  return longest;
}
