/**
 * A running loop as JSON, for engines that store it (SPEC section 13). The view is left out and computed again from the state.
 *
 * Law (tests/loop/loop-record.test.ts): a loop that was written and read again takes the same steps as the original.
 */
import type { AtomMemory, Loop, Run } from "../core/loop.ts";
import type { State } from "../core/state.ts";
import { viewOf } from "../core/view.ts";
import type { HostedLoop } from "./hosted-loop.ts";

export interface LoopRecord {
  readonly state: State;
  readonly run: Omit<Run, "memory"> & { readonly memory: readonly (readonly [string, AtomMemory])[] };
}

export function recordOf({ state, run }: Loop): LoopRecord {
  return { state, run: { ...run, memory: [...run.memory] } };
}

export function loopOf({ state, run }: LoopRecord): Loop {
  return { state, view: viewOf(state), run: { ...run, memory: new Map(run.memory) } };
}

type Kept = Omit<HostedLoop, "loop"> & { readonly loop: LoopRecord };

export function keptText(hosted: HostedLoop): string {
  return JSON.stringify({ ...hosted, loop: recordOf(hosted.loop) } satisfies Kept);
}

/** The inverse of `keptText`. */
export function hostedIn(text: string): HostedLoop {
  const kept = JSON.parse(text) as Kept;
  return { ...kept, loop: loopOf(kept.loop) };
}
