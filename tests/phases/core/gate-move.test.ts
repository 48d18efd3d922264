/** What becomes of a gate without a person (SPEC section 11): every kind of gate, autonomy and look. */
import { describe, expect, test } from "vitest";
import { AUTONOMIES, type ApprovalType, type Autonomy, type Gate } from "../../../src/phases/core/definition.ts";
import { gateMove, isLookedAt, MOST_SENT_BACK, type GateLook } from "../../../src/phases/core/gate-move.ts";

const APPROVALS: readonly ApprovalType[] = ["human", "conditional", "auto"];
const LOOKS: readonly (GateLook | null)[] = [
  null,
  { passed: true, reason: "" },
  { passed: false, reason: "red" },
  { passed: null, reason: "nobody judged" },
];

const gate = (approval: ApprovalType, required: boolean): Gate => ({
  id: "g",
  after: "A",
  required,
  approval,
  deliverables: ["A.md"],
  checks: [],
  criteria: [],
});

const all = APPROVALS.flatMap((approval) =>
  [true, false].flatMap((required) =>
    AUTONOMIES.flatMap((autonomy) =>
      LOOKS.flatMap((look) =>
        [0, 1, MOST_SENT_BACK].map((sent) => ({
          approval,
          required,
          autonomy,
          look,
          sent,
          move: gateMove(gate(approval, required), autonomy, look, sent),
        })),
      ),
    ),
  ),
);

describe("laws, over every combination", () => {
  test("GATE-MOVE-1: a human gate is never passed or sent back here, and a required one goes to a person", () => {
    for (const { approval, required, move } of all) {
      if (approval !== "human") continue;
      expect(["ask", "skip"]).toContain(move.kind);
      if (required) expect(move.kind).toBe("ask");
    }
  });

  test("a required gate is never skipped here, whatever the autonomy; an optional one waits for nobody", () => {
    for (const { required, move } of all) expect(move.kind).not.toBe(required ? "skip" : "ask");
  });

  test("GATE-MOVE-2: only a look that says yes passes a gate", () => {
    for (const { look, move } of all) if (move.kind === "pass") expect(look?.passed).toBe(true);
  });

  test("GATE-MOVE-3: a phase is sent back a bounded number of times, and only for checks that said no", () => {
    for (const { look, sent, move } of all)
      if (move.kind === "send_back") {
        expect(sent).toBeLessThan(MOST_SENT_BACK);
        expect(look?.passed).toBe(false);
      }
  });

  test("whatever is skipped or sent back says why", () => {
    for (const { move } of all) if ("reason" in move) expect(move.reason).not.toBe("");
  });
});

/** Rows: what stands against it; columns: supervised, semi-autonomous, autonomous. */
const TABLE: readonly (readonly [ApprovalType, required: boolean, GateLook | null, string, string, string])[] = [
  ["human", true, null, "ask", "ask", "ask"],
  ["human", false, null, "skip", "skip", "skip"],
  ["conditional", true, { passed: true, reason: "" }, "pass", "pass", "pass"],
  ["conditional", true, { passed: false, reason: "red" }, "ask", "ask", "send_back"],
  ["conditional", false, { passed: false, reason: "red" }, "skip", "skip", "skip"],
  ["conditional", true, null, "ask", "ask", "ask"],
  ["conditional", false, null, "skip", "skip", "skip"],
  ["auto", true, { passed: true, reason: "" }, "pass", "pass", "pass"],
  ["auto", true, { passed: false, reason: "red" }, "ask", "send_back", "send_back"],
  ["auto", false, { passed: false, reason: "red" }, "skip", "skip", "skip"],
  ["auto", true, { passed: null, reason: "nobody judged" }, "ask", "ask", "ask"],
];

describe("the table of docs/phases.md", () => {
  for (const [approval, required, look, ...moves] of TABLE)
    test(`${approval}, ${required ? "required" : "optional"}, ${look === null ? "not looked at" : look.passed}`, () => {
      const made = AUTONOMIES.map((autonomy: Autonomy) => gateMove(gate(approval, required), autonomy, look, 0).kind);
      expect(made).toEqual(moves);
    });
});

test("an auto gate whose checks say no is recorded as failed, a conditional one waits", () => {
  const no: GateLook = { passed: false, reason: "red" };
  expect(gateMove(gate("auto", true), "supervised", no, 0)).toEqual({ kind: "ask", why: "red", failed: true });
  expect(gateMove(gate("conditional", true), "supervised", no, 0)).toEqual({ kind: "ask", why: "red", failed: false });
});

test("a conditional gate of which nobody said when it passes is a person's", () => {
  const bare = { ...gate("conditional", true), deliverables: [] };
  expect(isLookedAt(bare)).toBe(false);
  expect(isLookedAt({ ...bare, condition: "no market" })).toBe(true);
  expect(isLookedAt({ ...bare, approval: "auto" })).toBe(true);
  expect(isLookedAt({ ...bare, approval: "human", deliverables: ["A.md"] })).toBe(false);
});
