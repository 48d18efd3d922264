/** A fate that is thrown: what agents, checks, the workspace and the disk do when nobody says. */
import type { AgentAnswer, AgentRequest } from "../../src/loop/ports.ts";
import { integrationOf } from "../../world/ports.ts";
import { verdictOf } from "../../world/world.ts";
import type { Fate } from "./terms.ts";

export interface Bad {
  /** The process dies this many times while it writes. */
  readonly deaths: number;
}

export function thrownFate(rolls: readonly number[], bad: Bad): Fate {
  let rolled = 0;
  let deaths = bad.deaths;
  const roll = (sides: number): number => (rolls[rolled++ % rolls.length] ?? 0) % sides;
  return {
    agent: (request, aborted) => {
      // A killed agent may have answered before it died.
      if (aborted && roll(3) > 0) return { kind: "aborted", usage: { cost_usd: 0.005 } };
      return answerTo(request, roll);
    },
    folder: ({ id }) => `/${id}`,
    integration: (attempt) => {
      const luck = roll(12);
      const kind = luck === 1 ? "conflict" : luck === 2 ? "protected" : luck === 3 ? "failed" : "integrated";
      return integrationOf(kind, attempt);
    },
    verification: (baseCase) => ({
      verdict: verdictOf(baseCase, roll(20) === 1 ? null : roll(3) > 0),
      usage: { cost_usd: 0.001 },
    }),
    isTampered: () => roll(60) === 1,
    lost: (others) => others.filter(() => roll(4) === 1),
    kept: () => (roll(2) === 1 ? "a branch" : null),
    dies: () => deaths > 0 && roll(50) === 1 && deaths-- > 0,
    writing_ms: () => roll(40),
    isFull: () => false,
  };
}

function answerTo(request: AgentRequest, roll: (sides: number) => number): AgentAnswer {
  const said = (value: object): AgentAnswer => ({ kind: "answer", value, usage: { cost_usd: 0.01 } });
  const luck = roll(40);
  if (luck === 1) return { kind: "unavailable", reason: "429", retry_after_ms: 50 };
  if (luck === 2 || luck === 9) return { kind: "unreadable", text: "?", problem: "no JSON", usage: { cost_usd: 0.02 } };
  if (luck === 3) return { kind: "failed", reason: "boom", timed_out: true };
  if (luck === 10 && roll(3) === 1) return { kind: "unavailable", reason: "not logged in" };
  if (request.role === "planner") return said({ atoms: [{ description: "more" }], reason: "red" });
  if (request.role === "probe") return said({ feasible: luck % 3 > 0, findings: "found" });
  if (luck < 7) return said({ success: false, summary: "no" });
  if (luck === 8) {
    const split = [
      { id: "s", description: "x" },
      { description: "y", depends_on: ["s"] },
    ];
    return said({ split, reason: "large" });
  }
  return said({ success: true, summary: "did", artifacts: ["f"] });
}
