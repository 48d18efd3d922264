/** `aot status`: where a loop stands, from its state file and its journal. Read-only. */
import type { JournalObject } from "../adapters/store/journal.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { limitsOf, type Limits } from "../core/fuel.ts";
import { graphOf, isContainer, type Graph } from "../core/graph.ts";
import { createRecall } from "../core/journal.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { executableOf } from "../core/view.ts";
import type { Holder } from "../host/lock.ts";
import { at } from "../core/vec.ts";
import { isWanted, journalOf } from "./loop-log.ts";
import { measureOf } from "./show-state.ts";

export interface LoopStatus {
  readonly state: State;
  readonly graph: Graph;
  /** Indices of the executable atoms, best first. */
  readonly ready: readonly number[];
  readonly measure: number;
  /** Atoms that are worked (no containers) and resolved. */
  readonly resolved: number;
  readonly limits: Limits;
  readonly cost_usd: number;
  /** Input and output together, as far as agents told. */
  readonly tokens: number;
  readonly active_ms: number;
  readonly attempts: number;
  readonly runner: Holder | null;
  /** Newest last. */
  readonly events: readonly JournalObject[];
}

const EVENTS_SHOWN = 5;

export async function loopStatus(stateFile: string): Promise<Result<LoopStatus>> {
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const { state } = read.value;
  const graph = graphOf(state);
  const recall = createRecall();
  let events: JournalObject[] = [];
  const { readJournal } = await import("../adapters/store/journal.ts");
  for await (const line of readJournal(journalOf(stateFile))) {
    if (line.kind === "skipped") continue;
    recall.read(line.value);
    if (!isWanted(line.value, undefined)) continue;
    events.push(line.value);
    if (events.length > 1_000) events = events.slice(-EVENTS_SHOWN);
  }
  const { memory } = recall.answer();
  let resolved = 0;
  for (let index = 0; index < graph.ids.length; index++)
    if (!isContainer(graph, index) && at(state.atoms, index).status === "resolved") resolved++;
  return accepted({
    state,
    graph,
    ready: executableOf(state, graph),
    measure: measureOf(state, graph),
    resolved,
    limits: limitsOf(state.objective.constraints, { verify_each: false, confirmed: false }),
    cost_usd: memory.cost_usd,
    tokens: memory.tokens ?? 0,
    active_ms: memory.active_ms,
    attempts: Object.values(memory.attempts).reduce((sum, count) => sum + count, 0),
    runner: runnerOf(stateFile),
    events: events.slice(-EVENTS_SHOWN),
  });
}
