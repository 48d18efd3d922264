/**
 * AoT Loop on engines, as a library (SPEC section 13): handing loops over, looking at and steering them, and hosting
 * workers. What `aot engine`, `worker`, `submit`, `loops` and `run --engine` do, as typed functions.
 *
 * Expected failure is a value (`Result`). DBOS's library (`@dbos-inc/dbos-sdk`) is loaded when it is first needed.
 */

// ── an engine, and what is asked of it ──────────────────────────────────────
export { engineNamed, engineUrl } from "./engines/client.ts";
export type {
  Answer,
  Engine,
  KeptLog,
  LoopSpec,
  LoopTerms,
  LoopView,
  OverLoop,
  Refusal,
  Retention,
  Signal,
  TaskView,
  LoopRequest,
  WorkerView,
} from "./loop/engine.ts";

// ── handing a loop over, and watching ─────────────────────────────────────
export { submitLoop, type SubmitOptions, type Submitted } from "./engines/submit-loop.ts";
export { beginHosted, followHosted, type HostedEnd, type HostedRun } from "./engines/run-hosted.ts";
export { followLoop } from "./engines/follow.ts";
export { whatIsLocalOnly } from "./engines/local-only.ts";
export type { Owner } from "./adapters/store/owner.ts";

// ── the loops of an engine ──────────────────────────────────────────────────
export { ownerAt, pullView, viewsOf, requestOf } from "./engines/owned-loop.ts";
export { waitsOf, type LoopWait } from "./engines/loop-waits.ts";
export { rowOf, type LoopRow } from "./loop/engine.ts";

// ── workers ─────────────────────────────────────────────────────
export { startWorker } from "./engines/worker.ts";
export type { RunningWorker, WorkerOptions } from "./engines/worker.ts";
