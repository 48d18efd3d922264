/** What the tasks of loops wait for that were begun: something that is away, or a worker that is silent (SPEC section 13). */
import type { Result } from "../core/problem.ts";
import type { Engine, LoopView, WorkerView } from "../loop/engine.ts";
import { asking } from "./client.ts";

export interface LoopWait {
  readonly task: string;
  /** In words. */
  readonly for: string;
}

/** Workers report every ten seconds. */
const SILENT_MS = 45_000;

/** By loop; those that wait for nothing are not in it. @param now ISO 8601 */
export async function waitsOf(
  engine: Engine,
  views: readonly LoopView[],
  now: string,
): Promise<Result<ReadonlyMap<string, readonly LoopWait[]>>> {
  return await asking(async () => {
    const open = views.filter(({ working }) => working.length > 0);
    if (open.length === 0) return new Map();
    const workers = await engine.workers();
    const waits = open.map((view) => [view.loop, begunWaits(view, workers, now)] as const);
    return new Map(waits.filter(([, found]) => found.length > 0));
  });
}

/** Of what was begun: held up by something, or by a worker of which nothing is heard. */
function begunWaits({ loop, working }: LoopView, workers: readonly WorkerView[], now: string): readonly LoopWait[] {
  return working.flatMap(({ task, worker }): LoopWait[] => {
    const known = workers.filter(({ name }) => name === worker);
    const held = known.flatMap(({ held_up = [] }) => held_up).find((one) => one.loop === loop && one.task === task);
    if (held !== undefined) return [{ task, for: held.for }];
    const [last] = known
      .map(({ seen_at }) => seen_at)
      .toSorted()
      .slice(-1);
    if (worker === null || last === undefined || Date.parse(now) - Date.parse(last) < SILENT_MS) return [];
    return [{ task, for: `its worker, of which nothing was heard since ${last.slice(0, 19)}Z` }];
  });
}
