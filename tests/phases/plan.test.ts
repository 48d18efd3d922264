/** The worst case of a run of a phase loop (SPEC section 4). */
import { expect, test } from "vitest";
import { planPhases } from "../../src/index.ts";
import type { PhasesPlan } from "../../src/phases/plan.ts";
import { setPhaseStage, type PhaseStage, type PhaseOverrides } from "../support/phase-stage.ts";

const LOOP = {
  id: "small",
  phases: [
    { name: "DRAFT", skills: ["write", "read"], required: true },
    { name: "SHIP", skills: ["send"], required: true },
    { name: "REST", required: false },
  ],
  gates: [
    { id: "red", afterPhase: "DRAFT", approvalType: "auto", checks: [{ type: "file", value: "GOOD.md" }] },
    { id: "said", afterPhase: "SHIP", approvalType: "auto", autoCheck: "it arrived" },
  ],
};

async function planned(stage: PhaseStage, request: PhaseOverrides = {}): Promise<PhasesPlan> {
  const plan = await planPhases(stage.options(request));
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  return plan;
}

test("each phase as often as its gates can send it back by themselves, and what gates ask the judge; nothing is started", async () => {
  const stage = await setPhaseStage(LOOP, { git: false });
  const supervised = await planned(stage);
  expect(supervised.phases.map(({ phase, rounds }) => [phase, rounds])).toEqual([
    ["DRAFT", 1],
    ["SHIP", 1],
  ]);
  const alone = await planned(stage, { autonomy: "autonomous" });
  expect(alone.phases.map(({ rounds }) => rounds)).toEqual([3, 3]);
  expect(alone.agent_calls).toBeGreaterThan(3 * (supervised.phases[0]?.agent_calls ?? 0));
  expect(await planned(stage, { run: { limits: { timeout_ms: 1, max_wait_ms: 0, max_call_usd: 2 } } })).toMatchObject({
    cost_usd: 2 * supervised.agent_calls,
    cost_left_usd: null,
  });
  expect(stage.calls()).toEqual([]);
});

test("SPEC 4: no run does more than its plan said; what is over is no part of the next one", async () => {
  const stage = await setPhaseStage(LOOP, { git: false });
  const request: PhaseOverrides = { autonomy: "semi-autonomous" };
  const before = await planned(stage, request);
  const report = await stage.report(request);
  expect(report).toMatchObject({ outcome: "needs_confirmation", gate: "red" });
  expect(stage.calls()).toHaveLength(6);
  expect(stage.calls().length).toBeLessThanOrEqual(before.agent_calls);
  expect(report.spent.iterations).toBeLessThanOrEqual(before.phases[0]?.iterations ?? 0);
  await stage.act({ type: "skip_gate", gate: "red", reason: "enough" });
  expect((await planned(stage, request)).phases.map(({ phase }) => phase)).toEqual(["SHIP"]);
});

test("SPEC 4: refused before anything is spent when the worst case is beyond the limit and the price is known", async () => {
  const stage = await setPhaseStage(LOOP, { git: false });
  const settings = { verify_each: false, confirmed: false, max_cost_usd: 3 };
  const limits = { timeout_ms: 60_000, max_wait_ms: 0, max_call_usd: 1 };
  expect(await stage.run({ run: { settings, limits } })).toMatchObject({
    ok: false,
    exit_code: 2,
    problems: [{ message: expect.stringContaining("the limit leaves 3.00 USD") }],
  });
  expect(stage.calls()).toEqual([]);
});
