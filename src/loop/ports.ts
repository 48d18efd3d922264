/**
 * What the loop needs of the world. Each port lives here, with its only user (confinement.ts has one more); adapters implement it.
 * Contracts of all: expected failure is a value; a rejected promise is a defect and stops the run; nothing outlives `close()`.
 */
import type { Nogood, Revert, Usage } from "../core/event.ts";
import type { Attempt, Role, Work } from "../core/effect.ts";
import type { JournalLine } from "../core/journal.ts";
import type { Result } from "../core/problem.ts";
import type { BaseCase, Binding, Check, Objective, Outcome, State } from "../core/state.ts";
import type { UnreadRun } from "../core/test-report.ts";
import type { ChecklistVerdict, Leaf, LeafResult } from "../core/verdict.ts";

// ── agents ──────────────────────────────────────────────────────────────────

export interface AgentRequest {
  readonly role: Role;
  /** Identifies the call in logs and recordings: attempt id, or `judge:<item>`, `planner:<n>`. */
  readonly call: string;
  readonly atom?: { readonly id: string; readonly description: string };
  /** The whole instruction, ready for a model. */
  readonly prompt: string;
  /** Bindings of the atom's direct dependencies, by atom id. */
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly nogoods: readonly Nogood[];
  /** JSON Schema of the answer that is expected. */
  readonly schema: object;
  /** Absolute path of the folder to work in. */
  readonly cwd: string;
  /** Absolute limit; the process group is killed. Milliseconds. */
  readonly timeout_ms: number;
  /** Limit without any output. Milliseconds; absent: none. */
  readonly idle_timeout_ms?: number;
  /** What this call may cost at most, for agents that accept it. */
  readonly budget_usd?: number;
  /** What it may use at most, input and output together, for agents that accept it. */
  readonly budget_tokens?: number;
  /** Set when the first answer could not be read: what it said (shortened) and what was wrong with it. */
  readonly repair?: { readonly answer: string; readonly problem: string; readonly session?: string };
  /** Where the agent's raw output is logged (bounded by the adapter). */
  readonly log_file?: string;
  /** Further environment of its processes: what belongs to the place of work. */
  readonly env?: PlaceEnvironment;
}

/** Variables of one place of work: its ports. */
export type PlaceEnvironment = Readonly<Record<string, string>>;

/** `agent`: who gave it, where several could have. */
export type AgentAnswer = { readonly agent?: string } &
  /** `value` is the JSON object that the agent gave; whether it is a good answer is decided by the caller. */
  (
    | { readonly kind: "answer"; readonly value: unknown; readonly usage?: Usage; readonly session?: string }
    /** Ran, but gave no JSON object: `text` is what it said, shortened. */
    | {
        readonly kind: "unreadable";
        readonly text: string;
        readonly problem: string;
        readonly usage?: Usage;
        readonly session?: string;
      }
    | { readonly kind: "failed"; readonly reason: string; readonly timed_out?: boolean; readonly usage?: Usage }
    /** Not the atom's fault: not installed, not logged in, rate limited. `retry_after_ms` if waiting can help. */
    | {
        readonly kind: "unavailable";
        readonly reason: string;
        readonly retry_after_ms?: number;
        readonly usage?: Usage;
      }
    | { readonly kind: "aborted"; readonly usage?: Usage }
  );

