/**
 * The reducer: what an event does to a loop, and what the world has to do next. No clock, no I/O; the
 * same loop and event give the same step. Replaying a journal's events gives the loop again.
 *
 * The invariants C1-C3, B1-B3, S1-S5, R1-R3, V1-V4 and F1-F2 stand in the headers of the files that
 * keep them; ARCHITECTURE.md lists them all.
 */
import {
  applyChange,
  addNogood,
  askRevert,
  discard,
  putBack,
  replaceAttempt,
  restructure,
  setControl,
  setMemory,
  setRun,
  setState,
  settle,
  type Turn,
} from "./turn.ts";
import { failAtom, reopenAtom, resetSubtree, select } from "./backtrack.ts";
import { decide } from "./converge.ts";
import { addAtoms, decompose } from "./decompose.ts";
import type { Event, FailureKind } from "./event.ts";
import { isExecutable, isLive, isRacing, isTaken } from "./fate.ts";
import { idAt, indexIn, isContainer, numberAt, subtreeOf } from "./graph.ts";
import { charged, currentVerdict, limitsIn, remembered, type Loop, type RunningAttempt, type Step } from "./loop.ts";
import { applyRedirect } from "./apply-redirect.ts";
import { fillSlots, isSpent, judgeSettled, releaseHeld, rivalsOf, standingOf } from "./schedule.ts";
import { INITIAL_CONTROL, type Binding, type Outcome } from "./state.ts";
import { failingLeaves, type LeafVerdict } from "./verdict.ts";
import { executableOf, offered, resolveAtom, settleContainers } from "./view.ts";
import { at, toArray, vecOf } from "./vec.ts";

/** SPEC section 4: all transitions are functions of (loop, event); the event carries the time. */
export function step(loop: Loop, event: Event): Step {
  if (loop.run.halted !== null && event.type !== "run_started") return { loop, effects: [], facts: [] };
  const turn: Turn = {
    loop: { ...loop, run: { ...loop.run, now: event.at } },
    now: event.at,
    effects: [],
    facts: [],
  };
  handle(turn, event);
  advance(turn);
  return { loop: turn.loop, effects: turn.effects, facts: turn.facts };
}

function handle(turn: Turn, event: Event): void {
  if ("usage" in event) setRun(turn, charged(turn.loop.run, event.usage));
  if ("attempt" in event) {
    const running = turn.loop.run.attempts.find((candidate) => candidate.attempt.id === event.attempt);
    if (running !== undefined && isTimely(running, event)) handleAttempt(turn, running, event);
    return;
  }
  switch (event.type) {
    case "run_started":
      return start(turn, event);
    case "work_reverted":
      return reverted(turn, event.lost);
    case "base_case_checked":
      return checked(turn, event);
    case "replanned":
      return replanned(turn, event);
    case "background_aborted":
      return setRun(turn, { background: { kind: "none" } });
    case "stop_requested":
      return setControl(turn, {
        stop_requested: true,
        stop_reason: event.reason === "" ? turn.loop.state.control.stop_reason : event.reason,
      });
    case "redirect_requested":
      setControl(turn, { redirect_requested: true });
      return setRun(turn, { redirects: [...turn.loop.run.redirects, event.redirect] });
    case "tampered":
      return setRun(turn, { background: { kind: "none" }, tampered: event.files });
    case "time_passed":
      return;
  }
}

// ── starting ────────────────────────────────────────────────────────────────

function start(turn: Turn, event: Extract<Event, { type: "run_started" }>): void {
  const { state } = turn.loop;
  // An orphan of a run that died is pending again (SPEC section 8).
  const atoms = toArray(state.atoms).map((atom) =>
    atom.status === "in_progress" ? { ...atom, status: "pending" as const } : atom,
  );
  const cleared =
    event.from === "halted" ? { stop_requested: false, stop_reason: null, outcome: null, stall_count: 0 } : {};
  const control = {
    ...INITIAL_CONTROL,
    ...state.control,
    ...cleared,
    status: "running" as const,
    redirect_requested: turn.loop.run.redirects.length > 0,
  };
  restructure(turn, settleContainers({ ...state, atoms: vecOf(atoms), control }).board.state);
  setRun(turn, {
    ...remembered(event.memory, turn.loop),
    id: event.run,
    settings: event.settings,
    started_at: event.at,
    iterations: [],
    attempts: [],
    background: { kind: "none" },
    check_due: false,
    checked: null,
    reverting: 0,
    tampered: [],
    unavailable: null,
    halted: null,
  });
  for (const work of event.integrated ?? [])
    adopt(turn, work.atom, { summary: work.summary, artifacts: work.artifacts });
  const { max_duration_ms } = limitsIn(turn.loop);
  if (Number.isFinite(max_duration_ms))
    turn.effects.push({
      type: "wake_in",
      ms: Math.max(0, max_duration_ms - event.memory.active_ms),
    });
}

