/** What a worker is started with, and what its starter has of it (SPEC section 13). */
import type { SandboxTerms } from "../verify/sandbox.ts";
import type { ObservabilityOptions } from "./worker-observability.ts";

export interface WorkerOptions extends ObservabilityOptions {
  /** The engine: the address of its database. */
  readonly engine: string;
  /** Its own folder: mirrors of the remotes, and the tasks running. */
  readonly dir: string;
  /** What confines the attempts of all loops: this host's matter, not that of who submits a loop. Absent: nothing. */
  readonly sandbox?: SandboxTerms;
  readonly warn: (message: string) => void;
}

export interface RunningWorker {
  readonly metrics_port?: number;
  /** What was begun ends first; nothing new is taken. */
  drain(): Promise<void>;
  /** Ends what is running; the engine has it begun again elsewhere. */
  close(): Promise<void>;
}
