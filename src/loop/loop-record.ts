/**
 * A running loop as JSON, for engines that keep it (SPEC section 13). What follows from the state is computed again.
 *
 * Law (tests/loop/loop-record.test.ts): a step of what was written and read is the step of the loop itself.
 */
import type { AtomMemory, Loop, Run } from "../core/loop.ts";
import type { State } from "../core/state.ts";
import { viewOf } from "../core/view.ts";
import type { HostedLoop } from "./hosted-loop.ts";

export interface LoopRecord {
  readonly state: State;
  readonly run: Omit<Run, "gone"> & { readonly gone: readonly (readonly [string, AtomMemory])[] };
}

export function recordOf({ state, run }: Loop): LoopRecord {
  return { state, run: { ...run, gone: [...run.gone] } };
}

export function loopOf({ state, run }: LoopRecord): Loop {
  return { state, view: viewOf(state), run: { ...run, gone: new Map(run.gone) } };
}

type Kept = Omit<HostedLoop, "loop"> & { readonly loop: LoopRecord };

/** What an engine keeps of a loop: all but what follows from it. */
export function keptText(hosted: HostedLoop): string {
  return JSON.stringify({ ...hosted, loop: recordOf(hosted.loop) } satisfies Kept);
}

/** @param text as `keptText` gave it */
export function hostedIn(text: string): HostedLoop {
  const kept = JSON.parse(text) as Kept;
  return { ...kept, loop: loopOf(kept.loop) };
}
