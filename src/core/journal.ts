/**
 * What a journal remembers (SPEC section 8); what a line says is in journal-line.ts.
 *
 * JOURNAL-1 the state file alone is enough to go on: the journal adds fuel that is never refunded, lessons, and
 *    what a crash kept from the state file;
 * JOURNAL-2 lines of an unknown kind are kept and passed over (fold-journal.ts).
 */
import { reopenAtom } from "./backtrack.ts";
import type { AdoptedWork, Memory, Plan } from "./event.ts";
import { foldJournal, usageIn, type Projection } from "./fold-journal.ts";
import type { EntryOf, JournalLine } from "./journal-line.ts";
import { withJudged, type Judged } from "./judged.ts";
import { lastPlans, nogoodOf } from "./loop.ts";
import { lowWaterOf } from "./progress.ts";
import type { Control, State } from "./state.ts";
import { withAnswered, type Answers } from "./tree-answers.ts";
import { boardOf } from "./view.ts";

export { lineOfEvent, lineOfFact, type JournalLine, type Mark } from "./journal-line.ts";

/** What a journal tells a new run of the same loop. */
export interface Recollection {
  readonly memory: Memory;
  /** Highest iteration that was opened. */
  readonly iteration: number;
  /** Convergence after the last iteration judged since the state file was written, if one was. */
  readonly judged: {
    readonly measure: number;
    /** The lowest measure of those judged since. */
    readonly lowest: number;
    readonly stall_count: number;
  } | null;
  /** What was integrated since the state file was last written. */
  readonly integrated: readonly AdoptedWork[];
  /** Atoms that were to be done again, and were not, since the state file was last written. */
  readonly reset: readonly string[];
  /** What redirects of the stopped loop left to the next run to take out, whether they came to pass or not (lost-work.ts). */
  readonly reverts_due: readonly DueRevert[];
  /** Commits of every revert of which a line tells. */
  readonly reverted: ReadonlySet<string>;
  /** Every attempt of which a line says that it was integrated. */
  readonly settled: ReadonlySet<string>;
  /** The run that wrote the last line, if it did not end. */
  readonly unfinished: string | null;
  /** Every attempt that was started. */
  readonly started: ReadonlySet<string>;
  /** What was in doubt of the checks at the alignment. */
  readonly doubts: readonly string[];
  /** The objective as the lines told it last, and before that: as JSON, oldest first. */
  readonly goals: readonly string[];
}

/** Work to be taken out, announced before the state file says that the redirect was made. */
export interface DueRevert {
  /** Time of the redirect, as in the state's `corrections`; null: the line itself says that it was made. */
  readonly at: string | null;
  readonly atoms: readonly string[];
}

/** It holds what it answers and no more. */
export function createRecall(): Projection<Recollection> {
  return foldJournal({ blank, next: readLine, answer: answerOf });
}

type Fold = ReturnType<typeof blank>;

function blank(begun?: JournalLine) {
  const aligned = begun?.event === "aligned" ? begun : null;
  return {
    cost: 0,
    tokens: 0,
    activeMs: 0,
    runStartedAt: 0,
    lastAt: 0,
    run: null as string | null,
    /** The last run that ended. */
    ended: null as string | null,
    iteration: 0,
    judged: null as Recollection["judged"],
    attempts: new Map<string, string>(),
    counts: new Map<string, number>(),
    nogoods: [...(aligned?.lessons ?? [])],
    probed: new Map<string, string>(),
    answers: aligned === null ? ([] as Answers) : withAnswered([], aligned),
    by_judge: [] as readonly Judged[],
    trust: aligned?.trust,
    doubts: aligned?.doubts ?? [],
    plans: [] as readonly Plan[],
    /** Summary of each attempt that succeeded and is not integrated. */
    results: new Map<string, string>(),
    integrated: [] as AdoptedWork[],
    reset: new Set<string>(),
    settled: new Set<string>(),
    /** Attempts that failed, or whose result did not count any more when it came: nothing more is learnt of them. */
    over: new Set<string>(),
    revertsDue: [] as readonly DueRevert[],
    /** The run takes out what is due: its next revert is that one. */
    takingOut: false,
    reverted: new Set<string>(),
    goals: [] as readonly string[],
  };
}