/**
 * Work that the integration branch holds although the state did not say so: a crash came between the two.
 * That of a choice given up meanwhile is taken out (B2): its revert was asked for and not done.
 */
function adopt(turn: Turn, atom: string, binding: Binding): void {
  const { state, view } = turn.loop;
  const index = view.graph.indexOf.get(atom);
  if (index === undefined || at(state.atoms, index).status === "resolved" || isContainer(view.graph, index)) return;
  if (isLive(state, view.graph, index) || isRacing(state, view.graph, index)) return resolve(turn, index, binding);
  askRevert(turn, [atom], `${atom} stands at or below a choice that was given up`);
}

// ── attempts ────────────────────────────────────────────────────────────────

type AttemptEvent = Extract<Event, { attempt: string }>;

/** An agent is heard while it works, the workspace while it integrates; what comes later changes nothing. */
function isTimely(running: RunningAttempt, event: AttemptEvent): boolean {
  if (event.type === "attempt_failed") return running.phase !== "held";
  return running.phase === (event.type === "attempt_integrated" ? "integrating" : "working");
}

function handleAttempt(turn: Turn, running: RunningAttempt, event: AttemptEvent): void {
  if (running.discarded) return dropped(turn, running, event);
  switch (event.type) {
    case "work_succeeded":
      return replaceAttempt(turn, running, {
        phase: "held",
        summary: event.summary,
        artifacts: event.artifacts,
      });
    case "attempt_integrated":
      return integrated(turn, running, event.artifacts);
    case "attempt_failed":
      return failed(turn, running, event.kind, event.reason);
    case "work_split":
      return split(turn, running, event);
    case "probe_feasible":
      release(turn, running, "probed");
      return setMemory(turn, running.attempt.atom, { findings: event.findings });
    case "attempt_aborted":
      return release(turn, running, "aborted");
    case "agent_unavailable":
      release(turn, running, event.reason);
      return setRun(turn, { unavailable: event.reason });
  }
}

/** The end of an attempt whose result does not count any more. */
function dropped(turn: Turn, running: RunningAttempt, event: AttemptEvent): void {
  settle(turn, running);
  if (event.type !== "attempt_integrated")
    turn.effects.push({ type: "shelve", attempt: running.attempt, reason: "discarded" });
}

/** The attempt ends without a result and without blame; the atom waits for its next one. */
function release(turn: Turn, running: RunningAttempt, reason: string): void {
  settle(turn, running);
  turn.effects.push({ type: "shelve", attempt: running.attempt, reason });
  putBack(turn, running.attempt.atom);
}

function integrated(turn: Turn, running: RunningAttempt, artifacts: readonly string[]): void {
  settle(turn, running);
  setRun(turn, { integrations: turn.loop.run.integrations + 1 });
  resolve(turn, indexIn(turn.loop.view.graph, running.attempt.atom), {
    summary: running.summary,
    artifacts,
  });
}

/** Resolves an atom; the winner of a race is selected first, and its rivals are discarded. */
function resolve(turn: Turn, index: number, binding: Binding): void {
  const { graph } = turn.loop.view;
  const id = idAt(graph, index);
  if (!isTaken(turn.loop.state, graph, index)) winRace(turn, index, id);
  const { board, resolved } = resolveAtom(turn.loop, index, binding);
  turn.loop = { ...turn.loop, ...board };
  for (const done of resolved) {
    turn.facts.push({
      fact: "atom_resolved",
      atom: idAt(graph, done),
      measure: board.view.measure,
    });
    const beside = new Set(rivalsOf(turn.loop, done).flatMap((rival) => subtreeOf(graph, rival)));
    if (beside.size === 0) continue;
    for (const running of turn.loop.run.attempts) {
      const other = graph.indexOf.get(running.attempt.atom);
      if (other !== undefined && beside.has(other)) abandon(turn, running, `${idAt(graph, done)} was adopted`);
    }
  }
}

/** Discards a rival's attempt; its atom is pending again (an alternative that was not needed). */
function abandon(turn: Turn, running: RunningAttempt, reason: string): void {
  discard(turn, running, reason);
  putBack(turn, running.attempt.atom);
}

function winRace(turn: Turn, index: number, id: string): void {
  const { graph } = turn.loop.view;
  const group = at(turn.loop.state.or_groups, numberAt(graph.groupOf, index));
  const former = indexIn(graph, group.selected);
  applyChange(turn, resetSubtree(turn.loop.state, graph, former), `${id} was adopted`);
  const selection = select(turn.loop.state, graph, group.name, id, `${id} won the race`, turn.now);
  restructure(turn, selection.state);
  turn.facts.push(...selection.facts);
}

