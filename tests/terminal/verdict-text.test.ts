import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bothEnds, evidenceLine } from "../../src/terminal/verdict-text.ts";

test("SPEC 6: scores show their average, an assertion which lines were quoted", () => {
  const scores = [{ criterion: "Design", score: 4, reason: "r" }];
  expect(evidenceLine({ kind: "scores", scores, average: 4, threshold: 3 })).toBe("average 4 of 3 needed (Design 4)");
  const quotes = [{ file: "src/a.ts", line: 3, text: "let a = 1;" }];
  expect(evidenceLine({ kind: "judgement", reason: "it holds", quotes })).toBe("it holds [src/a.ts:3]");
  expect(evidenceLine({ kind: "judgement", reason: "it holds" })).toBe("it holds");
});

test("SPEC 6: the line that a command is quoted with tells what came of it, not how long the report took", () => {
  const line = (output: string): string =>
    evidenceLine({
      kind: "command",
      command: "npm test",
      exit_code: 1,
      timed_out: false,
      duration_ms: 20,
      output,
      dropped_bytes: 0,
    });
  expect(line("# pass 3\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 170.8\n")).toContain(
    ": # fail 1",
  );
  expect(line("ℹ fail 2\nℹ duration_ms 9\n")).toContain(": ℹ fail 2");
  expect(line("# a heading\n\n")).toContain(": # a heading");
});

test("SPEC 10: of a long text both ends are shown, and never more than there is space for", () => {
  const said = `exit code 3: ${"working ".repeat(60)}the library is gone`;
  expect(bothEnds(said)).toMatch(/^exit code 3: .*… .*the library is gone$/);
  fc.assert(
    fc.property(fc.string({ maxLength: 400, unit: "grapheme" }), fc.integer({ min: 8, max: 200 }), (text, limit) => {
      const shown = bothEnds(text, limit);
      expect(shown.length).toBeLessThanOrEqual(limit);
      const halves = shown.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, "");
      expect(halves, "half a character").not.toMatch(/[\ud800-\udfff]/);
    }),
  );
});
