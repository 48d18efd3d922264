/** SPEC 8: what is read of a journal is total, of its type, and as it was written. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLineReader } from "../../src/adapters/store/journal-lines.ts";
import { createStory } from "../../src/app/run/run-story.ts";
import { decodeLine, decodeLines, isKnown, KNOWN_EVENTS } from "../../src/core/decode-line.ts";
import type { Projection } from "../../src/core/fold-journal.ts";
import type { AnyLine } from "../../src/core/journal-line.ts";
import { createRecall } from "../../src/core/journal.ts";

const FIELDS =
  "time run iteration atom attempt reason summary findings message measure usage agent commit artifacts verdict redirect outcome memory settings integrated children atoms commits lost from kind movement until who files choice or_group problems tree answers".split(
    " ",
  );
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("A1.1", "A1", "r1", "2026-01-01T00:00:00Z", "verified", "halted", 3, -1, Infinity),
  fc.record({ cost_usd: fc.jsonValue({ maxDepth: 0 }), input_tokens: fc.integer() }),
  fc.array(fc.record({ attempt: fc.constantFrom("A1.1", 7), commit: fc.constantFrom("c", 7) })),
);
const anyLine = fc
  .tuple(fc.oneof(fc.constantFrom(...KNOWN_EVENTS), fc.string()), fc.dictionary(fc.constantFrom(...FIELDS), anyValue))
  .map(([event, fields]) => ({ ...fields, event }));

test("D1, law: of any bytes lines are read, or named as skipped; nothing is thrown", () => {
  const piece = fc.oneof(
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    anyLine.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const reader = createLineReader("journal");
      for (const read of [...pieces.flatMap((bytes) => reader.push(bytes)), ...reader.end()])
        if (read.kind === "entry") expect(decodeLine(read.value)).toBe(read.value);
        else expect(["corrupt", "unfinished"]).toContain(read.why);
    }),
  );
});

test("D2, D3, law: what fits is kept as it is; a line that was decoded is so for good; other kinds are not touched", () => {
  fc.assert(
    fc.property(anyLine, (value) => {
      const line = decodeLine(value);
      if (line === null) expect(["base_case_checked", "redirect_requested", "halted"]).toContain(value.event);
      if (line === null) return;
      expect(decodeLine(line)).toBe(line);
      expect(Object.keys(value).filter((name) => !FIELDS.includes(name) && !(name in line))).toEqual([]);
      if (!isKnown(line)) expect(line).toBe(value);
      else
        expect([typeof line.time, typeof line.run, Number.isSafeInteger(line.iteration)]).toEqual([
          "string",
          "string",
          true,
        ]);
    }),
    { numRuns: 500 },
  );
});

const PROJECTIONS: Readonly<Record<string, () => Projection<unknown>>> = { memory: createRecall, story: createStory };

test.each(Object.entries(PROJECTIONS))(
  "SPEC 8, P1, law, %s: of the lines so far and then of more is learnt what all of them tell, whatever they hold",
  (_, create) => {
    const read = (projection: Projection<unknown>, lines: readonly AnyLine[]): unknown => {
      for (const line of lines) projection.read(line);
      return structuredClone(projection.now());
    };
    fc.assert(
      fc.property(fc.array(anyLine), fc.array(anyLine), (before, after) => {
        const projection = create();
        read(projection, decodeLines(before));
        expect(read(projection, decodeLines(after))).toEqual(read(create(), decodeLines([...before, ...after])));
      }),
      { numRuns: 200 },
    );
  },
);
