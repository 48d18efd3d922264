/** A person sees checks run (SPEC section 6). */
import { expect, test } from "vitest";
import type { Mark } from "../../src/core/journal.ts";
import { judge, leavesOf } from "../../src/core/verdict.ts";
import type { Verifier } from "../../src/loop/ports.ts";
import { tellingVerifier } from "../../src/loop/tell-checks.ts";

/** A verifier whose commands take so many milliseconds, on a clock of its own. */
function scene(ms: number): { told: Mark[]; verify: (why?: "before_work") => Promise<unknown> } {
  const told: Mark[] = [];
  let due: (() => void) | null = null;
  const clock = {
    now: () => "2026-01-01T00:00:00.000Z",
    monotonic: () => 0,
    after: (wait: number, then: () => void) => {
      if (wait <= ms) due = then;
      return () => void (due = null);
    },
  };
  const slow: Verifier = {
    verify: async (baseCase, _dir, _signal, { before, after }) => {
      for (const leaf of leavesOf(baseCase)) {
        before?.(leaf);
        due?.();
        const result = { passed: true, evidence: { kind: "command", duration_ms: ms } } as never;
        expect(await after?.(leaf, result)).toBe(result);
      }
      return { verdict: judge(baseCase, () => undefined) };
    },
  };
  const verifier = tellingVerifier(slow, clock, (mark) => told.push(mark));
  const baseCase = { type: "command", value: "npm test" } as const;
  return { told, verify: async (why) => await verifier.verify(baseCase, "/", AbortSignal.abort(), { env: {}, why }) };
}

const named = (told: readonly Mark[]): readonly unknown[] =>
  told.map((mark) => [mark.event, "why" in mark && mark.why, "last_ms" in mark ? mark.last_ms : null]);

test("SPEC 6: a check that runs for a second is told of, with how long it took last time, and each on a line as it ends", async () => {
  const { told, verify } = scene(5_000);
  await verify();
  await verify("before_work");
  expect(named(told)).toEqual([
    ["check_started", "first", null],
    ["check_ended", "first", null],
    ["check_started", "before_work", 5_000],
    ["check_ended", "before_work", null],
  ]);
});

test("SPEC 6: of a short one the end is told, and of its runs again nothing", async () => {
  const { told, verify } = scene(400);
  await verify();
  await verify("before_work");
  expect(named(told)).toEqual([["check_ended", "first", null]]);
});
