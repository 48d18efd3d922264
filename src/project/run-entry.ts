/** Where a run begins: the loop as its state file and its journal have it (SPEC section 8). */
import { learn } from "../adapters/store/journal-reader.ts";
import { ownerRefusal } from "../adapters/store/owner.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { alignedGraph, createGrowth } from "../core/aligned-graph.ts";
import type { Event } from "../core/event.ts";
import { createRecall, recovered, type Recollection } from "../core/journal.ts";
import { gateOf, restarted } from "../core/operations.ts";
import { refused, type Problem } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import type { StateDocument } from "../statefile/document.ts";

export interface Entry {
  readonly ok: true;
  /** The state file as it was read: what somebody writes from here on is foreign. */
  readonly document: StateDocument;
  readonly state: State;
  readonly known: Recollection;
  readonly from: Extract<Event, { type: "run_started" }>["from"];
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
  const { state, notes } = options.restart
    ? fromTheBeginning(document.state, paths.journal)
    : { state: recovered(reopened(document.state, known), known), notes: [] };
  const { status } = state.control;
  const refusal = whyNot(state);
  if (refusal !== null) return refusal;
  const crashed = status === "running" || known.unfinished !== null;
  const from = status === "stopped" ? "halted" : crashed ? "crashed" : "pending";
  return { ok: true, document, state, known, from, paths, notes };
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

/**
 * A run that died between its verdict and the hand-over left a completed loop. Anybody can write that word into a
 * file: it is a crash like others, and the verdict is computed anew (SPEC section 9).
 */
function reopened(state: State, known: Recollection): State {
  const { control } = state;
  if (control.status !== "completed" || known.unfinished === null) return state;
  return { ...state, control: { ...control, status: "running", outcome: null } };
}

function whyNot(state: State): NoEntry | null {
  const gate = gateOf(state);
  // A loop that is running although nobody works it was left so by a crash.
  const missing = gate.missing.filter((name) => !(gate.status === "running" && name.startsWith("control.status")));
  if (missing.length === 0) return null;
  const hint =
    gate.status === "completed"
      ? "work it again from the beginning with `aot run --restart`, or align a new goal with `aot align`"
      : "set it with `aot align` or `aot redirect set`";
  return {
    ok: false,
    exit_code: 3,
    problems: refused(`the loop cannot be entered: ${missing.join(", ")}`, hint).problems,
  };
}