function failed(turn: Turn, running: RunningAttempt, kind: FailureKind, reason: string): void {
  const { attempt } = running;
  settle(turn, running);
  turn.effects.push({ type: "shelve", attempt, reason });
  addNogood(turn, { atom: attempt.atom, attempt: attempt.id, reason });
  const index = indexIn(turn.loop.view.graph, attempt.atom);
  const change = failAtom(
    turn.loop.state,
    turn.loop.view.graph,
    index,
    { reason, retry: kind === "conflict", spent: isSpent(turn.loop, index) },
    turn.now,
  );
  if (change.facts.length > 0) return applyChange(turn, change, reason);
  setState(turn, change.state);
  turn.loop = { ...turn.loop, view: offered(turn.loop.view, index) };
}

function split(turn: Turn, running: RunningAttempt, event: Extract<Event, { type: "work_split" }>): void {
  const { attempt } = running;
  const added = decompose(turn.loop.state, attempt.atom, event.children, event.reason);
  if (!added.ok) {
    const reason = `its split was not usable: ${added.problems.map((problem) => problem.message).join("; ")}`;
    turn.facts.push({ fact: "split_refused", attempt: attempt.id, atom: attempt.atom, reason });
    return failed(turn, running, "unreadable", reason);
  }
  settle(turn, running);
  turn.effects.push({ type: "shelve", attempt, reason: "decomposed" });
  restructure(turn, added.value.state);
  turn.facts.push({
    fact: "atom_decomposed",
    atom: attempt.atom,
    children: added.value.ids,
    measure: turn.loop.view.measure,
  });
}

/** Atoms whose integrated work could not stand without what was reverted are to be done again. */
function reverted(turn: Turn, lost: readonly string[]): void {
  if (turn.loop.run.reverting === 0) return;
  setRun(turn, { reverting: turn.loop.run.reverting - 1 });
  for (const atom of lost) {
    const index = turn.loop.view.graph.indexOf.get(atom);
    if (index === undefined || at(turn.loop.state.atoms, index).status !== "resolved") continue;
    restructure(turn, reopenAtom(turn.loop.state, turn.loop.view.graph, index));
    turn.facts.push({
      fact: "atom_reset",
      atom,
      reason: "its work was built on a choice that was given up",
    });
  }
}

// ── checks and replanning ───────────────────────────────────────────────────

function checked(turn: Turn, event: Extract<Event, { type: "base_case_checked" }>): void {
  const { background } = turn.loop.run;
  if (background.kind !== "checking") return;
  setRun(turn, {
    background: { kind: "none" },
    checked: { verdict: event.verdict, commit: event.commit, integrations: background.integrations },
    unavailable: event.unavailable ?? turn.loop.run.unavailable,
  });
}

/** New atoms for a base case that is not met: the planner's, or one per failing leaf (SPEC section 6). */
function replanned(turn: Turn, event: Extract<Event, { type: "replanned" }>): void {
  if (turn.loop.run.background.kind !== "replanning") return;
  setRun(turn, {
    background: { kind: "none" },
    unavailable: event.unavailable ?? turn.loop.run.unavailable,
  });
  if (turn.loop.run.redirects.length > 0 || event.unavailable !== undefined) return;
  const proposed = event.atoms.length > 0 ? addAtoms(turn.loop.state, event.atoms) : null;
  const usable = proposed !== null && proposed.ok;
  const atoms = usable
    ? event.atoms
    : failingNow(turn.loop).map((leaf) => ({ description: `Make pass: ${leaf.item}` }));
  const added = usable ? proposed : addAtoms(turn.loop.state, atoms);
  if (!added.ok) return;
  restructure(turn, added.value.state);
  const reason = usable ? event.reason : "one atom for each check that fails";
  turn.facts.push({
    fact: "atoms_added",
    atoms: atoms.map((atom, place) => ({ ...atom, id: added.value.ids[place] ?? "" })),
    reason,
    measure: turn.loop.view.measure,
  });
}

function failingNow(loop: Loop): readonly LeafVerdict[] {
  return loop.run.checked === null ? [] : failingLeaves(loop.run.checked.verdict);
}

// ── going on ────────────────────────────────────────────────────────────────

