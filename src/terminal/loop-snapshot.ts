/** The loop's state as its file holds it, for whoever shows a run while it works. */
import { readStateFile } from "../adapters/store/state-file.ts";
import { graphOf, type Graph } from "../core/graph.ts";
import type { State } from "../core/state.ts";
import { executableOf } from "../core/view.ts";

export interface Snapshot {
  readonly state: State;
  readonly graph: Graph;
  /** Indices of the executable atoms. */
  readonly ready: readonly number[];
}

export interface SnapshotKeeper {
  /** What was read last; null: nothing yet. Never waits, never fails. */
  now(): Snapshot | null;
  /** Something happened: the file, which follows soon, is read again in the background when somebody looks. */
  stale(): void;
}

/** The file of a large loop takes a while to read: that is done no more often than this. Milliseconds. */
const REST_MS = 400;
/** The file follows the journal within this time (ARCHITECTURE.md), and what reads sooner reads again. Milliseconds. */
const LAG_MS = 300;

export function createSnapshot(stateFile: string): SnapshotKeeper {
  let last: Snapshot | null = null;
  let staleAt = performance.now();
  let readAt = -Infinity;
  let reading = false;
  const read = async (): Promise<void> => {
    const file = await readStateFile(stateFile);
    if (!file.ok) return;
    const { state } = file.value;
    const graph = graphOf(state);
    last = { state, graph, ready: executableOf(state, graph) };
  };
  const isDue = (): boolean => !reading && readAt < staleAt + LAG_MS && performance.now() - readAt > REST_MS;
  return {
    now() {
      if (isDue()) {
        [reading, readAt] = [true, performance.now()];
        read()
          .catch(() => undefined)
          .finally(() => (reading = false));
      }
      return last;
    },
    stale: () => {
      staleAt = performance.now();
    },
  };
}
