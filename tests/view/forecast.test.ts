/**
 * SPEC 4, 10: what is still to come as a range. The histories here are generated: they show that the ranges hold where the
 * future is like the past, in the ways in which these differ; not that it is so for any real agent.
 */
import { describe, expect, test } from "vitest";
import { kindOf, type PastAtom } from "../../src/history/past-atoms.ts";
import { forecast, forecastOf, forecastWords, type OpenAtom } from "../../src/view/forecast.ts";
import { stateOf } from "../support/loops.ts";

/** Numbers from 0 to 1. */
function dice(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Shape {
  /** Times as much as the loop's mean. */
  readonly atom: (random: () => number) => number;
  /** Times as much as all loops' mean. */
  readonly loop: (random: () => number) => number;
  readonly fails: number;
}

const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
const SHAPES: Readonly<Record<string, Shape>> = {
  even: { atom: (random) => 0.5 + random(), loop: () => 1, fails: 0.3 },
  "a few atoms take most": { atom: (random) => Math.exp(normal(random)), loop: () => 1, fails: 0.4 },
  "loops that differ": {
    atom: (random) => Math.exp(0.5 * normal(random)),
    loop: (random) => Math.exp(0.4 * normal(random)),
    fails: 0.4,
  },
  "either cheap or dear": { atom: (random) => (random() < 0.8 ? 0.5 : 3), loop: () => 1, fails: 0.5 },
};

function atomsOf(loop: string, count: number, shape: Shape, random: () => number): readonly PastAtom[] {
  const whole = shape.loop(random);
  return Array.from({ length: count }, () => {
    let attempts = 1;
    while (attempts < 6 && random() < shape.fails) attempts++;
    const docs = random() < 0.3;
    const size = whole * shape.atom(random) * (docs ? 0.4 : 1);
    const kind = docs ? "docs" : "code";
    return {
      loop,
      agent: "claude",
      kind,
      attempts,
      ms: 60_000 * size * attempts,
      cost_usd: 0.1 * size * attempts,
      resolved: true,
    };
  });
}

const TRIALS = 250;

/** How often what then came lay in the range. */
function coverageOf(shape: Shape): Readonly<Record<"attempts" | "cost_usd" | "ms", number>> {
  const random = dice(20_261_122);
  const hits = { attempts: 0, cost_usd: 0, ms: 0 };
  for (let trial = 0; trial < TRIALS; trial++) {
    const loops = 8 + Math.floor(12 * random());
    const past = Array.from({ length: loops }, (_, loop) =>
      atomsOf(`l${loop}`, 6 + Math.floor(10 * random()), shape, random),
    ).flat();
    const future = atomsOf("new", 8 + Math.floor(12 * random()), shape, random);
    const open = future.map(({ kind }, place): OpenAtom => ({ kind, after: place < 3 ? [] : [place - 3] }));
    const found = forecast(open, past, "claude", 3);
    if (found === null) throw new Error("there is a history");
    const sum = (value: (one: PastAtom) => number): number => future.reduce((total, one) => total + value(one), 0);
    // Three chains side by side.
    const chains = [0, 1, 2].map((first) =>
      future.reduce((total, { ms }, place) => total + (place % 3 === first ? ms : 0), 0),
    );
    const came = {
      attempts: sum(({ attempts }) => attempts),
      cost_usd: sum(({ cost_usd }) => cost_usd ?? 0),
      ms: Math.max(...chains),
    };
    for (const key of ["attempts", "cost_usd", "ms"] as const) {
      const range = found[key];
      if (range !== null && came[key] >= range.low && came[key] <= range.high) hits[key]++;
    }
  }
  return { attempts: hits.attempts / TRIALS, cost_usd: hits.cost_usd / TRIALS, ms: hits.ms / TRIALS };
}

describe("80 % ranges hold in 70 to 90 % of held-out loops, on generated histories", () => {
  test.each(Object.keys(SHAPES))("%s", (name) => {
    const shape = SHAPES[name];
    if (shape === undefined) throw new Error(name);
    const coverage = coverageOf(shape);
    for (const share of Object.values(coverage)) {
      expect(share, JSON.stringify(coverage)).toBeGreaterThanOrEqual(0.7);
      expect(share, JSON.stringify(coverage)).toBeLessThanOrEqual(0.9);
    }
  });
});

const past = atomsOf("l1", 40, SHAPES["even"] ?? { atom: () => 1, loop: () => 1, fails: 0 }, dice(7));

test("FORECAST-1: without a history there is none, and it says so", () => {
  const state = stateOf({ atoms: [{ id: "A1" }] });
  expect(forecastOf(state, past.slice(0, 3), "claude", 3)).toBeNull();
  expect(forecastWords(null)).toContain("no forecast");
});

test("the same history and graph give the same range; what is resolved is no longer to come", () => {
  const open = stateOf({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }, { id: "A3" }] });
  const found = forecastOf(open, past, "claude", 2);
  expect(forecastOf(open, past, "claude", 2)).toEqual(found);
  expect(found?.attempts.low).toBeGreaterThanOrEqual(3);
  const done = stateOf({
    atoms: [
      { id: "A1", status: "resolved" },
      { id: "A2", status: "resolved" },
    ],
  });
  expect(forecastOf(done, past, "claude", 2)).toMatchObject({ attempts: { low: 0, high: 0 }, ms: { low: 0, high: 0 } });
});

test("FORECAST-2: another agent's atoms count only where its own are few", () => {
  const dear = past.map((one) => ({ ...one, agent: "codex", cost_usd: 100 }));
  const state = stateOf({ atoms: [{ id: "A1" }, { id: "A2" }] });
  expect(forecastOf(state, [...past, ...dear], "claude", 3)?.cost_usd?.high).toBeLessThan(10);
  expect(forecastOf(state, dear, "claude", 3)?.cost_usd?.high).toBeGreaterThan(100);
});

test("the kind of an atom is read off its files, else off its words", () => {
  const atom = (description: string, touches?: readonly string[]) =>
    kindOf({ id: "A", description, status: "pending", depends_on: [], ...(touches === undefined ? {} : { touches }) });
  expect(atom("Make pass: npm test")).toBe("repair");
  expect(atom("Write the tests of the parser")).toBe("tests");
  expect(atom("Write the README")).toBe("docs");
  expect(atom("The latest parser")).toBe("code");
  expect(atom("The parser", ["docs/parser.md"])).toBe("docs");
});
