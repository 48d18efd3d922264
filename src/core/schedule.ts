/**
 * What runs next (SPEC sections 4 and 5).
 *
 * SCHEDULE-1 at no time do more than `parallel` agents work;
 * SCHEDULE-2 an iteration is a batch of at most `parallel` attempts, at most one of each atom, and its number is in the state
 *    before its first attempt is asked for: fuel is debited before it is spent;
 * SCHEDULE-3 no slot is idle while an atom is executable and fuel is left;
 * SCHEDULE-4 two atoms whose `touches` overlap do not run side by side, nor an alternative beside an attempt
 *    that is still being killed. Files in which attempts conflicted are taken for those of an atom that names none, while
 *    most atoms whose files are known touch them;
 * SCHEDULE-5 while the base case is checked nothing is integrated and nothing is started, and while work is being
 *    taken out nothing is started (`advance.ts`).
 */
import type { Standing } from "./converge.ts";
import { attemptId, type Nogood } from "./event.ts";
import { areRivals, deadGroupOf, isCounted, isMet } from "./fate.ts";
import { formatDuration, type Limits } from "./fuel.ts";
import { idAt, indexIn, listAt, NONE, numberAt, subtreeOf, isContainer, type Graph } from "./graph.ts";
import {
  activeMs,
  currentVerdict,
  isAskedAbout,
  limitsIn,
  memoryOf,
  type Loop,
  type OpenIteration,
  type RunningAttempt,
} from "./loop.ts";
import { comparedWith } from "./progress.ts";
import { overlap } from "./touches.ts";
import { addAttempt, replaceAttempt, setControl, setMemory, setRun, type StepDraft } from "./step-draft.ts";
import { executableOf, withAtom } from "./view.ts";
import { checkNodesOf, failingLeaves, isMechanical, type ChecklistVerdict } from "./verdict.ts";
import { at } from "./vec.ts";
import type { State } from "./state.ts";

/** Lets attempts that succeeded into the integration branch, one at a time per race. */
export function releaseHeld(draft: StepDraft): void {
  for (const running of draft.loop.run.attempts) {
    if (running.phase !== "held" || hasRivalIntegrating(draft.loop, running)) continue;
    replaceAttempt(draft, running, { ...running, phase: "integrating" });
    const { phase: _, discarded: __, ...work } = running;
    draft.effects.push({ type: "integrate", ...work });
  }
}

function hasRivalIntegrating(loop: Loop, running: RunningAttempt): boolean {
  const { graph } = loop.view;
  const index = indexIn(graph, running.attempt.atom);
  return loop.run.attempts.some(
    (other) => other.phase === "integrating" && areRivals(graph, index, indexIn(graph, other.attempt.atom)),
  );
}

/** Fills the free slots (SCHEDULE-1 to 4). */
export function fillSlots(draft: StepDraft): void {
  const limits = limitsIn(draft.loop);
  let working = draft.loop.run.attempts.filter(({ phase }) => phase === "working").length;
  while (working < limits.parallel) {
    const next = nextAtom(draft, limits);
    if (next === null) return;
    if (next.opens) openIteration(draft);
    startAttempt(draft, next.index);
    working++;
  }
}

/** Whether the atom has had its attempt in this iteration (SCHEDULE-2). */
export function isIn({ view }: Loop, { atoms }: OpenIteration, index: number): boolean {
  return atoms.includes(idAt(view.graph, index));
}

/** Who gets the next attempt: of the open iteration while it has some left, else of the next one (SCHEDULE-2). */
function nextAtom(
  { loop }: StepDraft,
  { parallel, max_iterations }: Limits,
): { readonly index: number; readonly opens: boolean } | null {
  const last = loop.run.iterations.at(-1);
  const { iteration } = loop.state.control;
  const free = startable(loop);
  if (last !== undefined && last.number === iteration && last.issued < parallel) {
    const index = free.find((one) => !isIn(loop, last, one));
    if (index !== undefined) return { index, opens: false };
  }
  const [first] = free;
  return first === undefined || iteration >= max_iterations ? null : { index: first, opens: true };
}

/** SCHEDULE-2. */
function openIteration(draft: StepDraft): void {
  const compared = comparedWith(draft.loop.state.control);
  const iteration = draft.loop.state.control.iteration + 1;
  setControl(draft, { iteration });
  const open: OpenIteration = { ...compared, number: iteration, issued: 0, running: 0, interrupted: 0, atoms: [] };
  setRun(draft, { iterations: [...draft.loop.run.iterations, open] });
  draft.facts.push({ fact: "iteration_opened", iteration });
}

