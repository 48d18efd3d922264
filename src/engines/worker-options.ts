/** What a worker is started with, and what its starter has of it, whatever the engine (SPEC section 13). */
import type { BlobStore } from "../loop/blob-store.ts";
import type { SandboxTerms } from "../verify/sandbox.ts";
import type { ObservabilityOptions } from "./worker-observability.ts";

export interface WorkerOptions extends ObservabilityOptions {
  /** The engine: `http://host:port`, its ingress, or the address of its database. */
  readonly ingress: string;
  readonly token?: string;
  /** The engine's admin interface: `http://host:port`, as its ingress. */
  readonly admin: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Where the engine calls it, if not at host and port: the balancer in front of several workers. */
  readonly address?: string;
  /** Its own folder: mirrors of the remotes, and the tasks running. */
  readonly dir: string;
  /** Where logs of attempts are kept; absent: they are not. */
  readonly blobs?: BlobStore;
  /** What confines the attempts of all loops: this host's matter, not that of who submits a loop. Absent: nothing. */
  readonly sandbox?: SandboxTerms;
  readonly identity_keys?: readonly string[];
  readonly warn: (message: string) => void;
}

export interface RunningWorker {
  /** Where the engine calls it; null: nobody calls it, it asks the engine. */
  readonly address: string | null;
  readonly metrics_port?: number;
  /** What was begun ends first; nothing new is taken. */
  drain(): Promise<void>;
  /** Ends what is running; the engine has it begun again elsewhere. */
  close(): Promise<void>;
}
