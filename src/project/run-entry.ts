/** Where a run begins: the loop as its state file and its journal have it (SPEC section 8). */
import { learn } from "../adapters/store/journal-reader.ts";
import { ownerRefusal } from "../adapters/store/owner.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { alignedGraph, createGrowth } from "../core/aligned-graph.ts";
import { firstSelections } from "../core/decompose.ts";
import { entranceOf, type Entrance } from "../core/entrance.ts";
import { createRecall, type Recollection } from "../core/journal.ts";
import { restarted } from "../core/operations.ts";
import { refused, type Problem } from "../core/problem.ts";
import { objectIn, parseJson } from "../core/reading.ts";
import type { State } from "../core/state.ts";
import { isoNow } from "../host/clock.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import type { StateDocument } from "../statefile/parse.ts";
import { isSame } from "../statefile/same.ts";

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
  /** A person says that the goal is meant as the file has it now. */
  readonly accept_goal?: boolean;
}): Promise<Entry | NoEntry> {
  const paths = loopPaths(options.stateFile);
  const read = await readStateFile(options.stateFile);
  if (!read.ok) return { ...read, exit_code: 2 };
  const recalled = learn(paths.journal, createRecall());
  const { goals } = recalled;
  const document = read.value;
  const file = withAligned(document.state, goals);
  const edited = options.accept_goal === true ? [] : goalEdits(file, goals);
  if (edited.length > 0) return goalRefusal(edited);
  const owned = options.handed_over === true ? null : ownerRefusal(document.state);
  if (owned !== null) return { ...owned, exit_code: 1 };
  const known = options.restart ? createRecall().now() : recalled;
  const { state: begun, notes } = options.restart ? fromTheBeginning(file, paths.journal) : { state: file, notes: [] };
  const { missing, ...entrance } = entranceOf(begun, known);
  if (missing.length > 0) return refusal(entrance.state, missing);
  return { ok: true, document, ...entrance, known, paths, notes };
}

/** `--restart`: the same goal on the graph that people made. What earlier runs added to it is left out, and reported. */
function fromTheBeginning(
  before: State,
  journal: string,
): { readonly state: State; readonly notes: readonly string[] } {
  const { state: aligned, removed } = alignedGraph(restarted(before), learn(journal, createGrowth()));
  const trail = firstSelections(aligned.or_groups, "restarted", isoNow());
  const state = { ...aligned, trail };
  if (removed.length === 0) return { state, notes: [] };
  const them = removed.length === 1 ? "it was" : "they were";
  return { state, notes: [`restarted without ${removed.join(", ")}: ${them} added by a run, not by you`] };
}

/** The commit of the alignment is not what a run can be made to forget. */
function withAligned(state: State, goals: readonly string[]): State {
  const { objective } = state;
  const { aligned_commit } = objectiveIn(goals.at(-1));
  if (objective.aligned_commit !== undefined || typeof aligned_commit !== "string") return state;
  return { ...state, objective: { ...objective, aligned_commit } };
}

function objectiveIn(goal: string | undefined): Readonly<Record<string, unknown>> {
  const read = goal === undefined ? null : parseJson(goal);
  return (read?.ok === true ? objectIn(read.value) : null) ?? {};
}

/** What is not as the last run or redirect left it. A redirect that died may not have come to the file. */
function goalEdits({ objective }: State, goals: readonly string[]): readonly string[] {
  const known = goals.map(objectiveIn);
  const last = known.at(-1);
  if (last === undefined || known.some((goal) => isSame(goal, { ...objective }))) return [];
  const now: Readonly<Record<string, unknown>> = { ...objective };
  return [...new Set([...Object.keys(last), ...Object.keys(now)])]
    .filter((field) => !isSame(last[field], now[field]))
    .map((field) => `${field} is ${shownValue(now[field])} and was ${shownValue(last[field])}`);
}

const MOST_SHOWN = 200;

function shownValue(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
}

function goalRefusal(edited: readonly string[]): NoEntry {
  const message = `the goal in the state file is not the one that the last run worked on: ${edited.join("; ")}`;
  const hint = "if you changed it, say so: `aot run --accept goal`; else put it back, or look at `aot logs`";
  return { ok: false, exit_code: 3, problems: refused(message, hint).problems };
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
