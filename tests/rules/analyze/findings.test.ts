/** What readings agree on, and how turns of the same rule come together (SPEC section 12). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agreedOn, findingsOf, type Agreed } from "../../../src/rules/analyze/findings.ts";
import { pastCallOf } from "../../../src/rules/analyze/past-call.ts";
import type { Correction } from "../../../src/rules/analyze/turn-questions.ts";
import type { Turn } from "../../../src/rules/analyze/session.ts";

const at = { file: "s", line: 1 };
const callOf = (id: string): NonNullable<Correction["call"]> =>
  pastCallOf({ kind: "call", id, tool: "Bash", input: { command: id } }, at, "/");
const [A, B] = [callOf("a"), callOf("b")];
const turn: Turn = { text: "no", at, number: 0, moments: [], lead: [], refused: null };
const on = (call: Correction["call"], more: Partial<Correction> = {}): Correction => ({
  quote: "no",
  call,
  severity: "medium",
  rule: null,
  ...more,
});

describe("agreed by two readings", () => {
  test.each([
    ["nobody", [null, null], null],
    ["both, on the call", [on(A), on(A)], A],
    ["both, on none of the calls", [on(null), on(null)], "none"],
    ["one of two", [on(A), null], "open"],
    ["both, on two calls", [on(A), on(B)], "open"],
    ["two of three", [on(A), null, on(A)], A],
    ["one of three", [on(A), null, null], null],
    ["three, two on the call", [on(A), on(B), on(B)], B],
    ["all, and nobody on the call", [on(A), on(B), on(null)], "none"],
    ["two of three, not on the call", [on(A), null, on(B)], "none"],
  ] as const)("%s", (_, readings, expected) => {
    const agreed = agreedOn(turn, readings);
    expect(agreed === null || agreed === "open" ? agreed : (agreed.call ?? "none")).toBe(expected);
  });

  test("of three readings nothing stays open, and a finding has two at least", () => {
    const one = fc.constantFrom(null, on(A), on(B), on(null));
    fc.assert(
      fc.property(fc.tuple(one, one, one), (readings) => {
        const agreed = agreedOn(turn, readings);
        expect(agreed).not.toBe("open");
        expect(agreed !== null).toBe(readings.filter((reading) => reading !== null).length >= 2);
      }),
    );
  });
});

const ruled = (name: string, when: readonly { field: string; pattern: string }[] = []): Correction =>
  on(A, { rule: { name, words: `${name}.`, when } });
const agreed = (...readings: readonly Correction[]): Agreed => ({ turn, quote: "no", call: A, readings });

test("turns of the same rule are one finding with all its patterns, each once; those without a rule stay apart", () => {
  const [x, y] = [[{ field: "command", pattern: "x" }], [{ field: "command", pattern: "y" }]];
  const findings = findingsOf([
    agreed(ruled("one", x), ruled("one", y)),
    agreed(on(A), on(A)),
    agreed(ruled("one", x), on(A, { severity: "high" })),
    agreed(on(B), on(B)),
  ]);
  expect(findings.map(({ rule, quotes, severity }) => [rule?.name, quotes.length, severity])).toEqual([
    ["one", 2, "high"],
    [undefined, 1, "medium"],
    [undefined, 1, "medium"],
  ]);
  expect(findings[0]?.patterns).toEqual([x, y]);
});

test("what less than half of the readings take for a rule is none, and its patterns go with it", () => {
  const when = [{ field: "command", pattern: "x" }];
  const [finding] = findingsOf([agreed(ruled("one", when), on(A), on(A))]);
  expect(finding).toMatchObject({ rule: null, patterns: [] });
  expect(findingsOf([{ turn, quote: "no", call: A, readings: [] }])).toMatchObject([
    { rule: null, severity: "medium" },
  ]);
});
