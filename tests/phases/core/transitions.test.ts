/** The transition tables, pair by pair (SPEC section 11, seed phase-state-schema). */
import { describe, expect, test } from "vitest";
import { type Action, commandOf } from "../../../src/phases/core/action.ts";
import { allowedActions } from "../../../src/phases/core/rules.ts";
import { apply } from "../../../src/phases/core/apply.ts";
import type { LoopDefinition } from "../../../src/phases/core/definition.ts";
import { generate } from "../../../src/phases/core/generate.ts";
import {
  GATE_STATUSES,
  LOOP_STATUSES,
  PHASE_STATUSES,
  type GateStatus,
  type LoopStatus,
  type PhaseLoop,
  type PhaseStatus,
} from "../../../src/phases/core/state.ts";
import { definitionOf, GARDEN, second } from "./definitions.ts";

/** Two phases and a gate between; nothing is required, so that the tables alone decide. */
const TWO: LoopDefinition = {
  id: "two",
  version: "1",
  mode: "m",
  autonomy: "supervised",
  phases: [
    { name: "A", required: false, skills: [], deliverables: [], results: [] },
    { name: "B", required: false, skills: [], deliverables: [], results: [] },
  ],
  gates: [{ id: "g", after: "A", required: false, approval: "auto", deliverables: [], checks: [], criteria: [] }],
};
const NOW = second(9);

function withStatuses(loop: LoopStatus, a: PhaseStatus, g: GateStatus): PhaseLoop {
  const begun = generate(TWO, second(0));
  return {
    ...begun,
    status: loop,
    phases: begun.phases.map((phase) => (phase.name === "A" ? { ...phase, status: a } : phase)),
    gates: begun.gates.map((gate) => ({ ...gate, status: g })),
  };
}

const PHASE: Readonly<Record<PhaseStatus, Action>> = {
  active: { type: "start_phase", phase: "A" },
  complete: { type: "complete_phase", phase: "A", deliverables: [] },
  pending: { type: "fail_phase", phase: "A", reason: "r" },
  skipped: { type: "skip_phase", phase: "A", reason: null },
};
const GATE: Readonly<Record<GateStatus, Action>> = {
  passed: { type: "pass_gate", gate: "g", by: "person" },
  failed: { type: "fail_gate", gate: "g", reason: "r" },
  pending: { type: "retry_gate", gate: "g" },
  skipped: { type: "skip_gate", gate: "g", reason: "r" },
};
// Written out once more, from the seed: the tables in the source are not asked.
const PHASE_PAIRS = ["pending active", "active complete", "pending skipped", "active pending"];
const GATE_PAIRS = ["pending passed", "pending skipped", "pending failed", "failed pending", "failed skipped"];
const LOOP_PAIRS = ["active paused", "active complete", "active failed", "paused active"];

describe("SPEC 11: phases, every pair", () => {
  for (const from of PHASE_STATUSES)
    for (const to of PHASE_STATUSES) {
      const isAllowed = PHASE_PAIRS.includes(`${from} ${to}`);
      test(`${from} -> ${to} is ${isAllowed ? "allowed" : "refused"}`, () => {
        const loop = withStatuses("active", from, "pending");
        const done = apply(TWO, loop, PHASE[to], NOW);
        expect(done.ok).toBe(isAllowed);
        if (done.ok) expect(done.value).toMatchObject({ phases: [{ status: to }, {}], last_updated: NOW });
        else {
          expect(done.problems[0]?.message).toBe(`the phase A is ${from} and cannot become ${to}`);
          for (const pair of PHASE_PAIRS) expect(done.problems[0]?.hint).toContain(pair.replace(" ", " -> "));
          const own = PHASE_PAIRS.filter((pair) => pair.startsWith(`${from} `)).map((pair) => pair.split(" ")[1] ?? "");
          for (const target of own) expect(done.problems[0]?.hint?.split(";")[0]).toContain(target);
        }
      });
    }
});

describe("SPEC 11: gates, every pair", () => {
  for (const from of GATE_STATUSES)
    for (const to of GATE_STATUSES) {
      const isAllowed = GATE_PAIRS.includes(`${from} ${to}`);
      test(`${from} -> ${to} is ${isAllowed ? "allowed" : "refused"}`, () => {
        const done = apply(TWO, withStatuses("active", "complete", from), GATE[to], NOW);
        expect(done.ok).toBe(isAllowed);
        if (done.ok) expect(done.value.gates[0]?.status).toBe(to);
        else {
          expect(done.problems[0]?.message).toBe(`the gate g is ${from} and cannot become ${to}`);
          for (const pair of GATE_PAIRS) expect(done.problems[0]?.hint).toContain(pair.replace(" ", " -> "));
        }
      });
    }
});

