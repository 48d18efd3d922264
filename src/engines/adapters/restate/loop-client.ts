/** What a worker asks a loop's object, through the ingress: another call than the one that it answers. */
import { setTimeout as delay } from "node:timers/promises";
import type { Ingress } from "./ingress.ts";
import { LOOP, type ClaimAnswer, type ClaimCall, type LateCall } from "./restate-names.ts";

/** The methods reject with `EngineUnreachable`, but for `tellLate`, which never rejects. */
export interface LoopClient {
  /** @param call the invocation, by which the task can be aborted */
  claim(loop: string, task: string, call: string, signal?: AbortSignal): Promise<ClaimAnswer>;
  /** Repeated until it is heard, or the worker ends; who was cut off is seldom back at once. */
  tellLate(loop: string, late: LateCall): Promise<void>;
}

const LATE_PAUSE_MS = 2_000;

/** @param ending aborts when the worker ends */
export function createLoopClient(ingress: Ingress, worker: string, ending: AbortSignal): LoopClient {
  return {
    claim: async (loop, task, call, signal) => {
      const claim: ClaimCall = { task, worker, call, at: new Date().toISOString() };
      return (await ingress.call(`${pathOf(loop)}/claim`, claim, signal)) as ClaimAnswer;
    },
    tellLate: async (loop, late) => {
      while (!ending.aborted) {
        try {
          await ingress.call(`${pathOf(loop)}/late`, late, ending);
          return;
        } catch {
          await delay(LATE_PAUSE_MS, undefined, { signal: ending, ref: false }).catch(() => {});
        }
      }
    },
  };
}

function pathOf(loop: string): string {
  return `/${LOOP}/${encodeURIComponent(loop)}`;
}
