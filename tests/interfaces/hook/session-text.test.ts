/** What a session's agents read (SPEC sections 7 and 10). */
import { expect, test } from "vitest";
import type { Objective } from "../../../src/core/state.ts";
import type { Outcome } from "../../../src/core/outcome.ts";
import { answerText, verifierPrompt, workText } from "../../../src/interfaces/hook/session-text.ts";

test("SPEC 7: the coordinator and the verifier of a session get the brief, too", () => {
  const objective: Objective = {
    goal: "a goal",
    original_prompt: "own words",
    base_case: { type: "assertion", value: "it is readable" },
    background_intent: "a background",
    deliverables: "a deliverable",
    definition_of_done: "it is done",
    constraints: { max_iterations: 1, max_parallel_agents: 1, max_stall_count: 1 },
    clarifications: [{ question: "which?", resolution: "that one" }],
    scope: { out_of_scope: ["the rest"] },
  };
  const prompt = verifierPrompt(objective);
  const parts = "a goal|own words|a background|a deliverable|which? that one|the rest|it is readable";
  for (const part of parts.split("|")) expect(prompt).toContain(part);
});

test("SPEC 10: how the loop ended is said once, in whole sentences; a stall with its numbers", () => {
  const judged = { movement: "stall", before: 1, measure: 1, stall_count: 2, max_stall_count: 2, unresolved: ["A2"] };
  const text = (outcome: Outcome, message: string): string => answerText({ kind: "halted", outcome, message, judged });
  expect(text("verified", "the base case is verified")).toBe("AoT loop: verified. The base case is verified.");
  expect(text("stalled", "no progress")).toContain(
    "AoT loop: stalled. No progress. The last iteration: stall, 1 -> 1 unresolved; stall 2/2 at A2. Next: see",
  );
  expect(text("needs_confirmation", "nobody decided: X")).toContain("Nobody decided: X. The last iteration");
  expect(text("needs_confirmation", "nobody decided: X")).toContain("`aot confirm ITEM` or `aot reject ITEM");
});

test("SPEC 4: the hook's message of a stall names how many of how many, and the atoms", () => {
  const judged = {
    movement: "stall",
    before: 3,
    measure: 3,
    stall_count: 2,
    max_stall_count: 4,
    unresolved: ["A3", "A5"],
    advice: "split it",
  };
  const item = {
    atom: "A3",
    role: "worker" as const,
    attempt: "A3.2",
    description: "make it",
    failed: "no such\ntable",
  };
  expect(workText([item])).toContain("(make it); it failed: no such table\n");
  const text = answerText({ kind: "work", iteration: 5, work: [], failing: ["npm test: not ok 1"], plans: "", judged });
  expect(text).toContain("stall, 3 -> 3 unresolved; stall 2/4 at A3, A5 (split it)");
  expect(text).toContain("- npm test: not ok 1");
});
