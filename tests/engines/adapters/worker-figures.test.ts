import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSlots } from "../../../src/engines/adapters/slots.ts";
import { withBeat } from "../../../src/engines/adapters/restate/restate-workers.ts";
import {
  countedSlots,
  createFigures,
  noteEnded,
  WAIT_BOUNDS_S,
  type Beat,
} from "../../../src/engines/adapters/worker-figures.ts";
import { serveMetrics, workerMetricsText } from "../../../src/engines/worker-observability.ts";
import type { WorkerView } from "../../../src/loop/engine.ts";

test("law: taken, given up and given back, slots are counted as they are", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom("take", "leave", "free"), { maxLength: 30 }),
      async (count, moves) => {
        const figures = createFigures(count);
        let clock = 0;
        const slots = countedSlots(createSlots(count), figures, () => (clock += 500));
        const held: (() => void)[] = [];
        const waiting: AbortController[] = [];
        let [taken, left] = [0, 0];
        for (const move of moves) {
          if (move === "take") {
            const abort = new AbortController();
            waiting.push(abort);
            const note = async (): Promise<void> => {
              const free = await slots.take(abort.signal);
              waiting.splice(waiting.indexOf(abort), 1);
              if (free === null) left++;
              else held.push(free);
              if (free !== null) taken++;
            };
            void note();
          } else if (move === "leave") waiting[0]?.abort();
          else held.shift()?.();
          for (let turn = 0; turn < 10; turn++) await Promise.resolve();
          expect(figures).toMatchObject({ working: held.length, waiting: waiting.length, wait: { count: taken } });
          expect(held.length).toBeLessThanOrEqual(count);
        }
        const { counts } = figures.wait;
        expect([...counts, taken]).toEqual([...counts, taken].toSorted((a, b) => a - b));
        expect(left + taken + waiting.length).toBe(moves.filter((move) => move === "take").length);
      },
    ),
    { numRuns: 50 },
  );
});

test("SPEC 13: a worker's figures are read over HTTP, and nothing else is", async () => {
  const figures = createFigures(3);
  noteEnded(figures, {
    entries: [
      { event: "note", message: "x" },
      { type: "attempt_failed", attempt: "A1.1", kind: "failed", reason: "no" },
    ],
  });
  noteEnded(figures, null);
  const listener = await serveMetrics(
    { host: "127.0.0.1", port: 0 },
    {
      "/metrics": () => workerMetricsText(figures, 2, true),
    },
  );
  if (!listener.ok) throw new Error("it does not listen");
  const url = `http://127.0.0.1:${listener.value.port}`;
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const line of [
    "aot_worker_slots 3",
    "aot_worker_draining 1",
    "aot_worker_tasks_held_up 2",
    'aot_worker_tasks_ended_total{outcome="attempt_failed"} 1',
    'aot_worker_tasks_ended_total{outcome="thrown"} 1',
    'aot_worker_slot_wait_seconds_bucket{le="+Inf"} 0',
  ])
    expect(text.split("\n")).toContain(line);
  expect(text.match(/_bucket/g)).toHaveLength(WAIT_BOUNDS_S.length + 1);
  expect((await fetch(`${url}/`)).status).toBe(404);
  const taken = await serveMetrics({ host: "127.0.0.1", port: listener.value.port }, {});
  expect(taken).toMatchObject({ ok: false });
  await listener.value.close();
});

test("law: of workers the ones heard of last are known, each once, by name, and no text of theirs grows", () => {
  const beat = fc.record({
    name: fc.constantFrom("a", "b", "c", "x".repeat(5_000)),
    address: fc.string({ maxLength: 400 }),
    version: fc.constant("1"),
    slots: fc.integer(),
    working: fc.constantFrom(0, 1, Number.NaN),
    waiting: fc.constant(0),
    draining: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(beat, fc.integer({ min: 0, max: 40 }))), (beats) => {
      let known: readonly WorkerView[] = [];
      let hour = 0;
      for (const [one, hours] of beats) {
        hour += hours;
        known = withBeat(known, one satisfies Beat, new Date(hour * 3_600_000).toISOString());
        expect(known.find(({ name }) => name === one.name.slice(0, 200))?.slots).toBe(one.slots);
        expect(known.every(({ seen_at }) => hour - Date.parse(seen_at) / 3_600_000 < 24)).toBe(true);
      }
      expect(known.map(({ name }) => name)).toEqual([...new Set(known.map(({ name }) => name))].toSorted());
      expect(JSON.stringify(known).length).toBeLessThan(4 * 51 * 220 * 6);
    }),
    { numRuns: 50 },
  );
});
