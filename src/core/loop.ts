/**
 * A running loop: the state, what follows from it, and what is under way. Everything in here can be
 * rebuilt from the state file and the journal.
 */
import type { Attempt, Effect, Fact, Work } from "./effect.ts";
import type { Memory, Nogood, Plan, RunSettings, Usage } from "./event.ts";
import { limitsOf, type Limits, type Spent } from "./fuel.ts";
import type { Judged } from "./judged.ts";
import type { Compared } from "./progress.ts";
import type { Redirect } from "./redirect.ts";
import type { Outcome, State } from "./state.ts";
import type { Answers } from "./tree-answers.ts";
import type { ChecklistVerdict } from "./verdict.ts";
import { boardOf, type View } from "./view.ts";

/**
 * `working`: its agent runs. `held`: succeeded, but must wait to be integrated (a check is running, or
 * a rival of a race is being integrated). `integrating`: on its way into the integration branch.
 */
export type Phase = "working" | "held" | "integrating";

export interface RunningAttempt extends Work {
  readonly attempt: Attempt;
  readonly phase: Phase;
  /** Its result does not count any more: a redirect, a lost race, a choice given up. */
  readonly discarded: boolean;
}

/** What the loop remembers of one atom. */
export interface AtomMemory {
  readonly attempts: number;
  readonly nogoods: readonly Nogood[];
  /** Findings of a probe that said feasible. */
  readonly findings?: string;
}

/** An iteration of which not every attempt has settled, or which still has attempts left. */
export interface OpenIteration extends Compared {
  readonly number: number;
  readonly issued: number;
  readonly running: number;
  /** How many of those issued a redirect ended: they say nothing about the iteration. */
  readonly interrupted: number;
  /** Whose attempts they are: an atom has at most one in each iteration. */
  readonly atoms: readonly string[];
}

/** A check of the base case, and on what it was done. */
export interface CheckedBaseCase {
  readonly verdict: ChecklistVerdict;
  readonly commit: string | null;
  /** As in the event. */
  readonly strayed?: readonly string[];
  /** There was a judge. */
  readonly asked?: true;
  /** It left fewer failing leaves than every verdict before. */
  readonly progress?: true;
  /** Value of `integrations` when it was started; a verdict on anything older says nothing. */
  readonly integrations: number;
}

/** `aborting`: something made it pointless; what it answers does not count. */
interface Abortable {
  readonly aborting?: true;
}

/** A check of the base case that is under way, and on which integrated tree. */
export interface RunningCheck extends Abortable {
  readonly integrations: number;
}

/** A planner call that is under way. `asking`: about one atom; the others go on. */
export type PlannerCall = Abortable &
  ({ readonly kind: "replanning" } | { readonly kind: "asking"; readonly atom: string });

/** An atom about which the planner is to be asked, and why. */
export interface Question {
  readonly atom: string;
  readonly why: string;
}

export interface Run {
  readonly id: string;
  readonly settings: RunSettings;
  readonly started_at: string;
  /** Active time of earlier runs, milliseconds. */
  readonly earlier_ms: number;
  readonly now: string;
  readonly cost_usd: number;
  readonly tokens: number;
  /** Attempts in a row whose agent died. */
  readonly deaths: number;
  /** By atom. Of atoms that were removed, too: one that takes over the id goes on counting, so that attempt ids stay unique. */
  readonly memory: ReadonlyMap<string, AtomMemory>;
  readonly iterations: readonly OpenIteration[];
  readonly attempts: readonly RunningAttempt[];
  /** At most one check at a time, and beside it at most one planner call. */
  readonly check: RunningCheck | null;
  readonly planner: PlannerCall | null;
  /** Asked one after the other; until then none of these atoms is attempted. */
  readonly questions: readonly Question[];
  /** With verify_each: an iteration was judged and not checked yet. */
  readonly check_due: boolean;
  readonly checked: CheckedBaseCase | null;
  /** What the checks answered, by tree, in all runs. */
  readonly answers: Answers;
  /** What a judge decided, by leaf and tree, in all runs. */
  readonly judged: readonly Judged[];
  /** The last plans after failed verdicts, in all runs, oldest first. */
  readonly plans: readonly Plan[];
  /** Counts everything that changed the integrated tree. */
  readonly integrations: number;
  /** Reverts that were asked for and not answered. */
  readonly reverting: number;
  readonly redirects: readonly Redirect[];
  /** Nothing is started; what is under way goes on, and lands. */
  readonly held: boolean;
  readonly tampered: readonly string[];
  readonly unavailable: string | null;
  /** What only a person can do, as the planner said it. */
  readonly needs_person: string | null;
  readonly halted: Outcome | null;
}

export interface Loop {
  readonly state: State;
  readonly view: View;
  readonly run: Run;
}

export interface Step {
  readonly loop: Loop;
  readonly effects: readonly Effect[];
  readonly facts: readonly Fact[];
}

const NOTHING_REMEMBERED: AtomMemory = { attempts: 0, nogoods: [] };

/** A loop that has not started: `step` takes it to work with `run_started`. */
export function createLoop(state: State): Loop {
  return { ...boardOf(state), run: createRun() };
}

