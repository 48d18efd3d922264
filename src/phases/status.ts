/** `aot phases status`: where a phase loop stands, from its state and its journal. Reads only. */
import { runnerOf } from "../adapters/store/run-lock.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { Holder } from "../host/lock.ts";
import type { LoopDefinition } from "./core/definition.ts";
import type { GateAnswer, PhaseHistory, PhaseWork } from "./core/history.ts";
import type { PhaseLoop } from "./core/state.ts";
import { readHistory } from "./file.ts";
import { workFile } from "./phase-work.ts";
import { readPhases } from "./answer.ts";

export interface PhasesStatus {
  readonly definition: LoopDefinition;
  readonly loop: PhaseLoop;
  /** Why the loop, or a gate that is failed, failed; null: nothing is. */
  readonly error: string | null;
  /** Why the newest run came to rest, in words; null: none did, or one is running. */
  readonly halted: string | null;
  readonly answers: readonly GateAnswer[];
  readonly works: readonly PhaseWork[];
  /** State file of the loop that works a phase now, or worked at it last; null: none does. */
  readonly work: string | null;
  /** The run that is running. */
  readonly runner: Holder | null;
}

export function phasesStatus(stateFile: string): Result<PhasesStatus> {
  const read = readPhases(stateFile);
  if (!read.ok) return read;
  const { definition, loop } = read.value;
  const { answers, last_failure, last_halt, works } = readHistory(stateFile, definition);
  const runner = runnerOf(stateFile);
  const failed = loop.status === "failed" || loop.gates.some((gate) => gate.status === "failed");
  const work = workNow(definition, loop, works);
  return accepted({
    definition,
    loop,
    error: failed ? last_failure : null,
    halted: runner === null ? last_halt : null,
    answers,
    works: [...works.values()],
    work: work === undefined ? null : workFile(stateFile, work.file),
    runner,
  });
}

/** A phase is active while it is worked first, and complete while it is worked once more. */
function workNow({ gates }: LoopDefinition, loop: PhaseLoop, works: PhaseHistory["works"]): PhaseWork | undefined {
  if (loop.status !== "active") return undefined;
  const failed = loop.gates.find(({ status }) => status === "failed");
  const phase =
    loop.phases.find(({ status }) => status === "active")?.name ?? gates.find(({ id }) => id === failed?.id)?.after;
  return phase === undefined ? undefined : works.get(phase);
}
