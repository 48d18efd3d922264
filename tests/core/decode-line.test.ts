/** SPEC 8: what is read of a journal is total, of its type, and as it was written. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineReader } from "../../src/adapters/store/journal-reader.ts";
import { createStory } from "../../src/history/run-story.ts";
import { createGrowth } from "../../src/core/aligned-graph.ts";
import { decodeLine, decodeLines, isKnown, KNOWN_EVENTS } from "../../src/core/decode-line.ts";
import type { Projection } from "../../src/core/fold-journal.ts";
import type { AnyLine } from "../../src/core/journal-line.ts";
import { createRecall } from "../../src/core/journal.ts";
import { createHistory } from "../../src/phases/core/history.ts";
import { phaseLine } from "../../src/phases/core/phase-line.ts";
import { definitionOf, GARDEN } from "../phases/core/definitions.ts";

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

test("DECODE-LINE-1, law: of any bytes lines are read, or named as skipped; nothing is thrown", () => {
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

test("DECODE-LINE-2, DECODE-LINE-3, law: what fits is kept as it is; a line that was decoded is so for good; other kinds are not touched", () => {
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

const PROJECTIONS: Readonly<Record<string, () => Projection<unknown>>> = {
  memory: createRecall,
  growth: createGrowth,
  story: createStory,
  newest_run: () => createStory("newest_run"),
  phases: () => createHistory(definitionOf(GARDEN)),
};
const PHASE_EVENTS =
  "phases_begun phases_run phases_halted phase_work phase_worked gate_looked_at fail_phase pass_gate fail_gate retry_gate skip_gate resume fail_loop count".split(
    " ",
  );
const anyKind = fc
  .tuple(
    fc.constantFrom(...KNOWN_EVENTS, ...PHASE_EVENTS),
    fc.dictionary(fc.constantFrom(...FIELDS, "phase", "gate", "file", "by", "stays", "reopen"), anyValue),
  )
  .map(([event, fields]) => ({ ...fields, event }));
const garbage = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(fc.constantFrom(...FIELDS), anyValue).map((fields) => ({ ...fields, event: "of_a_later_version" })),
);

function read(projection: Projection<unknown>, lines: readonly AnyLine[]): unknown {
  for (const line of lines) projection.read(line);
  return structuredClone(projection.now());
}

describe.each(Object.entries(PROJECTIONS))("SPEC 8, law, %s", (_, create) => {
  test("FOLD-JOURNAL-1: of the lines so far and then of more is learnt what all of them tell, whatever they hold", () => {
    fc.assert(
      fc.property(fc.array(anyKind), fc.array(anyKind), (before, after) => {
        const projection = create();
        read(projection, decodeLines(before));
        expect(read(projection, decodeLines(after))).toEqual(read(create(), decodeLines([...before, ...after])));
      }),
      { numRuns: 200 },
    );
  });

  test("FOLD-JOURNAL-3: what is no line, or one of another kind, changes nothing, wherever it stands", () => {
    const marked = fc.oneof(
      anyKind.map((line) => ({ line, isOurs: true })),
      garbage.map((line) => ({ line, isOurs: false })),
    );
    fc.assert(
      fc.property(fc.array(marked), (lines) => {
        const all = lines.map(({ line }) => line);
        const ours = lines.flatMap(({ line, isOurs }) => (isOurs ? [line] : []));
        expect(read(create(), decodeLines(all))).toEqual(read(create(), decodeLines(ours)));
      }),
      { numRuns: 200 },
    );
  });
});

test("DECODE-LINE-1, DECODE-LINE-3, law: a phase loop's line is of the type that it says, or none; read again it is the same", () => {
  fc.assert(
    fc.property(anyKind, (value) => {
      const [line] = decodeLines([value]);
      const reported = line === undefined ? null : phaseLine(line);
      expect(reported !== null).toBe(line !== undefined && PHASE_EVENTS.includes(value.event));
      if (reported === null) return;
      expect([typeof reported.time, typeof reported.run]).toEqual(["string", "string"]);
      if (reported.event === "gate_looked_at") expect(reported.cost_usd).toBeGreaterThanOrEqual(0);
      expect(decodeLines([reported]).map(phaseLine)).toEqual([reported]);
    }),
    { numRuns: 500 },
  );
});
