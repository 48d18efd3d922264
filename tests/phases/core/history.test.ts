/** What the journal of a phase loop remembers (SPEC sections 8 and 11). */
import { expect, test } from "vitest";
import type { AnyLine } from "../../../src/core/journal-line.ts";
import { createHistory, type PhaseHistory } from "../../../src/phases/core/history.ts";
import { definitionOf, GARDEN, second } from "./definitions.ts";
import { lineOf } from "../../support/lines.ts";

const garden = definitionOf(GARDEN);
const line = (event: string, more: object = {}, run = "r1"): AnyLine =>
  lineOf({ time: second(1), run, event, ...more });
const hand = (event: string, more: object): AnyLine => line(event, { who: "ada", ...more }, "by hand");
const worked = (phase: string, file: string): AnyLine => line("phase_work", { phase, file });

function of(...lines: readonly AnyLine[]): PhaseHistory {
  const history = createHistory(garden);
  for (const one of lines) history.read(one);
  return history.now();
}

test("the loop that works a phase, until it is sent back: then the next one, and why", () => {
  const begun = [worked("PLAN", "01-PLAN.md"), worked("PLAN", "01-PLAN.md")];
  expect(of(...begun).works.get("PLAN")).toEqual({ phase: "PLAN", file: "01-PLAN.md" });
  const back = of(...begun, hand("fail_gate", { gate: "plan-gate", reason: "no budget" }));
  expect(back.works.size).toBe(0);
  expect(back.lessons.get("PLAN")).toEqual([{ from: "gate plan-gate", reason: "no budget" }]);
  expect(back.last_failure).toBe("no budget");
  const again = of(...begun, hand("fail_phase", { phase: "PLAN", reason: "frost" }), worked("PLAN", "01-PLAN.2.md"));
  expect(again.works.get("PLAN")?.file).toBe("01-PLAN.2.md");
  expect(again.all_works.map(({ file }) => file)).toEqual(["01-PLAN.md", "01-PLAN.2.md"]);
});

test("SPEC 11: who answered a gate, what, when and why", () => {
  const { answers } = of(
    hand("fail_gate", { gate: "plan-gate", reason: "no budget" }),
    hand("pass_gate", { gate: "plan-gate", by: "person" }),
    line("pass_gate", { gate: "soil-gate", by: "check" }),
    hand("skip_gate", { gate: "market-gate", reason: null }),
  );
  expect(answers.map(({ gate, answer, who, reason }) => [gate, answer, who, reason])).toEqual([
    ["plan-gate", "failed", "ada", "no budget"],
    ["plan-gate", "passed", "ada", null],
    ["soil-gate", "passed", "check", null],
    ["market-gate", "skipped", "ada", null],
  ]);
  for (const { when } of answers) expect(when).toBe(second(1));
});

test("how often checks sent a phase back: since a person last spoke, and across a crash", () => {
  const no = line("fail_gate", { gate: "soil-gate", reason: "red" });
  expect(of(no, line("retry_gate", { gate: "soil-gate" }), no).sent_back.get("soil-gate")).toBe(2);
  expect(of(no, line("phases_run", {}, "r2"), no).sent_back.get("soil-gate")).toBe(2);
  expect(of(no, hand("retry_gate", { gate: "soil-gate" })).sent_back.get("soil-gate")).toBeUndefined();
  expect(of(no, line("phases_halted"), line("phases_run")).sent_back.get("soil-gate")).toBeUndefined();
});

test("a new start forgets; what looking at gates cost is summed; what is not understood is passed over", () => {
  const look = line("gate_looked_at", { gate: "soil-gate", cost_usd: 0.5, tokens: 10, duration_ms: 7 });
  const all = [worked("PLAN", "01-PLAN.md"), look, look, line("gate_looked_at", { cost_usd: "much" }), line("new")];
  expect(of(...all)).toMatchObject({ cost_usd: 1, tokens: 20, active_ms: 14 });
  for (const begun of [hand("phases_begun", {}), hand("resume", { reopen: "restart" })])
    expect(of(...all, begun)).toMatchObject({ cost_usd: 0, all_works: [], answers: [] });
  expect(of(...all, hand("resume", {}), lineOf({}), lineOf({ event: 7 })).all_works).toHaveLength(1);
});