const NOGOODS_REMEMBERED = 1_000;

function readLine(fold: Fold, line: JournalLine): void {
  // A run that still writes has not ended, whoever said so: its time counts.
  if (fold.run === null && fold.ended !== null && line.run === fold.ended && line.event !== "run_ended") {
    fold.run = fold.ended;
    fold.runStartedAt = fold.lastAt;
  }
  const time = Date.parse(line.time);
  if (!Number.isNaN(time)) fold.lastAt = Math.max(fold.lastAt, time);
  const { cost_usd, tokens } = usageIn(line);
  fold.cost += cost_usd ?? 0;
  fold.tokens += tokens;
  fold.iteration = Math.max(fold.iteration, line.iteration);
  if (line.objective !== undefined) fold.goals = [...fold.goals.slice(-1), line.objective];
  switch (line.event) {
    case "run_started":
      endRun(fold);
      fold.run = line.run;
      fold.runStartedAt = Number.isNaN(time) ? fold.lastAt : time;
      fold.lastAt = fold.runStartedAt;
      // A person who runs a halted loop again clears the stall count: what was judged before says nothing.
      if (line.from === "halted") fold.judged = null;
      if (line.forget_answers === true) [fold.answers, fold.by_judge] = [[], []];
      fold.trust = line.settings.trust ?? fold.trust;
      fold.takingOut = line.revert !== undefined;
      // What was announced and is not taken out now belongs to a redirect that was not made.
      if (!fold.takingOut) fold.revertsDue = [];
      // What a run adopts is integrated from here on: a redirect that opens it again must not find it adopted once more.
      for (const work of line.integrated ?? []) {
        fold.settled.add(work.attempt);
        fold.integrated.push(work);
        fold.reset.delete(work.atom);
      }
      return;
    case "run_ended":
      endRun(fold);
      fold.ended = fold.run ?? fold.ended;
      fold.run = null;
      return;
    case "attempt_started":
      fold.attempts.set(line.attempt, line.atom);
      fold.counts.set(line.atom, (fold.counts.get(line.atom) ?? 0) + 1);
      return;
    case "attempt_discarded":
      fold.over.add(line.attempt);
      return;
    case "work_succeeded":
      fold.results.set(line.attempt, line.summary);
      return;
    case "attempt_integrated": {
      const { attempt, commit, artifacts } = line;
      fold.settled.add(attempt);
      if (fold.over.has(attempt)) return;
      const atom = atomOf(fold, line);
      fold.integrated.push({ attempt, atom, commit, summary: fold.results.get(attempt) ?? "", artifacts });
      fold.results.delete(attempt);
      fold.reset.delete(atom);
      return;
    }
    case "atom_reset":
      fold.nogoods.push(...(line.lessons ?? []));
      if (line.lessons !== undefined) addDue(fold, null, [line.atom]);
      return resetAtom(fold, line.atom);
    case "revert_due":
      return addDue(fold, line.time, line.atoms);
    case "redirected":
      fold.nogoods.push(...(line.lessons ?? []));
      return addDue(fold, line.time, line.revert ?? []);
    case "reverts_done":
      for (const commit of line.commits) fold.reverted.add(commit);
      return;
    case "work_reverted":
      fold.takingOut = false;
      // What is due is taken out before anything else: this was it.
      fold.revertsDue = [];
      fold.reverted.add(line.commit ?? "");
      // The facts behind an event may be cut off by a crash, the event is whole.
      for (const atom of line.lost) resetAtom(fold, atom);
      return;
    case "state_saved":
      fold.integrated = [];
      fold.reset.clear();
      fold.judged = null;
      return;
    case "attempt_failed":
    case "split_refused":
      if (fold.over.has(line.attempt)) return;
      fold.over.add(line.attempt);
      fold.nogoods.push(nogoodOf(atomOf(fold, line), line));
      if (fold.nogoods.length > NOGOODS_REMEMBERED) fold.nogoods = fold.nogoods.slice(-NOGOODS_REMEMBERED / 2);
      return;
    case "probe_feasible":
      if (!fold.over.has(line.attempt)) fold.probed.set(atomOf(fold, line), line.findings);
      return;
    case "atoms_added":
      fold.nogoods.push(...(line.lessons ?? []));
      if (line.failing !== undefined) fold.plans = lastPlans(fold.plans, planOf(line));
      return;
    case "base_case_checked":
      fold.answers = withAnswered(withAnswered(fold.answers, line.before ?? {}), line);
      fold.by_judge = withJudged(fold.by_judge, line);
      return;
    case "iteration_judged":
      fold.judged = {
        measure: line.measure,
        lowest: Math.min(fold.judged?.lowest ?? Infinity, line.measure),
        stall_count: line.stall_count,
      };
      return;
  }
}

