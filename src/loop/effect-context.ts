/** What every effect is carried out with: the ports, the limits of a call, and where its answer goes. */
import type { Event } from "../core/event.ts";
import type { Mark } from "../core/journal.ts";
import type { Loop } from "../core/loop.ts";
import type { Confinement } from "./confinement.ts";
import type { Agent, Clock, Store, Verifier, Workspace } from "./ports.ts";

export interface Ports {
  readonly worker: Agent;
  /** Who works an atom after its first failure, its second and so on; the last one from there. Absent: the worker. */
  readonly escalation?: readonly Agent[];
  readonly probe: Agent;
  /** Null: each failing check becomes an atom of its own. */
  readonly planner: Agent | null;
  readonly verifier: Verifier;
  readonly workspace: Workspace;
  readonly store: Store;
  readonly clock: Clock;
  /** What confines agents, checks and set-up; absent: nothing. */
  readonly place?: Pick<Confinement, "refusals"> | undefined;
  /** Asked before each attempt: why nothing more is to be started here (a disk that is nearly full). Null: go on. */
  readonly room?: () => string | null;
}

export interface CallLimits {
  /** Absolute limit of one agent call, milliseconds. */
  readonly timeout_ms: number;
  readonly idle_timeout_ms?: number;
  /** What one call may cost at most, USD. */
  readonly max_call_usd?: number;
  /** What one attempt may use at most, input and output together: once that is reported, its agent is not asked again. */
  readonly max_call_tokens?: number;
  /** How long a rate limit is waited for before the run stops, milliseconds. */
  readonly max_wait_ms: number;
  /** Folder for the agents' raw output. */
  readonly logs?: string;
}

export interface PerformerOptions {
  readonly ports: Ports;
  readonly limits: CallLimits;
  readonly stateNow: () => Loop;
  readonly send: (entry: Event | Mark) => void;
  readonly fail: (error: unknown) => void;
}

/** An event without its time, which the context puts on it. */
export type UntimedEvent = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;

export interface EffectContext extends PerformerOptions {
  readonly controllers: Map<string, AbortController>;
  readonly timers: Set<() => void>;
  /** Ends each wait for a rate limit that is under way. */
  readonly waits: Set<() => void>;
  /** Work that is being put aside. None of them rejects. */
  readonly shelving: Set<Promise<unknown>>;
  answer(event: UntimedEvent): void;
}

/** What of an agent's answer was left out: it is in the journal, and where the run is watched. @param who answered */
export function tellWarnings(context: EffectContext, who: string, warnings: readonly string[] = []): void {
  for (const warning of warnings) context.send({ event: "note", message: `${who}: ${warning}` });
}

export function createEffectContext(options: PerformerOptions): EffectContext {
  return {
    ...options,
    controllers: new Map(),
    timers: new Set(),
    waits: new Set(),
    shelving: new Set(),
    // The time first: a field that is added behind a spread makes it many times slower.
    answer: (event) => options.send({ at: options.ports.clock.now(), ...event }),
  };
}
