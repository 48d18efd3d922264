import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bothEnds, evidenceLine } from "../../src/terminal/verdict-text.ts";
import type { Panel, Vote } from "../../src/core/verdict.ts";

const panel = (...votes: Partial<Vote>[]): Panel => ({
  seed: 1,
  wanted: votes.length,
  votes: votes.map((vote) => ({ order: [], ...vote })),
});

test("SPEC 6: the spread of several votes and the void ones are shown; a single vote needs no such words", () => {
  const score = { criterion: "Design", score: 4, reason: "r" };
  const line = (votes: readonly number[], of: Panel): string =>
    evidenceLine({ kind: "scores", scores: [{ ...score, votes }], average: 4, threshold: 3, panel: of });
  expect(line([2, 4, 5], panel({}, {}, {}))).toBe("average 4 of 3 needed (Design 4 [2 to 5]; median of 3 votes)");
  expect(line([4, 4], panel({}, { void: "no such quote" }, {}))).toBe(
    "average 4 of 3 needed (Design 4 [4]; median of 2 votes, 1 void)",
  );
  expect(line([], panel({}))).toBe("average 4 of 3 needed (Design 4)");
});

test("SPEC 6: an assertion shows how the votes went and which lines were quoted", () => {
  const quotes = [{ file: "src/a.ts", line: 3, text: "let a = 1;" }];
  const of = panel({ passed: true }, { passed: false }, { passed: true });
  expect(evidenceLine({ kind: "judgement", reason: "it holds", quotes, panel: of })).toBe(
    "it holds [src/a.ts:3] (2 of 3 votes say yes)",
  );
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