export interface Agent {
  /** As given to --agent. */
  readonly name: string;
  /** Upper bound of one call's cost in USD where it is known; undefined otherwise. */
  readonly max_call_usd?: number;
  /** Never rejects. Settles soon after `signal` aborts, with no process of the call left. */
  call(request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer>;
  /** Whether it can be used here; a reason with the next step if not. Spends nothing. */
  available(): Promise<
    { readonly ok: true; readonly version?: string } | { readonly ok: false; readonly reason: string }
  >;
  close(): Promise<void>;
}

// ── workspace ───────────────────────────────────────────────────────────────

export interface IntegratedWork {
  readonly attempt: string;
  readonly atom: string;
  readonly commit: string;
  readonly summary: string;
  readonly artifacts: readonly string[];
}

export type Integration =
  /** `commit` null: the attempt changed no file. `files`: what it changed, relative to the root. */
  | {
      readonly kind: "integrated";
      readonly commit: string | null;
      readonly files: readonly string[];
      /** Files of the attempt that git ignores, which are in no commit of the loop; and where they are, in words. */
      readonly ignored?: { readonly files: readonly string[]; readonly message: string };
    }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  | { readonly kind: "protected"; readonly files: readonly string[] }
  /** The work cannot be read: its folder is gone, or a file in it cannot be committed. A failure of the attempt. */
  | { readonly kind: "failed"; readonly reason: string };

/** Where checks run (`Workspace.checkout`). */
export interface Checkout {
  readonly dir: string;
  readonly commit: string | null;
  /** Object id of the commit's tree. */
  readonly tree?: string;
  readonly env?: PlaceEnvironment;
  readonly failed?: string;
  readonly tampered?: readonly string[];
  /** Links of the commit that lead out of the checkout. */
  readonly links_out?: readonly string[];
  /** What its preparation made of the commit's files is what checks are to see. @param copied paths from the top folder */
  settle?(copied: readonly string[]): Promise<void>;
  /**
   * To be called after each check that ran: what it did to the commit's files is put back. `stuck`: could not be;
   * `tampered`: protected files among them.
   */
  between?(): Promise<Readonly<Record<"put_back" | "stuck" | "tampered", readonly string[]>>>;
  /** How its files were when the goal was aligned; absent: nothing tells. */
  readonly agreed?: AlignedFiles;
  /**
   * Makes the commits that the person gets, for which their hooks are run. Another one: the hooks wanted other messages, and
   * the checkout is at it now; null: they are what the checkout holds, or cannot be made.
   * @param prepare makes a checkout usable in which the hooks are run
   */
  handed?(prepare?: Prepare): Promise<string | null>;
  /**
   * What changed in the person's own checkout while the loop ran, as far as these checks read there: they were not about
   * the commit. Absent: they cannot.
   */
  strayed?(checks: BaseCase): Promise<readonly string[]>;
  release(): Promise<void>;
}

/** Makes a checkout usable. */
export type Prepare = (place: Checkout) => Promise<Checkout>;

/**
 * Where attempts work and what becomes of their work (SPEC section 7).
 * PORTS-1 work of an attempt that is not integrated is kept (branch or patch), never lost;
 * PORTS-2 an integrated attempt changed no protected file;
 * PORTS-3 integrations and reverts are serial, in call order;
 * PORTS-4 the person's own checkout is touched only by `finish`, and only by a fast-forward.
 */
export interface Workspace {
  readonly kind: "worktrees" | "in_place";
  /** Attempts that can work side by side: Infinity, or 1 where they share the folder. */
  readonly slots: number;
  /** Cleans up after a crash and says what the integration branch holds of this loop. */
  open(): Promise<{
    readonly base: string | null;
    readonly tip: string | null;
    readonly integrated: readonly IntegratedWork[];
    /** Every time that work was taken out, oldest first. */
    readonly reverts: readonly Revert[];
    readonly notes: readonly string[];
  }>;
  /**
   * `failed`: why the folder could not be made ready; nobody works in it then, and it is shelved like any other.
   * @param signal ends the preparation, whose answer nobody reads any more
   */
  start(
    attempt: Attempt,
    signal?: AbortSignal,
  ): Promise<{ readonly dir: string; readonly env?: PlaceEnvironment; readonly failed?: string }>;
  integrate(attempt: Attempt, work: Work & { readonly description: string }): Promise<Integration>;
  /** Where the work was kept (branch or patch), or null if there was none. */
  shelve(attempt: Attempt, reason: string): Promise<{ readonly kept: string | null }>;
  /** Where the work of these attempts is kept, by attempt id, as far as it is; absent: not known here. */
  kept?(attempts: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Takes out what these atoms integrated; `lost`: further atoms whose work could not stand without it. */
  revert(
    atoms: readonly string[],
    reason: string,
  ): Promise<{ readonly commit: string | null; readonly lost: readonly string[] }>;
  /**
   * A clean checkout of the integrated commit, for verification. `tampered`: protected files that did not come out of
   * it as they did before this run's first attempt, or that its preparation changed. `failed`: why it could not be made
   * ready; no check says anything there.
   * @param use `set_up: false`: somebody only reads there; `signal` ends the preparation; `aligned`: the commit of the
   *    alignment instead, where there is one (the answer's `commit` says which it is)
   */
  checkout(use?: {
    readonly set_up?: boolean;
    readonly signal?: AbortSignal;
    readonly aligned?: true;
  }): Promise<Checkout>;
  /** Protected files that differ between the aligned commit and the integrated one. */
  tampered(): Promise<readonly string[]>;
  /**
   * Hands the result to the person; the sentence says where it is. `handed_over`: the commit that the person gets, where that
   * is another one than the integrated.
   * @param prepare makes a checkout usable in which the person's hooks are run
   */
  finish(
    outcome: Outcome,
    prepare?: Prepare,
  ): Promise<{ readonly message: string; readonly merged: boolean; readonly handed_over?: string }>;
  /** Removes worktrees; branches with work stay. */
  close(): Promise<void>;
}

/** A checkout beside the commit at which the goal was aligned. Paths are seen from the project; texts have a character per byte. */
export interface AlignedFiles {
  /** Differ between the two commits. */
  readonly changed: readonly string[];
  /** Of the checkout's commit. */
  readonly all: readonly string[];
  /** Null: it was not there. */
  before(path: string): Promise<string | null>;
  /** Null: it is not there. */
  now(path: string): string | null;
  /** These files get another text, null: are as they were at the alignment, until the checkout's `between` is called. */
  replace(files: ReadonlyMap<string, string | null>): Promise<void>;
}

// ── checks ──────────────────────────────────────────────────────────────────

export interface Checker {
  /**
   * Runs one mechanical check in `dir`. Never rejects.
   * @param how absent: for the first time
   */
  run(leaf: Leaf, dir: string, signal: AbortSignal, how?: Rerun): Promise<LeafResult>;
}

/**
 * Why a check is run once more. `again`: on the same files, so that the tests that decided it may be run alone; `as_agreed`:
 * files that decide are as at the alignment, and what failed there has to pass; `broken`: its tests cannot pass.
 */
export type Rerun = "again" | "as_agreed" | "broken";

/** What is left of the run's limits for the judge, beside its own. */
export interface JudgeBudget {
  /** For all its calls together. */
  readonly budget_usd?: number;
  readonly budget_tokens?: number;
  /** For each of its calls, milliseconds. */
  readonly timeout_ms?: number;
}

/** What the judge of one leaf gets beside it. */
export interface JudgeCall extends JudgeBudget {
  /** What the goal is (brief.ts). */
  readonly brief?: string;
}

export interface Judge {
  /** Called before any check runs in `dir`: what is written there afterwards is no evidence. Never rejects. */
  look?(dir: string): Promise<void>;
  /**
   * Decides an assertion or scores a quality check by reading files in `dir`. Never rejects; null: could not decide.
   * `retry_after_ms`: waiting so long can help against `unavailable`.
   */
  judge(
    leaf: Leaf,
    dir: string,
    signal: AbortSignal,
    call?: JudgeCall,
  ): Promise<LeafResult & { readonly usage?: Usage; readonly unavailable?: string; readonly retry_after_ms?: number }>;
}

/** What a verification came to. `unavailable`: the judge could not be asked, so that a null says nothing about the work. */
export interface Verification {
  readonly verdict: ChecklistVerdict;
  readonly usage?: Usage;
  readonly unavailable?: string;
  readonly retry_after_ms?: number;
  /** There is a judge, who was asked as far as the limits allowed. */
  readonly asked?: true;
  /** After `unavailable`: goes on in the same folder. What was decided stays decided; usage is that of what follows. */
  resume?(left?: JudgeBudget): Promise<Verification>;
}

/** Verifies a whole base case in a folder (SPEC section 6). */
export interface Verifier {
  /** Never rejects. */
  verify(
    baseCase: BaseCase,
    dir: string,
    signal: AbortSignal,
    given: {
      readonly env: PlaceEnvironment | undefined;
      readonly left?: JudgeBudget | undefined;
      /** What the goal is, for the judge (brief.ts). */
      readonly brief?: string | undefined;
      /** These checks were run there before. */
      readonly how?: Rerun | undefined;
      /** Items that a person confirmed. */
      readonly confirmed?: ReadonlySet<string> | undefined;
      /** Called after each command that ran; its answer is the leaf's result. */
      readonly after?: ((leaf: Leaf, result: LeafResult) => Promise<LeafResult>) | undefined;
      /** Whose tests are compared with those of its alignment; absent: no test is. */
      readonly objective?: Objective | undefined;
    },
  ): Promise<Verification>;
  readonly tests?: TestMemory;
}

/** What the tests of a loop's checks were at its alignment. A verifier without it compares none. */
export interface TestMemory {
  /** The command checks whose tests then are needed, and not known here. */
  wanted(objective: Objective): readonly Check[];
  /** Runs these checks in a folder that is as it was then, and remembers their tests. Never rejects. */
  learn(objective: Objective, checks: readonly Check[], place: LearningPlace): Promise<void>;
  /** What of a check's tests failed then; null: it named no tests. */
  failed(objective: Objective, check: Check): readonly string[] | null;
  /** How a check without a report ran then; null: it had one, or it is not known here. */
  unread(objective: Objective, check: Check): UnreadRun | null;
  /** Whether a run of some of its tests alone showed those and left others out: its report follows what it is asked for. */
  follows(check: Check): boolean;
}

type LearningPlace = { readonly dir: string; readonly env: PlaceEnvironment | undefined; readonly signal: AbortSignal };

// ── store ───────────────────────────────────────────────────────────────────

/** What somebody else did to the state file while the loop ran. */
export interface Foreign {
  /** `stop_requested` was set there; its reason. */
  readonly stop?: string;
  /** Other changes were found: where they are kept. */
  readonly note?: string;
  /** What was written is not there any more, and there is nothing to tell of it; said once. */
  readonly gone?: true;
}

/**
 * Where a loop is kept (SPEC sections 2 and 8). Synchronous: the loop must not go on before it is on disk.
 * A refusal (disk full, read-only) stops the run; the old file stands.
 */
export interface Store {
  /** Durable when it returns. */
  append(lines: readonly JournalLine[]): Result<null>;
  /** Writes the state file whole. */
  save(state: State): Result<Foreign>;
  /** Looks for changes that somebody else made; cheap when there are none. */
  look(): Foreign;
}

// ── time ────────────────────────────────────────────────────────────────────

export interface Clock {
  /** ISO 8601, milliseconds. */
  now(): string;
  /** Milliseconds on a clock that never jumps. */
  monotonic(): number;
  /** Calls `then` once after `ms` milliseconds; the answer cancels it. */
  after(ms: number, then: () => void): () => void;
}
