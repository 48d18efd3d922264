/** A claim of success that a verdict refutes (SPEC sections 6 and 7); what follows in every order: `proofs/`, rule CLAIM. */
import { expect, test } from "vitest";
import { afterCheck, endIteration, enterSession } from "../../src/core/session.ts";
import { judge, type Evidence } from "../../src/core/verdict.ts";
import { NOW, stateOf } from "../support/loops.ts";
import { play, type Play } from "../support/play.ts";
import { MEMORY } from "../support/walk.ts";

const TWO = stateOf({ atoms: [{ id: "A1" }, { id: "A2" }] });
const both = (): Play => {
  const p = play(TWO);
  p.done("A1.1");
  p.done("A2.1");
  return p;
};
/** The base case fails, and says this. */
function refuted(p: Play, ...said: readonly (string | Evidence)[]): string[] {
  const check = { type: "command", value: "make all" } as const;
  const evidence = said.map((one): Evidence => (typeof one === "string" ? { kind: "judgement", reason: one } : one));
  const checklist = said.map((_, at) => ({ item: `c${at}`, check: { ...check, value: `make ${at}` } }));
  const verdict = judge({ checklist }, ({ path: [at = 0] }) => ({ passed: false, evidence: evidence[at] as Evidence }));
  return p.send({ type: "base_case_checked", at: NOW, verdict, commit: "c" });
}

test.each([
  ["at A1.1.ts:3:1", "revert A1"],
  ["  at x (C:\\work\\A2.1.ts:3)", "revert A2"],
  ["see `./A1.1.ts`.", "revert A1"],
  // Files of nobody, of both, and others that begin or end alike.
  ["red", "replan c0"],
  ["A1.1.ts and A2.1.ts", "replan c0"],
  ["A1.1.tsx, xA2.1.ts, A2.1.ts/x", "replan c0"],
])("WRONG-CLAIM-1: evidence %j: %s", (said, asked) => {
  expect(refuted(both(), said)).toEqual([asked]);
});

test("WRONG-CLAIM-1: every leaf that fails has to name the same atom's files; what could not be run refutes nobody", () => {
  expect(refuted(both(), "A1.1.ts", "A1.1.ts again")).toEqual(["revert A1"]);
  expect(refuted(both(), "A1.1.ts", "A2.1.ts")).toEqual(["replan c0 c1"]);
  expect(refuted(both(), "A1.1.ts", { kind: "error", message: "A1.1.ts: no npm" })).toEqual(["replan c0 c1"]);
});

test("WRONG-CLAIM-2: the next attempt knows what was claimed, what fails and why; the second claim is a planner's", () => {
  const p = both();
  refuted(p, "A1.1.ts: expected 2", "A1.1.ts: not 3");
  expect(p.reverted()).toEqual(["start A1.2"]);
  const [start] = p.effects;
  expect(start?.type === "start_attempt" ? start.nogoods : []).toEqual([
    {
      atom: "A1",
      attempt: "A1.1",
      reason: "claimed success, and command: make 0; command: make 1 do not pass",
      evidence: "command: make 0: A1.1.ts: expected 2\ncommand: make 1: A1.1.ts: not 3\nIt had reported: did A1.1",
    },
  ]);
  p.done("A1.2");
  expect(refuted(p, "A1.2.ts")).toEqual(["replan c0"]);
});

test("SPEC 10: in a session, where all work is in one folder, it is mended there", () => {
  const context = { run: "s", memory: { ...MEMORY, attempts: { A1: 1 } }, now: NOW };
  const entered = enterSession(stateOf({ atoms: [{ id: "A1" }] }), "S", "pending", { ...context, memory: MEMORY });
  const [atom] = entered.state.atoms;
  const binding = { summary: "did it", artifacts: [] };
  const state = {
    ...entered.state,
    atoms: atom === undefined ? [] : [{ ...atom, status: "resolved" as const, binding }],
  };
  const { turn } = endIteration(state, context);
  if (turn.kind !== "verify") throw new Error(turn.kind);
  const verdict = judge(state.objective.base_case, () => ({
    passed: false,
    evidence: { kind: "judgement", reason: "" },
  }));
  const next = afterCheck(turn.loop, { type: "base_case_checked", at: NOW, verdict, commit: null }, state);
  expect(next.turn).toMatchObject({ kind: "work", iteration: 2, attempts: [{ attempt: { id: "A1.2" } }] });
  expect(next.lines.map(({ event }) => event)).toContain("work_reverted");
});
