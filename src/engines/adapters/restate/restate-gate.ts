/**
 * What a task waits for before a worker is called for it: that there is one with its labels. Who waits holds no worker:
 * Restate puts the call to sleep.
 */
import type { Context } from "@restatedev/restate-sdk";
import { jsonBytes, PATIENCE, TASK, type TaskCall } from "./restate-names.ts";
import type { RestateSdk } from "./restate-sdk.ts";

/** What is before the tasks of a loop that asks for labels. */
export const GATE = "AotGate";

export interface GateCall {
  readonly call: TaskCall;
  /** In their order. */
  readonly labels: readonly string[];
}

/** Of the workers that have all of these labels; `labels` in their order. */
export function taskServiceFor(labels: readonly string[]): string {
  return [TASK, ...labels].join(".");
}

/** Then a call that waits is put to sleep. */
const AWAKE_MS = 1_000;

export function gateService(sdk: RestateSdk): ReturnType<RestateSdk["service"]> {
  return sdk.service({
    name: GATE,
    options: { ingressPrivate: true, retryPolicy: PATIENCE, journalRetention: 0, inactivityTimeout: AWAKE_MS },
    handlers: {
      pass: async (ctx: Context, { call, labels }: GateCall): Promise<void> => {
        const service = taskServiceFor(labels);
        // Nobody offers it yet: Restate asks again until somebody does.
        await ctx.genericCall({ service, method: "here", parameter: jsonBytes(null) });
        ctx.genericSend({ service, method: "perform", parameter: jsonBytes(call) });
      },
    },
  });
}
