/**
 * Who hosts loops (SPEC section 13): this process, or a durable engine that others share. The port says what people and
 * commands ask of one; what an engine's own types, clock and rules are never crosses it.
 *
 * ENGINE-1 every decision is `step`'s: an engine carries events in and effects out, and decides nothing;
 * ENGINE-2 a loop has one writer, and what it answered stands;
 * ENGINE-3 a signal counts once, whatever its sender repeats: its id tells.
 */
import type { Memory, RunSettings } from "../core/event.ts";
import type { Redirect } from "../core/redirect.ts";
import type { State } from "../core/state.ts";
import { graphOf } from "../core/graph.ts";
import { measureOf } from "../core/view.ts";

/** What a loop is worked with. JSON, like everything that crosses the port. */
export interface LoopSpec {
  readonly state: State;
  /** What earlier runs spent and learnt; never refunded. */
  readonly memory: Memory;
  readonly settings: RunSettings;
  /** What workers make the agents, the limits and the place of work of. No engine reads it. */
  readonly terms: LoopTerms;
}

export type LoopTerms = Readonly<Record<string, unknown>>;

export type LoopRequest =
  /** Attempts in flight are finished, then the loop stops. */
  | { readonly kind: "stop"; readonly reason: string }
  /** As a stop, and what is in flight is killed. */
  | { readonly kind: "cancel"; readonly reason: string }
  | { readonly kind: "redirect"; readonly redirect: Redirect }
  /** A person takes up a loop that halted. */
  | { readonly kind: "resume" }
  /** A person's yes to assertions that were judged true: the loop that waits for it goes on. */
  | { readonly kind: "approve" }
  /** A loop that halted is its project's from now on: here nothing more becomes of it. Asked for again, it still is. */
  | { readonly kind: "hand_back" };

/** `id`: the sender's; the same request sent twice bears the same one. */
export type Signal = LoopRequest & { readonly id: string };

export type Answer =
  | { readonly ok: true; readonly message: string; readonly repeated?: true }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** A result that came too late: of a run that another one has replaced. */
export interface Refusal {
  readonly task: string;
  readonly run: number;
  readonly at: string;
  readonly reason: string;
}

/** Work that is under way. `runs`: how often it was begun; more than once after the death of a host. */
export interface TaskView {
  readonly task: string;
  readonly worker: string | null;
  readonly runs: number;
}

export interface LoopView {
  readonly loop: string;
  /** Where the loop's state lives: the engine's name. */
  readonly engine: string;
  readonly state: State;
  readonly attempts: number;
  readonly cost_usd: number;
  readonly working: readonly TaskView[];
  /** Tasks that were begun more than once. */
  readonly reruns: number;
  /** The latest, oldest first. */
  readonly refused: readonly Refusal[];
  /** How many journal lines there are. */
  readonly lines: number;
}

/** A task that was begun and waits. */
export interface HeldUp {
  readonly loop: string;
  readonly task: string;
  /** For what, in words. */
  readonly for: string;
}

/** A worker as it reported last. Nothing is decided by it. */
export interface WorkerView {
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly working: number;
  /** What its tasks cannot go on without, such as a remote that is away; absent: nothing. */
  readonly held_up?: readonly HeldUp[];
  /** It takes nothing new. */
  readonly draining: boolean;
  /** ISO 8601, the engine's time. */
  readonly seen_at: string;
}

export interface Engine {
  /** Names it in state files and on the screen: `embedded`, `postgres://127.0.0.1:5432/aot`. */
  readonly name: string;
  /** Begins a loop; one of that name which is there already is left as it is. */
  start(loop: string, spec: LoopSpec): Promise<Answer>;
  /** ENGINE-3. A loop that is not there is refused. */
  signal(loop: string, signal: Signal): Promise<Answer>;
  view(loop: string): Promise<LoopView | null>;
  /** Names of all loops, in no order. */
  loops(): Promise<readonly string[]>;
  /** Journal lines from number `from` on, oldest first, as they were written; a part of them where there are many. */
  journal(loop: string, from: number): Promise<readonly unknown[]>;
  /** What is kept of what was printed for an atom's attempts, one attempt or another task (`check_base_case#3`), oldest first. */
  logs(loop: string, of: string): Promise<readonly KeptLog[]>;
  /** Workers that were heard of lately, by name. */
  workers(): Promise<readonly WorkerView[]>;
  /** What it keeps of loops that are over can be forgotten. */
  readonly retention: Retention;
  close(): Promise<void>;
}

/** The end of what was printed: of one run of a task, one file. */
export interface KeptLog {
  readonly task: string;
  readonly run: number;
  readonly file: string;
  readonly text: string;
  /** Of the whole log. */
  readonly bytes: number;
  /** ISO 8601, the engine's time. */
  readonly at: string;
}

/** A loop that was completed and of which nothing is open. */
export interface OverLoop {
  readonly loop: string;
  /** ISO 8601, the engine's time. */
  readonly since: string;
  /** Of its journal. */
  readonly lines: number;
}

export interface Retention {
  /** Loops that have been over for so many days, oldest first. */
  over(days: number): Promise<readonly OverLoop[]>;
  /** State and journal are gone, and no loop begins under the name any more. False: it is not over for so long; it stays. */
  forget(loop: string, days: number): Promise<boolean>;
}

/** A loop of an engine in one line (SPEC section 13). */
export interface LoopRow {
  readonly loop: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly goal: string;
  readonly iteration: number;
  /** `M`. */
  readonly unresolved: number;
  readonly attempts: number;
  readonly cost_usd: number;
  readonly working: LoopView["working"];
  readonly reruns: number;
  readonly refused: number;
}

export function rowOf({ loop, state, attempts, cost_usd, working, reruns, refused }: LoopView): LoopRow {
  const { status, outcome, iteration } = state.control;
  return {
    loop,
    status,
    outcome: outcome ?? null,
    goal: state.objective.goal,
    iteration,
    unresolved: measureOf(state, graphOf(state)),
    attempts,
    cost_usd,
    working,
    reruns,
    refused: refused.length,
  };
}