function startAttempt(draft: StepDraft, index: number): void {
  const atom = at(draft.loop.state.atoms, index);
  const memory = memoryOf(draft.loop.run, atom.id);
  const role = atom.probe === true && memory.findings === undefined ? "probe" : "worker";
  const number = memory.attempts + 1;
  const iteration = draft.loop.state.control.iteration;
  const attempt = { id: attemptId(atom.id, number), atom: atom.id, role, number, iteration } as const;
  setMemory(draft, atom.id, { attempts: number });
  draft.loop.state = withAtom(draft.loop.state, index, { status: "in_progress" });
  addAttempt(draft, attempt);
  draft.facts.push({ fact: "attempt_started", attempt: attempt.id, atom: atom.id, iteration, role });
  draft.effects.push({
    type: "start_attempt",
    attempt,
    nogoods: [...lessonsOfRivals(draft.loop, index), ...memory.nogoods].slice(-MOST_LESSONS),
    ...(memory.findings === undefined ? {} : { findings: memory.findings }),
  });
}

const MOST_LESSONS = 8;

/**
 * Why the alternatives were given up, of every choice an atom is at or below, and why attempts of what it was split
 * from failed (SPEC section 7, nogoods).
 */
function lessonsOfRivals(loop: Loop, index: number): readonly Nogood[] {
  const { graph } = loop.view;
  const lessons: Nogood[] = [];
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    // Of what was split: its own attempts failed before.
    if (here !== index) lessons.unshift(...memoryOf(loop.run, idAt(graph, here)).nogoods);
    const groupIndex = numberAt(graph.groupOf, here);
    if (groupIndex === NONE) continue;
    for (const failed of at(loop.state.or_groups, groupIndex).failed) {
      const choice = graph.indexOf.get(failed);
      if (choice === undefined || choice === here) continue;
      for (const member of subtreeOf(graph, choice))
        lessons.unshift(...memoryOf(loop.run, idAt(graph, member)).nogoods);
    }
  }
  return lessons;
}

/** SCHEDULE-4: the atoms that are ready and may start beside what runs, best first. */
export function startable(loop: Loop): readonly number[] {
  const { state, run, view } = loop;
  const contested = contestedIn(loop);
  const touchedBy = (index: number): readonly string[] => at(state.atoms, index).touches ?? contested;
  return executableOf(state, view.graph).filter((index) => {
    if (isSpent(loop, index) || isAskedAbout(run, idAt(view.graph, index))) return false;
    return run.attempts.every(({ attempt, discarded }) => {
      const other = view.graph.indexOf.get(attempt.atom);
      if (other === undefined) return true;
      if (other === index || overlap(touchedBy(index), touchedBy(other))) return false;
      return !(discarded && areRivals(view.graph, index, other));
    });
  });
}

/** SCHEDULE-4: files in which attempts conflicted, and that most atoms whose files are known touch, two at least. */
function contestedIn({ state, run }: Loop): readonly string[] {
  const conflicts = state.atoms.flatMap(({ id }) => memoryOf(run, id).nogoods.flatMap(({ files = [] }) => files));
  const known = state.atoms
    .map(({ touches = [], binding }) => [...touches, ...(binding?.artifacts ?? [])])
    .filter((files) => files.length > 0);
  const touching = (file: string): number => known.filter((files) => files.includes(file)).length;
  return [...new Set(conflicts)].filter((file) => touching(file) > Math.max(1, known.length / 2));
}

export function isSpent(loop: Loop, index: number): boolean {
  return memoryOf(loop.run, idAt(loop.view.graph, index)).attempts >= limitsIn(loop).max_attempts_per_atom;
}

/** Where the loop stands. `idle`: nothing is running, so that a deadlock can be distinguished from waiting. */
export function standingOf(loop: Loop, idle: boolean): Standing {
  const { state, run, view } = loop;
  const limits = limitsIn(loop);
  const current = currentVerdict(run);
  const wrong = current === null ? [] : failingLeaves(current);
  const executable = idle && view.measure > 0 ? executableOf(state, view.graph) : [];
  const budget = budgetSpent(loop) ?? attemptsSpent(loop, executable);
  return {
    redirect_requested: run.redirects.length > 0,
    stop_requested: state.control.stop_requested,
    stop_reason: state.control.stop_reason,
    tampered: run.tampered,
    base_case: current === null ? undefined : current.passed,
    unconfirmed: current?.requires_user_confirmation === true && !run.settings.confirmed,
    in_session: typeof state.control.session_id === "string",
    strayed: run.checked?.strayed ?? [],
    failing: wrong.flatMap(({ item, evidence }) => (evidence.kind === "flaky" ? [] : [item])),
    flaky: wrong.flatMap(({ item, evidence }) => (evidence.kind === "flaky" ? [`${item} ${evidence.reason}`] : [])),
    undecided: current === null ? [] : undecidedIn(current),
    asked: loop.run.checked?.asked === true,
    measure: view.measure,
    exhausted: view.exhausted,
    deadlock: idle && view.measure > 0 && executable.length === 0 ? explainDeadlock(state, view.graph) : null,
    unavailable: run.unavailable,
    needs_person: run.needs_person,
    stall_count: state.control.stall_count,
    max_stall_count: state.objective.constraints.max_stall_count,
    iteration: state.control.iteration,
    // While an iteration is open its attempts are paid for; only opening another one is not.
    max_iterations: idle ? limits.max_iterations : Infinity,
    budget,
  };
}

