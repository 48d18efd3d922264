/** What a loop waits for is said (SPEC section 13): also by what was begun, at a worker that is held up or silent. */
import { expect, test } from "vitest";
import { waitsOf } from "../../src/engines/loop-waits.ts";
import type { Engine, WorkerView } from "../../src/loop/engine.ts";
import { SILENT, viewOf } from "../support/engines/silent-engine.ts";

const NOW = "2026-11-22T20:10:00.000Z";

const worker = (name: string, seen: string, more: Partial<WorkerView> = {}): WorkerView => ({
  name,
  version: "1",
  slots: 3,
  working: 1,
  draining: false,
  seen_at: `2026-11-22T20:${seen}.000Z`,
  ...more,
});

async function waitsWith(workers: readonly WorkerView[], at: string | null): Promise<unknown> {
  const engine: Engine = { ...SILENT, workers: () => Promise.resolve(workers) };
  const view = viewOf({ loop: "one", working: [{ task: "A1.1", worker: at, runs: at === null ? 0 : 1 }] });
  const waits = await waitsOf(engine, [view], NOW);
  return waits.ok ? waits.value.get("one") : waits;
}

test("SPEC 13: a task whose remote is away says so, with what its worker reported", async () => {
  const held_up = [
    { loop: "other", task: "A1.1", for: "something else" },
    { loop: "one", task: "A1.1", for: "the remote, since 20:05" },
  ];
  expect(await waitsWith([worker("w", "09:58", { held_up })], "w")).toEqual([
    { task: "A1.1", for: "the remote, since 20:05" },
  ]);
});

test("SPEC 13: work at a worker of which nothing is heard is named; of two of its name the one heard of last counts", async () => {
  const silent = [{ task: "A1.1", for: "its worker, of which nothing was heard since 2026-11-22T20:08:00Z" }];
  expect(await waitsWith([worker("w", "08:00")], "w")).toEqual(silent);
  expect(await waitsWith([worker("w", "08:00"), worker("w", "09:50")], "w")).toBeUndefined();
  expect(await waitsWith([worker("w", "09:30")], "w")).toBeUndefined();
  expect(await waitsWith([worker("w", "08:00")], null)).toBeUndefined();
});
