import { expect, test } from "vitest";
import { evidenceLine } from "../../src/commands/verdict-text.ts";
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
