/**
 * The loop's ports, which adapters implement; two more are in confinement.ts and engine.ts. Contracts of all:
 * an expected failure is a value; a rejected promise is a defect and stops the run; nothing outlives `close()`.
 */
import type { Nogood, Revert, Usage } from "../core/event.ts";
import type { Attempt, Role, Work } from "../core/effect.ts";
import type { JournalLine } from "../core/journal.ts";
import type { Result } from "../core/problem.ts";
import type { Atom, BaseCase, Binding, Check, Objective, Outcome, State } from "../core/state.ts";
import type { RedRun } from "../core/test-report.ts";
import type { ChecklistVerdict, Leaf, LeafResult } from "../core/verdict.ts";
import type { AlignedFiles, Rerun } from "../verdict/agreed-files.ts";

// ── agents ──────────────────────────────────────────────────────────────────

export interface AgentRequest {
  readonly role: Role;
  /** Identifies the call in logs and recordings: attempt id, or `judge:<item>`, `planner:<n>`. */
  readonly call: string;
  readonly atom?: Pick<Atom, "id" | "description" | "criteria">;
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
  /** Upper limit of the call's cost, for agents that accept one. */
  readonly budget_usd?: number;
  /** Upper limit of input and output tokens together, for agents that accept one. */
  readonly budget_tokens?: number;
  /** Present in a second call: the first answer (shortened), and what was wrong with it. */
  readonly repair?: { readonly answer: string; readonly problem: string; readonly session?: string };
  /** File for the agent's raw output (the adapter bounds its size). */
  readonly log_file?: string;
  /** Further environment variables of its processes. */
  readonly env?: PlaceEnvironment;
}

/** Environment variables of one working folder: the network ports it may use. */
export type PlaceEnvironment = Readonly<Record<string, string>>;