/** A check that was run too seldom waits for the items that somebody has to decide, and is none of them (BELIEVED-4). */
function undecidedIn({ checklist, skipped }: ChecklistVerdict): readonly string[] {
  const open = checkNodesOf(checklist).filter(({ passed, check }) => passed === null && !isMechanical(check));
  return open.length === 0 ? skipped : open.map(({ item }) => item);
}

/** The budget that is spent, in words; null: none is. */
export function budgetSpent(loop: Loop): string | null {
  const limits = limitsIn(loop);
  if (loop.run.cost_usd >= limits.max_cost_usd)
    return `max_cost_usd, ${loop.run.cost_usd.toFixed(2)} of ${limits.max_cost_usd} USD`;
  if (loop.run.tokens >= limits.max_tokens) return `max_tokens, ${loop.run.tokens} of ${limits.max_tokens} tokens`;
  if (limits.max_duration_ms === Infinity) return null;
  const active = activeMs(loop.run);
  if (active >= limits.max_duration_ms)
    return `max_duration, ${formatDuration(active)} of ${formatDuration(limits.max_duration_ms)}`;
  return null;
}

/** The run is to be woken when the duration budget is spent: what waits for an agent then waits no longer. */
export function wakeAtDeadline(draft: StepDraft): void {
  const { max_duration_ms } = limitsIn(draft.loop);
  if (max_duration_ms === Infinity) return;
  draft.effects.push({ type: "wake_in", ms: Math.max(0, max_duration_ms - activeMs(draft.loop.run)) });
}

/** Atoms that could run but for `max_attempts_per_atom`. */
function attemptsSpent(loop: Loop, executable: readonly number[]): string | null {
  if (executable.length === 0 || !executable.every((index) => isSpent(loop, index))) return null;
  const names = executable.map((index) => idAt(loop.view.graph, index));
  return `max_attempts_per_atom, ${limitsIn(loop).max_attempts_per_atom} each for ${names.slice(0, 10).join(", ")}`;
}

/** The choices of a group beside this one. */
export function rivalsOf(loop: Loop, index: number): readonly number[] {
  const { graph } = loop.view;
  const group = numberAt(graph.groupOf, index);
  return group === NONE ? [] : listAt(graph.choices, group).filter((choice) => choice !== index);
}

/** Each unresolved atom with what it waits for; at most `most` of them. */
function explainDeadlock(state: State, graph: Graph, most = 10): string {
  const stuck = graph.ids.flatMap((_, index) =>
    isCounted(state, graph, index) && deadGroupOf(state, graph, index) === NONE ? [index] : [],
  );
  const shown = stuck
    .slice(0, most)
    .map((index) => `${idAt(graph, index)} waits for ${waitsFor(state, graph, index).join(", ") || "nothing"}`);
  const rest = stuck.length > most ? `, and ${stuck.length - most} more` : "";
  return `${shown.join("; ")}${rest}`;
}

/** Names of what is not met yet: the atom's own dependencies and those of the containers above it. */
export function waitsFor(state: State, graph: Graph, index: number): readonly string[] {
  const names: string[] = [];
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    for (const dependency of listAt(graph.dependencies, here)) {
      if (!isMet(state, graph, dependency)) names.push(describe(state, graph, dependency));
    }
  }
  if (isContainer(graph, index))
    for (const child of listAt(graph.children, index))
      if (!isMet(state, graph, child)) names.push(describe(state, graph, child));
  return [...new Set(names)];
}

function describe(state: State, graph: Graph, index: number): string {
  const id = idAt(graph, index);
  const own = numberAt(graph.groupOf, index);
  const dead = deadGroupOf(state, graph, index);
  const groupIndex = dead === NONE ? own : dead;
  if (groupIndex === NONE) return id;
  const group = at(state.or_groups, groupIndex);
  return group.selected === id ? id : `${id} (by way of ${group.selected} in ${group.name})`;
}
