/** Where a run begins: the loop as its state file and its journal have it (SPEC section 8). */
import { learn } from "../adapters/store/journal-reader.ts";
import { ownerRefusal } from "../adapters/store/owner.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { alignedGraph, createGrowth } from "../core/aligned-graph.ts";
import { entranceOf, type Entrance } from "../core/entrance.ts";
import { createRecall, type Recollection } from "../core/journal.ts";
import { restarted } from "../core/operations.ts";
import { refused, type Problem } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import type { StateDocument } from "../statefile/document.ts";

export interface Entry extends Omit<Entrance, "missing"> {
  readonly ok: true;
  /** The state file as it was read: what somebody writes from here on is foreign. */
  readonly document: StateDocument;
  readonly known: Recollection;
  readonly paths: LoopPaths;
  /** What a person should know of how it begins. */
  readonly notes: readonly string[];
}

export interface NoEntry {
  readonly ok: false;
  readonly exit_code: 1 | 2 | 3;
  readonly problems: readonly Problem[];
}

/**
 * A run may begin on a loop that is pending, stopped, or left running by a crash; with `restart` on any.
 * Writes nothing.
 */
export async function enter(options: {
  readonly stateFile: string;
  readonly restart: boolean;
  /** It is handed to an engine once more, and may say so already. */
  readonly handed_over?: boolean;
}): Promise<Entry | NoEntry> {
  const paths = loopPaths(options.stateFile);
  const read = await readStateFile(options.stateFile);
  if (!read.ok) return { ...read, exit_code: 2 };
  const document = read.value;
  const owned = options.handed_over === true ? null : ownerRefusal(document.state);
  if (owned !== null) return { ...owned, exit_code: 1 };
  const known = options.restart ? createRecall().now() : learn(paths.journal, createRecall());
  const { state: begun, notes } = options.restart
    ? fromTheBeginning(document.state, paths.journal)
    : { state: document.state, notes: [] };
  const { missing, ...entrance } = entranceOf(begun, known);
  if (missing.length > 0) return refusal(entrance.state, missing);
  return { ok: true, document, ...entrance, known, paths, notes };
}

/** `--restart`: the same goal on the graph that people made. What earlier runs added to it is left out, and reported. */
function fromTheBeginning(
  before: State,
  journal: string,
): { readonly state: State; readonly notes: readonly string[] } {
  const { state, removed } = alignedGraph(restarted(before), learn(journal, createGrowth()));
  if (removed.length === 0) return { state, notes: [] };
  const them = removed.length === 1 ? "it was" : "they were";
  return { state, notes: [`restarted without ${removed.join(", ")}: ${them} added by a run, not by you`] };
}

function refusal({ control }: State, missing: readonly string[]): NoEntry {
  const hint =
    control.status === "completed"
      ? "work it again from the beginning with `aot run --restart`, or align a new goal with `aot align`"
      : "set it with `aot align` or `aot redirect set`";
  return {
    ok: false,
    exit_code: 3,
    problems: refused(`the loop cannot be entered: ${missing.join(", ")}`, hint).problems,
  };
}