/** `agent`: who answered, if several agents could have. */
export type AgentAnswer = { readonly agent?: string } &
  /** `value` is the JSON object that the agent gave, not validated. */
  (
    | { readonly kind: "answer"; readonly value: unknown; readonly usage?: Usage; readonly session?: string }
    /** Ran, but gave no JSON object. `text`: what it said, shortened. */
    | {
        readonly kind: "unreadable";
        readonly text: string;
        readonly problem: string;
        readonly usage?: Usage;
        readonly session?: string;
      }
    | { readonly kind: "failed"; readonly reason: string; readonly timed_out?: boolean; readonly usage?: Usage }
    /** Not the atom's fault: not installed, not logged in, rate limited. `retry_after_ms`: only if waiting can help. */
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
  /** Upper bound of one call's cost in USD, if known. */
  readonly max_call_usd?: number;
  /** Never rejects. Settles soon after `signal` aborts, with no process of the call left. */
  call(request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer>;
  /** Whether it can be used on this machine; the reason names the next step. Costs nothing. */
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

/** Work that was not integrated. */
export interface KeptWork {
  /** Its branch or patch. */
  readonly name: string;
  /** Can be read wherever an attempt works; absent: it is in no commit. */
  readonly commit?: string;
  /** What it changed, as a patch. */
  readonly diff?: string;
}

/** What prompts say of the repository and of the place of work; what is absent is not known. */
export interface PlaceFacts {
  /** Files, and folders as globs, that decide checks and count as they were agreed (SPEC section 6). */
  readonly deciding?: readonly string[];
  /** Its own commands, a sentence each. */
  readonly repository?: readonly string[];
  /** Subjects of its last commits of work, the newest first. */
  readonly subjects?: readonly string[];
  /** What the network reaches, in a sentence. */
  readonly network?: string;
  /** What is installed and run by itself, in a sentence. */
  readonly set_up?: string;
}

export type Integration =
  /** `commit` null: the attempt changed no file. `files`: those it changed, relative to the root. */
  | {
      readonly kind: "integrated";
      readonly commit: string | null;
      readonly files: readonly string[];
      /** Files of the attempt that git ignores and no commit holds; `message`: where they are. */
      readonly ignored?: { readonly files: readonly string[]; readonly message: string };
    }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  | { readonly kind: "protected"; readonly files: readonly string[] }
  /** The work cannot be read (its folder is gone, or a file cannot be committed): the attempt has failed. */
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
  /** What its preparation made of the files is what `between` restores. @returns protected ones that it changed */
  settle?(copied: readonly string[]): Promise<readonly string[]>;
  /**
   * To be called after each check that ran: restores the commit's files. `stuck`: files that could not be restored;
   * `tampered`: changed files that are protected.
   */
  between?(): Promise<Readonly<Record<"put_back" | "stuck" | "tampered", readonly string[]>>>;
  /** Its files compared with those of the alignment; absent: unknown. */
  readonly agreed?: AlignedFiles;
  /**
   * Makes the commits that the person gets, running their commit hooks.
   * @param prepare prepares a checkout for the hooks
   * @returns the last commit if hooks changed a message, with the checkout moved to it; null: unchanged, or not possible
   */
  handed?(prepare?: Prepare): Promise<string | null>;
  /**
   * Files of the person's own checkout that changed during the run and that these checks may have read instead of the
   * commit's. Absent: checks cannot read there.
   */
  strayed?(checks: BaseCase): Promise<readonly string[]>;
  release(): Promise<void>;
}

/** Prepares a checkout (installs, builds). */
export type Prepare = (place: Checkout) => Promise<Checkout>;

/**
 * Gives attempts a folder to work in, and integrates or keeps their work (SPEC section 7).
 * PORTS-1 work that is not integrated is kept as a branch, never lost;
 * PORTS-2 an integrated attempt changed no protected file;
 * PORTS-3 integrations and reverts are serial, in call order;
 * PORTS-4 the person's own checkout is touched only by `finish`, and only by a fast-forward.
 */
export interface Workspace {
  /** Cleans up after a crash; returns what the integration branch holds of this loop. */
  open(): Promise<{
    readonly base: string | null;
    readonly tip: string | null;
    readonly integrated: readonly IntegratedWork[];
    /** Every revert, oldest first. */
    readonly reverts: readonly Revert[];
    readonly notes: readonly string[];
  }>;
  /**
   * `failed`: why the folder could not be prepared. No agent is started in it then, and it is shelved like any other.
   * @param signal ends the preparation; the result is ignored then
   */
  start(
    attempt: Attempt,
    signal?: AbortSignal,
  ): Promise<{ readonly dir: string; readonly env?: PlaceEnvironment; readonly failed?: string }>;
  integrate(attempt: Attempt, work: Work & { readonly description: string }): Promise<Integration>;
  /** Keeps the work; `kept`: the branch or patch that holds it, null if there was none. */
  shelve(attempt: Attempt, reason: string): Promise<{ readonly kept: string | null }>;
  /** Branch or patch by attempt id, for those attempts that have one. */
  kept?(attempts: readonly string[]): Promise<ReadonlyMap<string, KeptWork>>;
  /** Takes out what these atoms integrated; `lost`, `gone` as in `work_reverted`. */
  revert(
    atoms: readonly string[],
    reason: string,
  ): Promise<{ readonly commit: string | null; readonly lost: readonly string[]; readonly gone?: readonly string[] }>;
  /**
   * A clean checkout of the integrated commit, for verification. `tampered`: protected files that differ from those before
   * this run's first attempt, or that its preparation changed. `failed`: why it could not be prepared; no check result
   * counts then.
   * @param use `set_up: false`: for reading only; `signal` ends the preparation; `aligned`: the commit of the alignment
   *    instead, if there is one (the result's `commit` says which)
   */
  checkout(use?: {
    readonly set_up?: boolean;
    readonly signal?: AbortSignal;
    readonly aligned?: true;
  }): Promise<Checkout>;
  /**
   * Hands the result to the person. `message` says where it is; `handed_over`: the commit that the person gets, if it is not
   * the integrated one.
   * @param prepare prepares a checkout for the person's commit hooks
   */
  finish(
    outcome: Outcome,
    prepare?: Prepare,
  ): Promise<{ readonly message: string; readonly merged: boolean; readonly handed_over?: string }>;
  /** Removes slots; branches with work stay. */
  close(): Promise<void>;
}

// ── checks ──────────────────────────────────────────────────────────────────

export interface Checker {
  /**
   * Runs one mechanical check in `dir`. Never rejects.
   * @param how absent: the first run
   */
  run(leaf: Leaf, dir: string, signal: AbortSignal, how?: Rerun): Promise<LeafResult>;
}

/** What is left of the run's limits, which apply to the judge besides its own. */
export interface JudgeBudget {
  /** For all its calls together. */
  readonly budget_usd?: number;
  readonly budget_tokens?: number;
  /** For each of its calls, milliseconds. */
  readonly timeout_ms?: number;
}

/** What the judge gets besides the leaf. */
export interface JudgeCall extends JudgeBudget {
  /** The goal (brief.ts). */
  readonly brief?: string;
  /** Against what its files are held. */
  readonly since?: AlignedFiles;
}

export interface Judge {
  /** Called before any check runs in `dir`: files written later are no evidence. Never rejects. */
  look?(dir: string): Promise<void>;
  /**
   * Decides an assertion or scores a quality check by reading files in `dir`. Never rejects. `passed` null: undecided;
   * `retry_after_ms`: after that wait an `unavailable` judge may answer.
   */
  judge(
    leaf: Leaf,
    dir: string,
    signal: AbortSignal,
    call?: JudgeCall,
  ): Promise<LeafResult & { readonly usage?: Usage; readonly unavailable?: string; readonly retry_after_ms?: number }>;
}

/** `unavailable`: why the judge could not be asked; an undecided check then says nothing about the work. */
export interface Verification {
  readonly verdict: ChecklistVerdict;
  readonly usage?: Usage;
  readonly unavailable?: string;
  readonly retry_after_ms?: number;
  /** There is a judge, and it was asked as far as the limits allowed. */
  readonly asked?: true;
  /** After `unavailable`: goes on in the same folder, keeping what was decided. Its `usage` counts only the new calls. */
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
      /** The goal, for the judge (brief.ts). */
      readonly brief?: string | undefined;
      readonly since?: JudgeCall["since"] | undefined;
      /** Present: these checks were run there before. */
      readonly how?: Rerun | undefined;
      /** Checklist items that a person confirmed. */
      readonly confirmed?: ReadonlySet<string> | undefined;
      /** What a judge decided of a leaf on the same files: it is not asked again. */
      readonly judged?: ((leaf: Leaf) => LeafResult | undefined) | undefined;
      /** Why, where neither `how` says it nor it is for a verdict. */
      readonly why?: "before_work" | undefined;
      /** Called before each command. */
      readonly before?: ((leaf: Leaf) => void) | undefined;
      /** Called after each command that ran; what it returns becomes the result. */
      readonly after?: ((leaf: Leaf, result: LeafResult) => Promise<LeafResult>) | undefined;
      /** Its tests are compared with those of the alignment; absent: none are. */
      readonly objective?: Objective | undefined;
    },
  ): Promise<Verification>;
  readonly tests?: TestMemory;
}

