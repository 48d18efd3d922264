/** The dashboard and the alerts ask for figures that an engine and its workers really tell (SPEC section 13). */
import { expect, onTestFinished, test } from "vitest";
import { createFigures, noteEnded } from "../../src/engines/adapters/worker-figures.ts";
import { engineFigures } from "../../src/engines/metrics.ts";
import { ALERTS, alertRules, grafanaDashboard, PANELS } from "../../src/engines/monitoring.ts";
import { workerMetricsText } from "../../src/engines/worker-observability.ts";
import { createEmbeddedEngine } from "../../world/embedded-engine.ts";
import { systemClock } from "../../src/project/clock.ts";
import { createScript } from "../support/engines/script.ts";
import { viewed } from "../support/engines/scripted-loops.ts";
import { stateOf } from "../support/loops.ts";

const AGGREGATES = new Set(
  "max sum by increase rate histogram_quantile absent and or le state status outcome m h".split(" "),
);

/** Names of figures, and what their labels have to be. */
function askedIn(expression: string): readonly string[] {
  const plain = expression.replaceAll(/\{[^}]*\}|\[\w+\]/g, "");
  return (plain.match(/[a-z_]+/g) ?? []).filter((word) => !AGGREGATES.has(word));
}

const EXPRESSIONS = [
  ...PANELS.flatMap(({ queries }) => queries.map(([, expression]) => expression)),
  ...ALERTS.map(({ when }) => when),
];

async function realText(): Promise<string> {
  const script = createScript();
  const engine = createEmbeddedEngine({ clock: systemClock, open: (task) => script.open(task) });
  const workers = [
    {
      name: "w",
      address: "",
      version: "1",
      slots: 2,
      working: 1,
      waiting: 0,
      draining: false,
      seen_at: systemClock.now(),
    },
  ];
  const figures = engineFigures(() => ({ ...engine, workers: () => Promise.resolve(workers) }));
  onTestFinished(figures.close);
  const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
  const settings = { verify_each: false, confirmed: false };
  await engine.start("one", { state: stateOf({ atoms: [{ id: "A1" }] }), memory, settings, terms: {} });
  await viewed(engine, "one", ({ state }) => state.control.outcome === "verified");
  const worker = createFigures(2);
  noteEnded(worker, null);
  return (await figures.text()) + workerMetricsText(worker, 0, false);
}

test("SPEC 13: every figure, and every label, that the dashboard and the alerts ask for is told", async () => {
  const text = await realText();
  const told = new Set(text.split("\n").flatMap((line) => /^([a-z_]+)[{ ]/.exec(line)?.slice(1) ?? []));
  const asked = new Set(EXPRESSIONS.flatMap(askedIn));
  expect([...asked].filter((name) => !told.has(name))).toEqual([]);
  expect(asked.size).toBeGreaterThan(12);
  for (const expression of EXPRESSIONS)
    for (const [, name = "", label = "", value = ""] of expression.matchAll(/([a-z_]+)\{(\w+)="(\w+)"\}/g))
      if (label === "state") expect(text).toContain(`${name}{${label}="${value}"}`);
      else expect(text).toMatch(new RegExp(`^${name}\\{.*${label}="`, "m"));
});

test("SPEC 13: panels and alerts are whole: each has an id, a place and words of its own", () => {
  const { panels } = grafanaDashboard() as {
    readonly panels: readonly { id: number; gridPos: { x: number; y: number } }[];
  };
  const places = panels.map(({ id, gridPos: { x, y } }) => [id, `${x},${y}`] as const);
  expect(new Set(places.map(([id]) => id)).size).toBe(PANELS.length);
  expect(new Set(places.map(([, place]) => place)).size).toBe(PANELS.length);
  const { groups } = alertRules() as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
  };
  expect(new Set(groups[0]?.rules.map(({ alert }) => alert)).size).toBe(ALERTS.length);
});