/** Everything that can be done now is asked for; if nothing can and nothing is under way, the loop halts. */
function advance(turn: Turn): void {
  if (turn.loop.run.redirects.length > 0 && !redirect(turn)) return;
  judgeSettled(turn, false);
  if (turn.loop.run.background.kind !== "none") return;
  const midway = decide(standingOf(turn.loop, false));
  if (midway.kind === "halt" && isVerdict(midway.outcome)) {
    // Nothing may be integrated behind the verdict.
    for (const running of turn.loop.run.attempts)
      if (!running.discarded) abandon(turn, running, "the base case is met");
  } else if (!isCheckDue(turn.loop)) releaseHeld(turn);
  else if (canCheck(turn.loop)) return startCheck(turn);
  // What starts now must not stand on what is being taken out (SPEC section 7).
  if (midway.kind === "continue" && turn.loop.run.reverting === 0) fillSlots(turn);
  if (turn.loop.run.attempts.length > 0 || turn.loop.run.reverting > 0) return;
  settleIdle(turn);
}

/** Nothing is at work: judge what is open, check the base case when everything is resolved, decide. */
function settleIdle(turn: Turn): void {
  judgeSettled(turn, true);
  if (isCheckDue(turn.loop)) return startCheck(turn);
  const decision = decide(standingOf(turn.loop, true));
  if (decision.kind === "halt") {
    if (decision.outcome === "budget" && giveUpSpent(turn)) return advance(turn);
    return halt(turn, decision.outcome, decision.message);
  }
  if (turn.loop.view.measure === 0) {
    setRun(turn, { background: { kind: "replanning" } });
    turn.effects.push({ type: "replan", failing: failingNow(turn.loop) });
    return;
  }
  fillSlots(turn);
  if (turn.loop.run.attempts.length === 0) throw new Error("the loop can neither go on nor halt");
}

/** Both outcomes of a true verdict (C3). */
function isVerdict(outcome: Outcome): boolean {
  return outcome === "verified" || outcome === "needs_confirmation";
}

/** When everything that counts is resolved, and with --verify-each after every iteration. */
function isCheckDue(loop: Loop): boolean {
  const { run, state, view } = loop;
  if (state.control.stop_requested || run.tampered.length > 0 || currentVerdict(run) !== null) return false;
  return run.check_due || (view.measure === 0 && run.attempts.length === 0);
}

function canCheck(loop: Loop): boolean {
  return loop.run.reverting === 0 && loop.run.attempts.every((running) => running.phase !== "integrating");
}

/**
 * An atom that was not blamed for its last attempt (a probe, a crash, a redirect) may have none left. Below a
 * choice that gives up the choice, as a failure would (SPEC section 7). True: something was given up.
 */
function giveUpSpent(turn: Turn): boolean {
  const before = turn.facts.length;
  for (const index of executableOf(turn.loop.state, turn.loop.view.graph)) {
    const { state, view } = turn.loop;
    if (!isSpent(turn.loop, index) || !isExecutable(state, view.graph, index)) continue;
    const failure = { reason: "it has no attempts left", retry: true, spent: true };
    const change = failAtom(state, view.graph, index, failure, turn.now);
    if (change.facts.length > 0) applyChange(turn, change, failure.reason);
  }
  return turn.facts.length > before;
}

function startCheck(turn: Turn): void {
  setRun(turn, {
    check_due: false,
    background: { kind: "checking", integrations: turn.loop.run.integrations },
  });
  turn.effects.push({ type: "check_base_case" });
}

/** Kills what is at work, and applies the redirects once nothing is. True: the loop goes on. */
function redirect(turn: Turn): boolean {
  for (const running of turn.loop.run.attempts) {
    if (running.discarded || running.phase === "integrating") continue;
    abandon(turn, running, "redirected");
  }
  const { background } = turn.loop.run;
  if (background.kind !== "none" && background.aborting !== true) {
    turn.effects.push({ type: "abort_background" });
    setRun(turn, { background: { ...background, aborting: true } });
  }
  if (turn.loop.run.attempts.length > 0 || turn.loop.run.background.kind !== "none" || turn.loop.run.reverting > 0)
    return false;
  for (const wish of turn.loop.run.redirects) {
    const result = applyRedirect(turn.loop.state, wish, turn.now);
    if (!result.ok) {
      turn.facts.push({
        fact: "redirect_refused",
        reason: result.problems.map((problem) => problem.message).join("; "),
      });
      continue;
    }
    restructure(turn, result.value.state);
    turn.facts.push(...result.value.facts);
    if (result.value.revert.length > 0) askRevert(turn, result.value.revert, result.value.description);
  }
  setRun(turn, { redirects: [], checked: null, integrations: turn.loop.run.integrations + 1 });
  setControl(turn, { redirect_requested: false });
  return true;
}

function halt(turn: Turn, outcome: Outcome, message: string): void {
  const verified = outcome === "verified";
  setControl(turn, {
    status: verified ? "completed" : "stopped",
    outcome,
    stop_reason: verified ? null : message,
  });
  setRun(turn, { halted: outcome });
  turn.facts.push({ fact: "halted", outcome, message });
  turn.effects.push({ type: "halt", outcome, message });
}