/** Of the atoms that a failed verdict added. */
export function planOf({ atoms, reason, failing = [] }: Omit<EntryOf<"atoms_added">, "event">): Plan {
  return { atoms: atoms.flatMap(({ id }) => id ?? []), reason, failing };
}

function addDue(fold: Fold, at: string | null, atoms: readonly string[]): void {
  if (atoms.length > 0) fold.revertsDue = [...fold.revertsDue, { at, atoms }];
}

function resetAtom(fold: Fold, atom: string): void {
  fold.integrated = fold.integrated.filter((work) => work.atom !== atom);
  fold.reset.add(atom);
}

function atomOf(fold: Fold, { attempt, atom = "" }: { readonly attempt: string; readonly atom?: string }): string {
  return fold.attempts.get(attempt) ?? atom;
}

function endRun(fold: Fold): void {
  if (fold.run !== null) fold.activeMs += Math.max(0, fold.lastAt - fold.runStartedAt);
}

function answerOf(fold: Fold): Recollection {
  const open = fold.run === null ? 0 : Math.max(0, fold.lastAt - fold.runStartedAt);
  return {
    memory: {
      cost_usd: fold.cost,
      ...(fold.tokens > 0 ? { tokens: fold.tokens } : {}),
      active_ms: fold.activeMs + open,
      attempts: Object.fromEntries(fold.counts),
      nogoods: fold.nogoods,
      probed: Object.fromEntries(fold.probed),
      ...(fold.answers.length > 0 ? { answers: fold.answers } : {}),
      ...(fold.by_judge.length > 0 ? { judged: fold.by_judge } : {}),
      ...(fold.trust === undefined ? {} : { trust: fold.trust }),
      ...(fold.plans.length > 0 ? { plans: fold.plans } : {}),
    },
    iteration: fold.iteration,
    judged: fold.judged,
    integrated: fold.integrated,
    reset: [...fold.reset],
    settled: fold.settled,
    reverts_due: fold.revertsDue,
    reverted: fold.reverted,
    unfinished: fold.run,
    doubts: fold.doubts,
    started: new Set(fold.attempts.keys()),
    goals: fold.goals,
  };
}

/**
 * The state as it was when a run died, as far as the journal knows more than the state file: no fuel is
 * refunded, the convergence count stands (SPEC sections 4 and 8), work that is gone is to be done again. What was integrated is adopted by the
 * reducer (`run_started.integrated`), which knows what follows from it.
 */
export function recovered(state: State, known: Recollection): State {
  const { control } = state;
  if (known.unfinished === null && control.status !== "running") return state;
  const { graph } = boardOf(state).view;
  const open = known.reset.reduce((so: State, atom) => {
    const index = graph.indexOf.get(atom);
    return index === undefined ? so : reopenAtom(so, graph, index);
  }, state);
  return {
    ...open,
    control: { ...control, ...judgedIn(known, control), iteration: Math.max(known.iteration, control.iteration) },
  };
}

function judgedIn({ judged }: Recollection, control: Control): Partial<Control> {
  if (judged === null) return {};
  const { measure, lowest, stall_count } = judged;
  const low = lowWaterOf(control);
  return { prev_pending_count: measure, low_water: low < 0 ? lowest : Math.min(low, lowest), stall_count };
}
