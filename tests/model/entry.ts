/** Where a run begins, as `project/run-entry.ts` has it, on the disk of these tests. */
import type { AdoptedWork, Event, Revert } from "../../src/core/event.ts";
import { createRecall, recovered, type Recollection } from "../../src/core/journal.ts";
import { lostWith, untold } from "../../src/core/lost-work.ts";
import type { State } from "../../src/core/state.ts";
import type { Disk } from "./disk.ts";

export interface Entry {
  readonly state: State;
  readonly known: Recollection;
  readonly from: Extract<Event, { type: "run_started" }>["from"];
  /** The loop is completed, which is final. */
  readonly over: boolean;
}

export function enter(disk: Disk): Entry {
  const recall = createRecall();
  for (const line of disk.lines()) recall.read(line);
  const known = recall.now();
  const state = recovered(disk.state(), known);
  const { status } = state.control;
  const crashed = status === "running" || known.unfinished !== null;
  const from = status === "stopped" ? "halted" : crashed ? "crashed" : "pending";
  return { state, known, from, over: status === "completed" };
}

/** Work that a run took out, and died before it said so. */
export function gapOf(
  known: Recollection,
  branch: readonly AdoptedWork[],
  reverts: readonly Revert[],
): { readonly lost: readonly string[]; readonly commits: readonly string[] } {
  const missed = untold(known, reverts);
  return { lost: lostWith(missed, branch), commits: missed.map(({ commit }) => commit) };
}
