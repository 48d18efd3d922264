/** `aot report`: a loop's state and journal as one HTML file (SPEC sections 8 and 9). Reads only. */
import { learn } from "../adapters/store/journal-reader.ts";
import { ownerOf } from "../adapters/store/owner.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { Outcome, State } from "../core/state.ts";
import type { Engines } from "../history/extensions.ts";
import { isoNow } from "../host/clock.ts";
import { journalOf } from "../history/loop-log.ts";
import { createReported, sceneOf, type Reported } from "../view/scene.ts";

export interface LoopReport {
  readonly html: string;
  readonly goal: string;
  readonly status: string;
  readonly outcome: Outcome | null;
  readonly attempts: number;
  readonly cost_usd: number;
}

/** The report of the loop as it is, finished or not. @returns problems of the state file, or of the engine that works it */
export async function loopReport(stateFile: string, engines: Engines): Promise<Result<LoopReport>> {
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const { state } = read.value;
  const reported = await readReported(stateFile, state, engines);
  if (!reported.ok) return reported;
  // The drawing code is loaded only when it is needed.
  const { reportHtml } = await import("../view/report-page.tsx");
  const { last } = reported.value.story;
  const scene = sceneOf(state, reported.value, { time: last, zone: "UTC" });
  return accepted({
    html: reportHtml(scene, isoNow()),
    goal: state.objective.goal,
    status: state.control.status,
    outcome: state.control.outcome ?? null,
    attempts: scene.attempts,
    cost_usd: scene.memory.cost_usd,
  });
}

/** What the loop's journal tells, since it was aligned or restarted. */
async function readReported(stateFile: string, state: State, engines: Engines): Promise<Result<Reported>> {
  const keeper = createReported();
  const own = learn(journalOf(stateFile), keeper);
  const owner = ownerOf(state);
  if (owner === null) return accepted(own);
  // What an engine's workers did since it was handed over.
  const hosted = await engines.readLog(owner, {});
  if (!hosted.ok) return hosted;
  for (const line of hosted.value.lines) keeper.read(line);
  return accepted(keeper.now());
}
