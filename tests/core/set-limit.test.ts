import { expect, test } from "vitest";
import { applyRedirect } from "../../src/core/apply-redirect.ts";
import { stateOf } from "../support/loops.ts";

const made = stateOf({ atoms: [{ id: "A", status: "resolved" }, { id: "B" }] });
const state = { ...made, control: { ...made.control, iteration: 6 } };
/** What is resolved is not tried any more. */
const spent = { cost_usd: 2.341, active_ms: 95.4 * 60_000, attempts: (atom: string) => (atom === "B" ? 3 : 9) };

test.each([
  ["max_iterations", 5, 6, "the loop is at iteration 6", "give 6 or more"],
  ["max_cost_usd", 2, 2.35, "$2.34 are spent", "give 2.35 or more"],
  ["max_duration", "90m", "96m", "it has been worked for 1h 35m", 'give "96m" or more'],
  ["max_attempts_per_atom", 2, 3, "B has had 3 attempts", "give 3 or more"],
] as const)(
  "SPEC 4, 8: %s below what is spent is refused, with the least that holds it",
  (constraint, value, least, why, how) => {
    const set = (limit: string | number) =>
      applyRedirect(state, { kind: "limit", constraint, value: limit, reason: "" }, "2026-01-02T00:00:00.000Z", spent);
    const message = `${constraint} cannot be ${value}: ${why}`;
    expect(set(value)).toMatchObject({ ok: false, problems: [{ message, hint: expect.stringContaining(how) }] });
    expect(set(least)).toMatchObject({ ok: true });
  },
);

test("SPEC 4, 8: a limit of what is not spent may be as low as any", () => {
  for (const constraint of ["max_parallel_agents", "max_stall_count"] as const)
    expect(
      applyRedirect(state, { kind: "limit", constraint, value: 1, reason: "" }, "2026-01-02T00:00:00.000Z", spent).ok,
    ).toBe(true);
});
