/** SPEC 13: watching an engine, and what it is doing in figures. */
import { expect, test } from "vitest";
import { EngineUnreachable } from "../../src/engines/adapters/engine-unreachable.ts";
import { createEngineMetrics } from "../../src/engines/metrics.ts";
import { watchEngine } from "../../src/engines/watch.ts";
import type { Engine, LoopView, WorkerView } from "../../src/loop/engine.ts";
import { SILENT, viewOf } from "../support/engines/silent-engine.ts";
import { stateOf } from "../support/loops.ts";

const WORKER: WorkerView = {
  name: "w1",
  version: "1",
  slots: 4,
  working: 1,
  draining: false,
  seen_at: "2026-01-01T00:00:00.000Z",
};

function loopOf(loop: string, outcome: "verified" | null, more: Partial<LoopView> = {}): LoopView {
  const state = stateOf({ atoms: [{ id: "A1" }, { id: "A2" }] });
  const status = outcome === null ? "running" : "completed";
  const control = { ...state.control, status, outcome } as const;
  return viewOf({ loop, state: { ...state, control }, attempts: 2, cost_usd: 0.25, lines: 3, ...more });
}

/** An engine that tells what it was asked; `away` makes it unreachable. */
function engineOf(views: Map<string, LoopView>): {
  readonly engine: Engine;
  readonly asked: string[];
  readonly most: () => number;
  away: boolean;
} {
  const asked: string[] = [];
  let [open, most] = [0, 0];
  const bench = {
    asked,
    most: () => most,
    away: false,
    engine: {
      ...SILENT,
      view: async (loop) => {
        most = Math.max(most, ++open);
        await new Promise((resume) => setTimeout(resume, 1));
        open--;
        asked.push(loop);
        return views.get(loop) ?? null;
      },
      loops: async () => {
        if (bench.away) throw new EngineUnreachable("the engine does not answer", "start it");
        return [...views.keys()];
      },
      workers: async () => [WORKER],
    } satisfies Engine,
  };
  return bench;
}

test("SPEC 13: a few views at a time; a loop that halted is asked for now and then, one that works each time (W1, W2)", async () => {
  const views = new Map(
    Array.from({ length: 40 }, (_, index) => [`l${index}`, loopOf(`l${index}`, index < 30 ? "verified" : null)]),
  );
  const bench = engineOf(views);
  const look = watchEngine(bench.engine, () => "now");
  const first = await look();
  expect(first.loops.map(({ loop }) => loop).toSorted()).toEqual([...views.keys()].toSorted());
  expect(bench.asked).toHaveLength(40);
  for (let round = 0; round < 10; round++) await look();
  // Ten that work, each time; thirty that halted, once in ten rounds.
  expect(bench.asked).toHaveLength(40 + 100 + 30);
  expect(bench.most()).toBeLessThanOrEqual(6);
  views.delete("l0");
  expect((await look()).loops.some(({ loop }) => loop === "l0")).toBe(false);
});

test("SPEC 13: an engine that is away is said to be; what was known stays (W3)", async () => {
  const bench = engineOf(new Map([["a", loopOf("a", null)]]));
  const look = watchEngine(bench.engine, () => "now");
  expect((await look()).loops).toHaveLength(1);
  bench.away = true;
  expect(await look()).toMatchObject({
    problem: "the engine does not answer (start it)",
    loops: [{ loop: "a" }],
    workers: [WORKER],
  });
  bench.away = false;
  expect((await look()).problem).toBeNull();
});

test("SPEC 13: figures are Prometheus text, with closed lists of labels, and a scrape too many costs the engine nothing", async () => {
  const working = [
    { task: "A1.1", worker: "w1", runs: 2 },
    { task: "A2.1", worker: null, runs: 0 },
  ];
  const refused = [{ task: "A1.1", run: 1, at: "now", reason: "late" }];
  const bench = engineOf(
    new Map([
      ["a", loopOf("a", null, { working, reruns: 1, refused })],
      ["b", loopOf("b", "verified")],
    ]),
  );
  let now = 0;
  const text = createEngineMetrics(
    watchEngine(bench.engine, () => "now"),
    () => now,
  );
  const reported = await text();
  for (const line of [
    "aot_engine_up 1",
    'aot_loops{status="running",outcome="none"} 1',
    'aot_loops{status="completed",outcome="verified"} 1',
    'aot_tasks{state="working"} 1',
    'aot_tasks{state="waiting"} 1',
    "aot_unresolved_atoms 4",
    "aot_attempts_total 4",
    "aot_cost_usd_total 0.5",
    "aot_task_reruns_total 1",
    "aot_late_results_refused 1",
    'aot_workers{state="taking"} 1',
    "aot_slots 4",
    "aot_slots_taken 1",
  ])
    expect(reported.split("\n")).toContain(line);
  expect(reported).not.toMatch(/w1|A1/);
  for (const line of reported.trimEnd().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) aot_\w+ .+|aot_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.]+)$/);
  const { length } = bench.asked;
  now = 4_000;
  await text();
  expect(bench.asked).toHaveLength(length);
  bench.away = true;
  now = 6_000;
  expect(await text()).toContain("aot_engine_up 0");
});