describe("SPEC 11: the loop, every pair", () => {
  const ASKED: Readonly<Record<LoopStatus, Action>> = {
    active: { type: "resume" },
    paused: { type: "pause" },
    failed: { type: "fail_loop", reason: "r" },
    // What completes a loop is its last step.
    complete: { type: "skip_phase", phase: "B", reason: null },
  };
  for (const from of LOOP_STATUSES)
    for (const to of LOOP_STATUSES) {
      // To resume what is active already is no transition: a session that was interrupted goes on.
      const isAllowed = LOOP_PAIRS.includes(`${from} ${to}`) || (from === "active" && to === "active");
      test(`${from} -> ${to} is ${isAllowed ? "allowed" : "refused"}`, () => {
        const done = apply(TWO, withStatuses(from, "skipped", "passed"), ASKED[to], NOW);
        expect(done.ok).toBe(isAllowed);
        if (done.ok) expect(done.value).toMatchObject({ status: to, last_updated: NOW });
        else expect(done.problems[0]?.hint).toMatch(/allowed/);
      });
    }

  test("a loop that is over is reopened by a human's decision alone, and only as it fits", () => {
    const failed = withStatuses("failed", "pending", "pending");
    const complete = withStatuses("complete", "skipped", "passed");
    expect(apply(TWO, failed, { type: "resume", reopen: "restart" }, NOW).ok).toBe(false);
    expect(apply(TWO, complete, { type: "resume", reopen: "retry" }, NOW).ok).toBe(false);
    expect(apply(TWO, failed, { type: "resume", reopen: "retry" }, NOW)).toMatchObject({ value: { status: "active" } });
    const again = apply(TWO, { ...complete, mode: "other" }, { type: "resume", reopen: "restart" }, NOW);
    expect(again).toEqual({ ok: true, value: generate(TWO, NOW, "other") });
  });
});

describe("conditions", () => {
  const garden = definitionOf(GARDEN);
  const after = (...actions: readonly Action[]): PhaseLoop => {
    let loop = generate(garden, second(0));
    for (const [index, action] of actions.entries()) {
      const next = apply(garden, loop, action, second(index + 1));
      if (!next.ok) throw new Error(JSON.stringify(next.problems));
      loop = next.value;
    }
    return loop;
  };
  const refusal = (loop: PhaseLoop, action: Action): string => {
    const answer = apply(garden, loop, action, NOW);
    if (answer.ok) throw new Error("it was not refused");
    return answer.problems.map(({ message, hint }) => `${message} / ${hint}`).join("\n");
  };
  const planned = [{ type: "complete_phase", phase: "PLAN", deliverables: ["PLAN.md"] }] as const;

  test("SPEC 11: the next phase cannot start before its gate is passed or skipped", () => {
    const start: Action = { type: "start_phase", phase: "DIG" };
    expect(refusal(after(...planned), start)).toContain("the gate plan-gate before it is pending / pass it");
    const failed = after(...planned, { type: "fail_gate", gate: "plan-gate", reason: "no budget" });
    expect(refusal(failed, start)).toContain("aot phases retry plan-gate");
    expect(
      apply(garden, after(...planned, { type: "pass_gate", gate: "plan-gate", by: "person" }), start, NOW).ok,
    ).toBe(true);
    expect(
      apply(garden, after(...planned, { type: "skip_gate", gate: "plan-gate", reason: "small" }), start, NOW).ok,
    ).toBe(true);
  });

  test("SPEC 11: nor before every phase in front of it is over", () => {
    expect(refusal(after(), { type: "start_phase", phase: "DIG" })).toContain("the phase PLAN before it is active");
  });

  test("SPEC 11: a gate has its turn after its phase", () => {
    expect(refusal(after(), { type: "pass_gate", gate: "plan-gate", by: "person" })).toContain("cannot be decided yet");
    expect(refusal(after(), { type: "skip_gate", gate: "soil-gate", reason: "r" })).toContain(
      "the phase PLAN before it",
    );
  });

  test("SPEC 11: a required gate is skipped only with a reason", () => {
    for (const reason of [null, "", "  "])
      expect(refusal(after(...planned), { type: "skip_gate", gate: "plan-gate", reason })).toContain(
        "only with a reason",
      );
    expect(after(...planned, { type: "skip_gate", gate: "plan-gate", reason: "small" }).gates[0]).toMatchObject({
      status: "skipped",
      skippedReason: "small",
      passedAt: null,
    });
  });

  test("SPEC 11: a human gate is passed only by a person", () => {
    expect(refusal(after(...planned), { type: "pass_gate", gate: "plan-gate", by: "check" })).toContain(
      "by a human only",
    );
  });

  test("a required phase is not skipped; an optional one is, also ahead of its turn", () => {
    expect(refusal(after(), { type: "skip_phase", phase: "HARVEST", reason: null })).toContain("is required");
    expect(after({ type: "skip_phase", phase: "FENCE", reason: null }).phases[2]?.status).toBe("skipped");
  });

  test("an unknown name is reported, with the near one and all others", () => {
    expect(refusal(after(), { type: "start_phase", phase: "dig" })).toMatch(
      /no phase "dig" .*PLAN, DIG, FENCE, HARVEST/,
    );
    expect(refusal(after(), { type: "pass_gate", gate: "plan-gat", by: "person" })).toContain(
      "did you mean plan-gate?",
    );
  });

  test("what is allowed is what is accepted, as commands", () => {
    expect(allowedActions(garden, after(...planned)).map(commandOf)).toEqual([
      "aot phases skip FENCE",
      "aot phases approve plan-gate",
      "aot phases reject plan-gate --reason ...",
      "aot phases skip-gate plan-gate --reason ...",
      "aot phases pause",
      "aot phases resume",
      "aot phases fail --unrecoverable --reason ...",
    ]);
  });
});
