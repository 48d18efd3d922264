/** The brief: all that alignment settled, in every prompt of every role (SPEC section 7). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { UNSTATED, type Objective } from "../../src/core/state.ts";
import { BRIEF_LIMIT, briefText } from "../../src/loop/brief.ts";
import { judgePrompt, plannerPrompt, probePrompt, workerPrompt } from "../../src/loop/prompt.ts";

const MARKED: Objective = {
  goal: "GOAL-mark",
  original_prompt: "PROMPT-mark",
  base_case: { type: "command", value: "npm test" },
  background_intent: "BACKGROUND-mark",
  deliverables: "DELIVERABLES-mark",
  definition_of_done: "DONE-mark",
  constraints: { max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3 },
  clarifications: [{ question: "QUESTION-mark?", resolution: "RESOLUTION-mark" }],
  scope: { in_scope: ["INSIDE-mark"], out_of_scope: ["OUTSIDE-mark"] },
};
const MARKS = ["GOAL", "PROMPT", "BACKGROUND", "DELIVERABLES", "DONE", "QUESTION", "RESOLUTION", "INSIDE", "OUTSIDE"];

test("SPEC 7: every role gets everything that alignment settled", () => {
  const work = { objective: MARKED, atom: { id: "A1", description: "do" }, bindings: {}, nogoods: [] };
  const leaf = { path: [0], item: "sound", check: { type: "assertion" as const, value: "it is" } };
  const prompts = {
    worker: workerPrompt(work),
    probe: probePrompt(work),
    planner: plannerPrompt({ objective: MARKED, failing: [] }),
    judge: judgePrompt({ leaf, brief: briefText(MARKED) }),
  };
  for (const [role, prompt] of Object.entries(prompts))
    for (const mark of MARKS) expect(prompt.split(`${mark}-mark`), `${mark} for the ${role}`).toHaveLength(2);
});

test("SPEC 7: what is said elsewhere or was never stated takes no space", () => {
  const brief = briefText({ ...MARKED, original_prompt: "GOAL-mark", background_intent: UNSTATED, deliverables: " " });
  expect(brief).not.toMatch(/Original prompt|Background|Deliverables|Not stated/);
  expect(brief).toContain("## Goal\nGOAL-mark");
});

const text = fc
  .tuple(fc.constantFrom("x", "word ", "\n", "\u{1F600}"), fc.nat(9_000))
  .map(([unit, n]) => unit.repeat(n));
const objective: fc.Arbitrary<Objective> = fc
  .record({ goal: text, original_prompt: text, background_intent: text, deliverables: text, definition_of_done: text })
  .chain((texts) =>
    fc.array(text, { maxLength: 3 }).map((more) => ({ ...MARKED, ...texts, scope: { in_scope: more } })),
  );

test("SPEC 7: whole up to its limit, then cut visibly; a part that has its share of the space is never cut", () => {
  fc.assert(
    fc.property(objective, (given) => {
      const brief = briefText(given);
      expect(brief.length).toBeLessThanOrEqual(BRIEF_LIMIT);
      const { goal, original_prompt = "", background_intent, deliverables, definition_of_done } = given;
      const parts = [goal, original_prompt, background_intent, deliverables, definition_of_done].map((part) =>
        part.trim(),
      );
      const small = parts.filter((part) => part.length < 800);
      for (const part of small) expect(brief).toContain(part);
      const sum = [...parts, ...(given.scope?.in_scope ?? [])].reduce((total, part) => total + part.length, 0);
      if (sum < 7_500 && !parts.some((part) => part.includes("\n")))
        for (const part of parts) expect(brief).toContain(part);
      if (parts.some((part) => part.length > BRIEF_LIMIT)) expect(brief).toMatch(/characters left out/);
    }),
  );
});
