/** What products beside the loop add to it. The loop knows these ports alone; `src/extensions.ts` gives it the products. */
import type { Owner } from "../adapters/store/owner.ts";
import type { ChangedFile } from "../adapters/workspace/workspace-options.ts";
import type { Result } from "../core/problem.ts";
import type { LoopRequest } from "../loop/engine.ts";
import type { LogFilter, LogView, LoopLog } from "./loop-log.ts";

/** Holds agents to the guard rules of a project (SPEC section 12). */
export interface Guard {
  /** Settings for a client that asks hooks about each tool call; undefined: no rule is about tools at this moment. */
  settings?(): Promise<string | undefined>;
  /** The project's rule files, which an attempt's own files would cover in a sandbox. */
  files?(): Promise<readonly string[]>;
  /**
   * Why a change must not be integrated; null: it may.
   * @param read the changed files
   * @param warn gets what a rule only warns of
   */
  forbids(read: () => Promise<readonly ChangedFile[]>, warn: (message: string) => void): Promise<string | null>;
}

/** Loops that an engine owns (SPEC section 13). */
export interface Engines {
  steer(owner: Owner, request: LoopRequest): Promise<Result<string>>;
  readLog(owner: Owner, filter: LogFilter): Promise<Result<LoopLog>>;
  /** Until the loop halts or the signal ends it. */
  followLog(
    owner: Owner,
    filter: LogFilter,
    view: LogView,
    options: { readonly signal: AbortSignal; say(message: string): void },
  ): Promise<Result<null>>;
}

export interface Extensions {
  /** @param aot how this program is called, for the hooks of clients; absent: they get none */
  guard(project: string, aot?: readonly string[]): Guard;
  readonly engines: Engines;
}