/** How every run begins, but for what the loop remembers and was given. */
export function createRun(): Run {
  return {
    id: "",
    settings: { verify_each: false, confirmed: false },
    started_at: "",
    earlier_ms: 0,
    now: "",
    cost_usd: 0,
    tokens: 0,
    deaths: 0,
    memory: new Map(),
    iterations: [],
    attempts: [],
    check: null,
    planner: null,
    questions: [],
    check_due: false,
    checked: null,
    answers: [],
    judged: [],
    plans: [],
    integrations: 0,
    reverting: 0,
    redirects: [],
    held: false,
    tampered: [],
    unavailable: null,
    needs_person: null,
    halted: null,
  };
}

/** Whether the planner is asked about this atom, or will be. */
export function isAskedAbout({ planner, questions }: Run, atom: string): boolean {
  return (planner?.kind === "asking" && planner.atom === atom) || questions.some((request) => request.atom === atom);
}

/** Limits in force. */
export function limitsIn({ state, run: { settings } }: Loop): Limits {
  return limitsOf(state.objective.constraints, settings);
}

/** The verdict on what is integrated now; null: that was not checked yet. */
export function currentVerdict(run: Run): ChecklistVerdict | null {
  return run.checked !== null && run.checked.integrations === run.integrations ? run.checked.verdict : null;
}

/** Milliseconds this loop has been worked, all runs together. */
export function activeMs(run: Run): number {
  return run.earlier_ms + Math.max(0, Date.parse(run.now) - Date.parse(run.started_at));
}

/** What the loop has spent, all runs together. */
export function spentBy(loop: Loop): Spent {
  return {
    cost_usd: loop.run.cost_usd,
    active_ms: activeMs(loop.run),
    attempts: (atom) => memoryOf(loop.run, atom).attempts,
  };
}

export function remembered(memory: Memory, loop: Loop): Run {
  const known = new Map<string, AtomMemory>();
  const change = (atom: string, merge: (known: AtomMemory) => AtomMemory): void =>
    void known.set(atom, merge(known.get(atom) ?? NOTHING_REMEMBERED));
  for (const [atom, attempts] of Object.entries(memory.attempts)) change(atom, (known) => ({ ...known, attempts }));
  for (const [atom, findings] of Object.entries(memory.probed)) change(atom, (known) => ({ ...known, findings }));
  for (const nogood of memory.nogoods)
    change(nogood.atom, (known) => ({ ...known, nogoods: lastNogoods(known.nogoods, nogood) }));
  return {
    ...loop.run,
    memory: known,
    cost_usd: memory.cost_usd,
    tokens: memory.tokens ?? 0,
    earlier_ms: memory.active_ms,
    answers: memory.answers ?? [],
    judged: memory.judged ?? [],
    plans: memory.plans ?? [],
  };
}

/** The loop whose atoms know these lessons. Of an atom that is gone nothing is kept. */
export function withLessons(loop: Loop, lessons: readonly Nogood[]): Loop {
  const { indexOf } = loop.view.graph;
  const learn = (run: Run, lesson: Nogood): Run => {
    const known = memoryOf(run, lesson.atom);
    return remembering(run, lesson.atom, { nogoods: lastNogoods(known.nogoods, lesson) });
  };
  return { ...loop, run: lessons.filter(({ atom }) => indexOf.has(atom)).reduce(learn, loop.run) };
}

/** How many plans after failed verdicts are handed on. */
const PLANS_KEPT = 5;

export function lastPlans(known: readonly Plan[], plan: Plan): readonly Plan[] {
  return [...known, plan].slice(-PLANS_KEPT);
}

/** What the next attempts are told of one that failed. */
export function nogoodOf(atom: string, { attempt, reason, evidence, files }: Omit<Nogood, "atom">): Nogood {
  return { atom, attempt, reason, ...(evidence && { evidence }), ...(files && { files }) };
}

/** How many earlier failures of one atom are handed on: the last ones, and the first that shows evidence. */
const NOGOODS_KEPT = 5;

export function lastNogoods(known: readonly Nogood[], nogood: Nogood): readonly Nogood[] {
  const all = [...known, nogood];
  const last = all.slice(-NOGOODS_KEPT);
  const shown = all.find(({ evidence }) => evidence !== undefined);
  return shown === undefined || last.includes(shown) ? last : [shown, ...last.slice(1)];
}

/** What was spent once this came on top; an agent that tells nonsense spends nothing. */
export function charged(cost_usd: number, usage: Usage | undefined): number {
  return usage?.cost_usd === undefined || !(usage.cost_usd > 0) ? cost_usd : cost_usd + usage.cost_usd;
}

/** Input and output together, as far as they were reported; nonsense counts nothing. */
export function tokensOf(usage: Usage | undefined): number {
  const reported = (figure: number | undefined): number => (figure !== undefined && figure > 0 ? figure : 0);
  return reported(usage?.input_tokens) + reported(usage?.output_tokens);
}

/** The loop with another state, and what follows from it. */
export function withState({ run }: Loop, state: State): Loop {
  return { ...boardOf(state), run };
}

export function memoryOf({ memory }: Run, atom: string): AtomMemory {
  return memory.get(atom) ?? NOTHING_REMEMBERED;
}

/** The run that remembers more, or something else, of an atom. */
export function remembering(run: Run, atom: string, change: Partial<AtomMemory>): Run {
  return { ...run, memory: new Map(run.memory).set(atom, { ...memoryOf(run, atom), ...change }) };
}
