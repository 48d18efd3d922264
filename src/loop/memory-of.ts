/** What a loop has spent and learnt, for its next run: as its journal would tell it (SPEC section 4: never refunded). */
import { activeMs, type AtomMemory, type Loop } from "../core/loop.ts";
import type { Memory } from "../core/event.ts";
import { idAt } from "../core/graph.ts";
import { toArray } from "../core/vec.ts";

export function memoryOfLoop(loop: Loop): Memory {
  const { run, view } = loop;
  const known: (readonly [string, AtomMemory])[] = [
    ...run.gone,
    ...toArray(run.memory).map((memory, index) => [idAt(view.graph, index), memory] as const),
  ];
  return {
    cost_usd: run.cost_usd,
    ...(run.tokens > 0 ? { tokens: run.tokens } : {}),
    active_ms: activeMs(run),
    attempts: Object.fromEntries(known.filter(([, { attempts }]) => attempts > 0).map(([id, m]) => [id, m.attempts])),
    nogoods: known.flatMap(([, { nogoods }]) => nogoods),
    probed: Object.fromEntries(
      known.flatMap(([id, { findings }]) => (findings === undefined ? [] : [[id, findings] as const])),
    ),
    ...(run.answers.length > 0 ? { answers: run.answers } : {}),
    ...(run.settings.trust === undefined ? {} : { trust: run.settings.trust }),
    ...(run.plans.length > 0 ? { plans: run.plans } : {}),
  };
}