/** Remembers the tests that a loop's checks ran at its alignment. */
export interface TestMemory {
  /** Command checks whose tests at the alignment are needed but not known. */
  wanted(objective: Objective): readonly Check[];
  /** Runs these checks in a folder as at the alignment, and remembers their tests. Never rejects. */
  learn(objective: Objective, checks: readonly Check[], place: LearningPlace): Promise<void>;
  /** The check's tests that failed at the alignment; null: it named no tests. */
  failed(objective: Objective, check: Check): readonly string[] | null;
  /** How a check ran at the alignment; null: it is not known. */
  redRun(objective: Objective, check: Check): RedRun | null;
}

type LearningPlace = { readonly dir: string; readonly env: PlaceEnvironment | undefined; readonly signal: AbortSignal };

// ── store ───────────────────────────────────────────────────────────────────

/** Changes that someone else made to the state file during the run. */
export interface Foreign {
  /** Reason of a `stop_requested` that was set there. */
  readonly stop?: string;
  /** Other changes were found: a message that says where they are kept. */
  readonly note?: string;
  /** The run's own text is not in the file any more, and there is nothing to report; set once. */
  readonly gone?: true;
}

/**
 * Writes journal and state file (SPEC sections 2 and 8). Synchronous: the loop must not go on before they are on disk.
 * A failure (disk full, read-only) stops the run and leaves the old file.
 */
export interface Store {
  /** Durable when it returns. */
  append(lines: readonly JournalLine[]): Result<null>;
  /** Replaces the state file. */
  save(state: State): Result<Foreign>;
  /** Looks for changes by others; cheap if there are none. */
  look(): Foreign;
}

// ── time ────────────────────────────────────────────────────────────────────

export interface Clock {
  /** ISO 8601, milliseconds. */
  now(): string;
  /** Milliseconds on a clock that never jumps. */
  monotonic(): number;
  /** Calls `then` once after `ms` milliseconds; returns a function that cancels it. */
  after(ms: number, then: () => void): () => void;
}
