/**
 * AoT Loop on engines, as a library (SPEC section 13): handing loops over, looking at and steering them, and hosting
 * workers. What `aot engine`, `worker`, `submit`, `loops` and `run --engine` do, as typed functions.
 *
 * Expected failure is a value (`Result`). Libraries (`@dbos-inc/dbos-sdk`, `@aws-sdk/client-s3`) are loaded when they are first
 * needed.
 */

// ── an engine, and what is asked of it ──────────────────────────────────────
export { engineNamed, engineUrl } from "./engines/client.ts";
export type {
  Answer,
  Engine,
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
export { rowOf, type LoopRow } from "./loop/loop-row.ts";

// ── workers, and what agents printed ───────────────────────────────
export { startWorker } from "./engines/worker.ts";
export type { RunningWorker, WorkerOptions } from "./engines/worker-options.ts";
export { openBlobs } from "./engines/logs.ts";
export { keptLogs, type KeptLog } from "./engines/logs.ts";
export type { Blob, BlobStore } from "./loop/blob-store.ts";
