/** What performing an effect needs: ports, limits of a call, and where its answer goes. */
import type { Event } from "../core/event.ts";
import type { Mark } from "../core/journal.ts";
import type { Loop } from "../core/loop.ts";
import type { Confinement } from "./confinement.ts";
import type { Agent, Clock, PlaceFacts, Store, Verifier, Workspace } from "./ports.ts";
import type { GoalBrief } from "./told.ts";

export interface Ports {
  readonly worker: Agent;
  /** Agents for an atom after its first failure, its second, and so on; the last one from then on. Absent: the worker. */
  readonly escalation?: readonly Agent[];
  readonly probe: Agent;
  /** Null: each failing check becomes an atom of its own. */
  readonly planner: Agent | null;
  readonly verifier: Verifier;
  readonly workspace: Workspace;
  readonly store: Store;
  readonly clock: Clock;
  /** The sandbox of agents, checks and set-up; absent: none. */
  readonly place?: Pick<Confinement, "refusals"> | undefined;
  /** Facts about the repository and the sandbox, for prompts. @param dir the folder the agent works in */
  readonly facts?: (dir: string) => Promise<PlaceFacts>;
  /** Asked before each attempt: why nothing more may start on this machine (a nearly full disk). Null: go on. */
  readonly room?: () => string | null;
}

export interface CallLimits {
  /** Absolute limit of one agent call, milliseconds. */
  readonly timeout_ms: number;
  readonly idle_timeout_ms?: number;
  /** What one call may cost at most, USD. */
  readonly max_call_usd?: number;
  /** Tokens of one attempt, input and output together: once that many are reported, its agent is not asked again. */
  readonly max_call_tokens?: number;
  /** How long to wait for rate limits before the run stops, milliseconds. */
  readonly max_wait_ms: number;
  /** Folder for the agents' raw output. */
  readonly logs?: string;
}

/** What checks answered at the commit before the work. */
export type Before = Extract<Event, { readonly type: "base_case_checked" }>["before"];

/** Reds that nobody waits for (spare-reds.ts): `gather` begins once, with the first attempt; `found` ends it, too. */
export interface SpareReds {
  gather(context: EffectContext): Promise<void>;
  end(): void;
  found(): Promise<Before>;
}

export interface PerformerOptions {
  readonly ports: Ports;
  readonly limits: CallLimits;
  readonly stateNow: () => Loop;
  readonly send: (entry: Event | Mark) => void;
  readonly fail: (error: unknown) => void;
  /** Absent: none are gathered here. */
  readonly spare?: SpareReds;
}

/** What every agent that plans or works is told of the goal. @param dir its place */
export async function goalBrief({ ports, stateNow }: EffectContext, dir: string): Promise<GoalBrief> {
  const facts = await ports.facts?.(dir);
  const { objective } = stateNow().state;
  const { tests } = ports.verifier;
  return {
    objective,
    ...(facts === undefined ? {} : { facts }),
    ...(tests === undefined ? {} : { failedThen: (check) => tests.failed(objective, check) }),
  };
}

/** An event without its time, which is added when it is sent. */
export type UntimedEvent = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;

export interface EffectContext extends PerformerOptions {
  readonly controllers: Map<string, AbortController>;
  readonly timers: Set<() => void>;
  /** Functions that end the waits for a rate limit that are under way. */
  readonly waits: Set<() => void>;
  /** Pending `Workspace.shelve` calls. None of these promises rejects. */
  readonly shelving: Set<Promise<unknown>>;
  answer(event: UntimedEvent): void;
}

/** Journals warnings, such as parts of an answer that were left out. @param who the agent or call they are about */
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
    // `at` comes first: a field after the spread makes this many times slower.
    answer: (event) => options.send({ at: options.ports.clock.now(), ...event }),
  };
}
