/** `aot status`: where a loop stands, from its state file and its journal. Read-only. */
import type { AnyLine } from "../core/journal-line.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { limitsOf, type Limits } from "../core/fuel.ts";
import { graphOf, type Graph } from "../core/graph.ts";
import { createRecall, recovered, type Recollection } from "../core/journal.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { executableOf } from "../core/view.ts";
import { isoNow } from "../host/clock.ts";
import type { Holder } from "../host/lock.ts";
import { journalFiles } from "../history/follow.ts";
import { createGathering, journalOf } from "../history/loop-log.ts";
import { progressOf } from "../view/standing.ts";
import { createStory, type AttemptPart, type CheckPart, type RunStory } from "../history/run-story.ts";
import { sessionOwnerOf, type SessionOwner } from "../project/session-owner.ts";

export interface LoopStatus {
  /** As the file has it, its counters as the journal has them where a run is active or was killed. */
  readonly state: State;
  readonly graph: Graph;
  /** Indices of the executable atoms, best first. */
  readonly ready: readonly number[];
  readonly measure: number;
  /** Atoms that are worked (no containers) and resolved. */
  readonly resolved: number;
  readonly limits: Limits;
  readonly cost_usd: number;
  /** Input and output together, as far as agents reported. */
  readonly tokens: number;
  readonly active_ms: number;
  readonly attempts: number;
  readonly other_calls: number;
  readonly runner: Holder | null;
  /** What the run works at; nothing where none is running. */
  readonly working: readonly AttemptPart[];
  /** The check that it runs. */
  readonly checking: CheckPart | null;
  /** When all this was read; milliseconds since 1970. */
  readonly read_at: number;
  /** The run that had it died, and nobody has it now: what is in progress is begun again by the next one. */
  readonly cut_off: boolean;
  /** The client's session that has it, where no run works it. */
  readonly session: SessionOwner | null;
  /** Newest last. */
  readonly events: readonly AnyLine[];
}

const EVENTS_SHOWN = 5;

export async function loopStatus(stateFile: string): Promise<Result<LoopStatus>> {
  const watch = watchStatus(stateFile);
  try {
    return await watch.read();
  } finally {
    watch.close();
  }
}

/** Where a loop stands, again and again: of its journal only what is new is read. */
export function watchStatus(stateFile: string): { read(): Promise<Result<LoopStatus>>; close(): void } {
  const source = journalFiles(journalOf(stateFile));
  const recall = createRecall();
  const story = createStory();
  const newest = createGathering({ last: EVENTS_SHOWN });
  let isFirst = true;
  const readJournal = async (): Promise<void> => {
    for await (const batch of source.read(isFirst)) {
      for (const line of batch.lines) {
        recall.read(line);
        story.read(line);
      }
      newest.add(batch);
    }
    isFirst = false;
  };
  return {
    async read() {
      const read = await readStateFile(stateFile);
      if (!read.ok) return read;
      await readJournal();
      return accepted(
        statusOf(stateFile, read.value.state, recall.now(), { story: story.now(), events: newest.whole().lines }),
      );
    },
    close: () => source.close(),
  };
}

function statusOf(
  stateFile: string,
  saved: State,
  known: Recollection,
  { story, events }: { readonly story: RunStory; readonly events: readonly AnyLine[] },
): LoopStatus {
  const graph = graphOf(saved);
  const { memory } = known;
  const state: State = { ...saved, control: recovered(saved, known).control };
  const { resolved, left } = progressOf(state, graph);
  const runner = runnerOf(stateFile);
  const session = runner === null ? sessionOwnerOf(stateFile, saved) : null;
  const limits = limitsOf(state.objective.constraints);
  return {
    state,
    graph,
    ready: executableOf(state, graph),
    measure: left,
    resolved,
    limits,
    cost_usd: memory.cost_usd,
    tokens: memory.tokens ?? 0,
    active_ms: memory.active_ms,
    other_calls: story.other_calls,
    attempts: Object.values(memory.attempts).reduce((sum, count) => sum + count, 0),
    runner,
    working: runner === null ? [] : story.working,
    checking: runner === null ? null : story.newest.checking,
    read_at: Date.parse(isoNow()),
    cut_off: runner === null && session === null && known.unfinished !== null,
    session,
    events,
  };
}
