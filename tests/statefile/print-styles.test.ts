/** Printing into files that other tools and people wrote: any YAML style, not only the canonical form. */
import * as fc from "fast-check";
import { dump, type DumpOptions, load } from "js-yaml";
import { expect, test } from "vitest";
import type { State } from "../../src/core/state.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { findFrontmatter, parseState } from "../../src/statefile/parse.ts";
import { content, type Range } from "../../src/statefile/node.ts";
import { printState } from "../../src/statefile/print.ts";
import { documentOf, validState } from "./samples.ts";

const style: fc.Arbitrary<DumpOptions> = fc.record(
  {
    indent: fc.constantFrom(1, 2, 3, 4),
    flowLevel: fc.constantFrom(-1, 0, 1, 2, 3, 4, 5),
    quoteStyle: fc.constantFrom("single", "double"),
    forceQuotes: fc.boolean(),
    lineWidth: fc.constantFrom(-1, 10, 80),
    seqNoIndent: fc.boolean(),
    seqInlineFirst: fc.boolean(),
    flowBracketPadding: fc.boolean(),
    flowSkipCommaSpace: fc.boolean(),
    quoteFlowKeys: fc.boolean(),
    sortKeys: fc.boolean(),
  },
  { noNullPrototype: true, requiredKeys: [] },
);

function restyled(state: State, options: DumpOptions): string {
  const text = createStateText(state, "p");
  const frame = findFrontmatter(text);
  if (typeof frame === "string") throw new Error(frame);
  const value = load(text.slice(frame.start, frame.end)) as object;
  return `---\n${dump({ ...value, "x-owner": { team: "a", list: [1, 2] } }, options)}---\n\n# Original Prompt\n\np`;
}

/** Puts comment lines and trailing comments where they change nothing. */
function commented(text: string, places: readonly number[]): string {
  const before = parseState(text);
  let result = text;
  places.forEach((place, number) => {
    const lines = result.split("\n");
    const end = lines.lastIndexOf("---");
    const line = 1 + (place % Math.max(1, end - 1));
    if (place % 3 === 0) lines[line] += ` # tail ${number}`;
    else lines.splice(line, 0, `${" ".repeat(place % 5)}# keep ${number}`);
    const candidate = lines.join("\n");
    const after = parseState(candidate);
    if (before.ok && after.ok && JSON.stringify(after.document.state) === JSON.stringify(before.document.state))
      result = candidate;
  });
  return result;
}

/** Comment lines that are between the items and keys of the sections, not inside one of them. */
function freeComments(text: string): string[] {
  const { root } = documentOf(text);
  const inner: Range[] = [];
  for (const { value } of root.entries) {
    const section = content(value);
    if (section.kind === "scalar") continue;
    if (section.flow) inner.push(section);
    else inner.push(...(section.kind === "mapping" ? section.entries : section.items));
  }
  const comments = [...text.matchAll(/^ *# keep.*$/gm)];
  return comments
    .filter(({ index }) => !inner.some(({ start, end }) => index > start && index < end))
    .map(([comment]) => comment);
}

test(
  "SPEC 2: in any YAML style, what is printed is read back, unknown keys and the body survive",
  { timeout: 60_000 },
  () => {
    fc.assert(
      fc.property(validState, validState, style, fc.boolean(), fc.boolean(), (before, after, options, crlf, bom) => {
        const lf = restyled(before, options);
        const text = (bom ? "\ufeff" : "") + (crlf ? lf.replaceAll("\n", "\r\n") : lf);
        const document = documentOf(text);
        expect(document.state).toEqual(before);
        expect(printState(document, structuredClone(before))).toEqual({ ok: true, value: text });
        const printed = printState(document, after);
        if (!printed.ok) throw new Error(`${JSON.stringify(printed.problems)}\n${text}`);
        const read = parseState(printed.value);
        if (!read.ok) throw new Error(`${JSON.stringify(read.problems)}\n${text}\n=====\n${printed.value}`);
        expect(read.document.state).toStrictEqual(after);
        expect(read.document.text.slice(read.document.body.start)).toBe(text.slice(document.body.start));
        expect(printed.value).toMatch(/x-owner/);
        if (crlf) expect(printed.value).not.toMatch(/[^\r]\n/);
        if (!crlf) expect(printed.value).not.toContain("\r\n");
      }),
      { numRuns: 400 },
    );
  },
);

test("SPEC 2: comment lines survive every change", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(
      validState,
      validState,
      fc.record(
        { indent: fc.constantFrom(2, 4), seqNoIndent: fc.boolean(), sortKeys: fc.boolean() },
        { noNullPrototype: true },
      ),
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
      (before, after, options, places) => {
        const text = commented(restyled(before, { ...options, lineWidth: -1 }), places);
        const printed = printState(documentOf(text), after);
        if (!printed.ok) throw new Error(`${JSON.stringify(printed.problems)}\n${text}`);
        const read = parseState(printed.value);
        if (!read.ok) throw new Error(`${JSON.stringify(read.problems)}\n${text}\n=====\n${printed.value}`);
        expect(read.document.state).toStrictEqual(after);
        const free = freeComments(text);
        const comments = printed.value.split("\n").filter((line) => line.includes("# keep"));
        expect(comments).toEqual(expect.arrayContaining(free));
      },
    ),
    { numRuns: 200 },
  );
});
