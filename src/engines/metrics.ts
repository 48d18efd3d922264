/** What an engine is doing, as Prometheus reads it (docs/engine-operation.md). Labels are closed lists. */
import type { LoopRow, Engine } from "../loop/engine.ts";
import { systemClock } from "../project/clock.ts";
import { isSilent } from "./loop-waits.ts";
import { watchEngine, type EngineSnapshot } from "./watch.ts";
import { byKey, metricsText, one, type Metric } from "./metrics-text.ts";

/** Asked more often, it answers what it knows: a scrape costs the engine a round of questions. */
const FRESH_MS = 5_000;

/** @param now milliseconds on a clock that never jumps */
export function createEngineMetrics(look: () => Promise<EngineSnapshot>, now: () => number): () => Promise<string> {
  let seen: { readonly snapshot: EngineSnapshot; readonly at: number } | null = null;
  return async () => {
    if (seen === null || now() - seen.at >= FRESH_MS) seen = { snapshot: await look(), at: now() };
    return engineMetricsText(seen.snapshot);
  };
}

export interface EngineFigures {
  text(): Promise<string>;
  close(): Promise<void>;
}

/** The engine is opened when its figures are asked for. */
export function engineFigures(open: () => Engine): EngineFigures {
  const opened = lazily(() => {
    const engine = open();
    return { engine, text: createEngineMetrics(watchEngine(engine, systemClock.now), systemClock.monotonic) };
  });
  return {
    text: () => opened.get().text(),
    close: async () => await opened.made()?.engine.close(),
  };
}

function lazily<T>(make: () => T): { get(): T; made(): T | null } {
  let made: T | null = null;
  return { get: () => (made ??= make()), made: () => made };
}

function engineMetricsText({ loops, workers, problem, seen_at }: EngineSnapshot): string {
  return metricsText([
    one("aot_engine_up", "gauge", "1: the server answers.", problem === null ? 1 : 0),
    ...loopMetrics(loops),
    ...workerMetrics(workers, seen_at ?? ""),
  ]);
}

function loopMetrics(loops: EngineSnapshot["loops"]): readonly Metric[] {
  const sum = (of: "unresolved" | "attempts" | "cost_usd" | "reruns" | "refused"): number =>
    loops.reduce((total, row) => total + row[of], 0);
  const tasks = loops.flatMap(({ working }) => working);
  const waiting = tasks.filter(({ worker }) => worker === null).length;
  return [
    {
      name: "aot_loops",
      help: "Loops, by status and by how they halted.",
      type: "gauge",
      samples: byKey(loopCounts(loops)).map(([key, count]) => {
        const [status = "", outcome = ""] = key.split(" ");
        return [{ status, outcome }, count] as const;
      }),
    },
    {
      name: "aot_tasks",
      help: "Tasks under way; waiting: no worker has begun them.",
      type: "gauge",
      samples: [
        [{ state: "working" }, tasks.length - waiting],
        [{ state: "waiting" }, waiting],
      ],
    },
    one(
      "aot_tasks_held_up",
      "gauge",
      "Tasks that were begun and wait: for a remote that is away, or a worker of which nothing is heard.",
      loops.flatMap((row) => row.waiting.filter(({ task }) => isBegun(row, task))).length,
    ),
    one("aot_unresolved_atoms", "gauge", "What is left, all loops together (M).", sum("unresolved")),
    one("aot_attempts_total", "counter", "Attempts begun.", sum("attempts")),
    one("aot_cost_usd_total", "counter", "Cost as reported by the agents.", sum("cost_usd")),
    one("aot_task_reruns_total", "counter", "Tasks begun again, mostly after the death of a host.", sum("reruns")),
    one(
      "aot_late_results_refused",
      "gauge",
      "Late results that were refused; the latest 100 of each loop.",
      sum("refused"),
    ),
  ];
}

function isBegun({ working }: LoopRow, task: string): boolean {
  return working.some((one) => one.task === task && one.worker !== null);
}

/** @param now ISO 8601 */
function workerMetrics(workers: EngineSnapshot["workers"], now: string): readonly Metric[] {
  const heard = workers.filter((worker) => !isSilent(worker, now));
  const active = heard.filter(({ draining }) => !draining);
  const sum = (of: "slots" | "working"): number => active.reduce((total, worker) => total + worker[of], 0);
  return [
    {
      name: "aot_workers",
      help: "Workers that were heard of within a day; silent: not lately.",
      type: "gauge",
      samples: [
        [{ state: "taking" }, active.length],
        [{ state: "draining" }, heard.length - active.length],
        [{ state: "silent" }, workers.length - heard.length],
      ],
    },
    one("aot_slots", "gauge", "Slots of workers that take work.", sum("slots")),
    one("aot_slots_taken", "gauge", "Slots of these that are taken.", sum("working")),
  ];
}

function loopCounts(loops: readonly LoopRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status, outcome } of loops) {
    const key = `${status} ${outcome ?? "none"}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
