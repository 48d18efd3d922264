/**
 * Port of what hosts loops (SPEC section 13): this process, or a durable engine that machines share. It covers what people
 * and commands ask of an engine; nothing of an engine's own types or clock crosses it.
 *
 * ENGINE-1 every decision is made by `step`: an engine delivers events and effects and decides nothing;
 * ENGINE-2 a loop has one writer, and what that writer answered is final;
 * ENGINE-3 a signal is decided once, however often it is sent: repetitions have the same id, and what was refused stays so.
 */
import type { Memory, RunSettings } from "../core/event.ts";
import type { Redirect } from "../core/redirect.ts";
import type { State } from "../core/state.ts";
import { graphOf } from "../core/graph.ts";
import { measureOf } from "../core/view.ts";

/** What a loop is started with. JSON, like everything that crosses the port. */
export interface LoopSpec {
  readonly state: State;
  /** What earlier runs spent and learnt; spending is never refunded. */
  readonly memory: Memory;
  readonly settings: RunSettings;
  /** From these workers build agents, limits and workspace. Engines do not read them. */
  readonly terms: LoopTerms;
}

export type LoopTerms = Readonly<Record<string, unknown>>;

export type LoopRequest =
  /** Running attempts finish, then the loop stops. */
  | { readonly kind: "stop"; readonly reason: string }
  /** Like `stop`, but running attempts are killed. */
  | { readonly kind: "cancel"; readonly reason: string }
  | { readonly kind: "redirect"; readonly redirect: Redirect }
  /** A halted loop goes on. */
  | { readonly kind: "resume" }
  /** A person confirms the assertions that were judged true, and the loop that waited for it goes on. */
  | { readonly kind: "approve" }
  /** A halted loop returns to its project: the engine never changes it again. May be repeated. */
  | { readonly kind: "hand_back" };

/** `id` is chosen by the sender; a repeated request has the same one. */
export type Signal = LoopRequest & { readonly id: string };

export type Answer =
  | { readonly ok: true; readonly message: string; readonly repeated?: true }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** A result that came too late, from a run of the task that another run has replaced. */
export interface Refusal {
  readonly task: string;
  readonly run: number;
  readonly at: string;
  readonly reason: string;
}

/** A task under way. `runs`: how often it was begun; more than once if a worker died. */
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

/** A task that was begun and cannot go on. */
export interface HeldUp {
  readonly loop: string;
  readonly task: string;
  /** What it waits for, in words. */
  readonly for: string;
}

/** A worker as it last reported itself; for display only. */
export interface WorkerView {
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly working: number;
  /** Its tasks that cannot go on, for instance since a remote is unreachable; absent: none. */
  readonly held_up?: readonly HeldUp[];
  /** It takes no new tasks. */
  readonly draining: boolean;
  /** ISO 8601, the engine's time. */
  readonly seen_at: string;
}

export interface Engine {
  /** As in state files and output: `embedded`, `postgres://127.0.0.1:5432/aot`. */
  readonly name: string;
  /** Begins a loop; does nothing if the name is taken. */
  start(loop: string, spec: LoopSpec): Promise<Answer>;
  /** ENGINE-3. Refused if there is no such loop. */
  signal(loop: string, signal: Signal): Promise<Answer>;
  view(loop: string): Promise<LoopView | null>;
  /** Names of all loops, in no order. */
  loops(): Promise<readonly string[]>;
  /** Journal lines from number `from` on, oldest first, as written; at most a page of them. */
  journal(loop: string, from: number): Promise<readonly unknown[]>;
  /** Output kept of an atom's attempts, of one attempt or of another task (`check_base_case#3`), oldest first. */
  logs(loop: string, of: string): Promise<readonly KeptLog[]>;
  /** Recently active workers, by name. */
  workers(): Promise<readonly WorkerView[]>;
  readonly retention: Retention;
  close(): Promise<void>;
}

/** The end of one log file of one run of a task. */
export interface KeptLog {
  readonly task: string;
  readonly run: number;
  readonly file: string;
  readonly text: string;
  /** Size of the whole log. */
  readonly bytes: number;
  /** ISO 8601, the engine's time. */
  readonly at: string;
}

/** A completed loop without open tasks. */
export interface OverLoop {
  readonly loop: string;
  /** ISO 8601, the engine's time. */
  readonly since: string;
  /** Number of journal lines. */
  readonly lines: number;
}

/** Deleting finished loops. */
export interface Retention {
  /** Loops that have been over for at least that many days, oldest first. */
  over(days: number): Promise<readonly OverLoop[]>;
  /** Deletes state and journal; the name stays taken. False: not over for that long, and nothing was deleted. */
  forget(loop: string, days: number): Promise<boolean>;
}

/** A loop of an engine in one line (SPEC section 13). */
export interface LoopRow {
  readonly loop: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly goal: string;
  readonly iteration: number;
  /** Atoms left (`M`). */
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
