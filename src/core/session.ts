/**
 * The in-session loop (SPEC section 10): a client's session works the loop, and is asked for a decision each time its
 * coordinator stops. The same reducer decides as for a run; here it is taken up anew at every stop, from the state
 * file and what the journal remembers.
 *
 * CORE-SESSION-1 nothing is handed out but by `step`: the iteration's number is in the state before its attempts are;
 * CORE-SESSION-2 an iteration ends when the coordinator stops: it is judged once, what was not reported is pending
 *    again, and what was left of its batch is not given back;
 * CORE-SESSION-3 whoever says that the loop is completed or exhausted, it is decided here (CONVERGE-2).
 *
 * Alternatives do not race here: all work is in one folder.
 */
import type { Effect } from "./effect.ts";
import type { Event, Memory, RunSettings } from "./event.ts";
import type { JournalLine } from "./journal-line.ts";
import { createLoop, limitsIn, remembered, type Loop } from "./loop.ts";
import { moved, type Moved } from "./step.ts";
import type { Control, Outcome, State } from "./state.ts";
import { comparedWith } from "./progress.ts";
import { setRun, openDraft } from "./step-draft.ts";
import { settleContainers } from "./view.ts";

export type StartAttempt = Extract<Effect, { type: "start_attempt" }>;

/** What the session has to do next. */
export type SessionTurn =
  /** Work these atoms, all at once. */
  | { readonly kind: "work"; readonly iteration: number; readonly attempts: readonly StartAttempt[] }
  /** Verify the base case, then call `afterCheck` with this loop. */
  | { readonly kind: "verify"; readonly loop: Loop }
  | { readonly kind: "halt"; readonly outcome: Outcome; readonly message: string }
  /** A redirect is under way: nothing is judged and nothing changes. */
  | { readonly kind: "interrupted" };

export interface SessionStep {
  readonly state: State;
  readonly lines: readonly JournalLine[];
  readonly turn: SessionTurn;
}

export interface SessionContext {
  /** Name of this stretch of work in the journal. */
  readonly run: string;
  /** Of all earlier work, this session's included. */
  readonly memory: Memory;
  /** ISO 8601. */
  readonly now: string;
}

const SETTINGS: RunSettings = { verify_each: false, confirmed: false };

/**
 * A session takes the loop up (a person's request, so that a halted loop is resumed as SPEC section 8 says).
 * @param from as for a run
 */
export function enterSession(
  state: State,
  session: string,
  from: Extract<Event, { type: "run_started" }>["from"],
  { run, memory, now }: SessionContext,
): SessionStep {
  const bound = { ...withoutRaces(state), control: { ...state.control, session_id: session } };
  const event: Event = { type: "run_started", at: now, run, from, memory, settings: SETTINGS };
  return told(moved(createLoop(bound), event, now), state);
}

/** The coordinator stopped: the iteration is judged and the loop goes on or halts (CORE-SESSION-2). */
export function endIteration(state: State, context: SessionContext): SessionStep {
  if (state.control.redirect_requested) return { state, lines: [], turn: { kind: "interrupted" } };
  const { lines, ...ended } = moved(
    takenUp(withoutRaces(state), context),
    { type: "time_passed", at: context.now },
    context.now,
  );
  // That the coordinator stopped is no line of its own.
  return told({ ...ended, lines: lines.slice(1) }, state);
}

/**
 * What follows from a verdict, or from protected files that changed. Leaves that fail become atoms; nobody plans here.
 * @param answer `base_case_checked` or `tampered`
 * @param state as it was handed to the call that asked for the check
 */
export function afterCheck(
  loop: Loop,
  answer: Extract<Event, { type: "base_case_checked" | "tampered" }>,
  state: State,
): SessionStep {
  const checked = moved(loop, answer, answer.at);
  const { at } = answer;
  const isAsked = (type: Effect["type"]): boolean => checked.effects.some((effect) => effect.type === type);
  // All work is in one folder: what was claimed wrongly is mended there.
  const next: Event | null = isAsked("revert")
    ? { type: "work_reverted", at, commit: null, lost: [] }
    : isAsked("replan")
      ? { type: "replanned", at, atoms: [], reason: "" }
      : null;
  if (next === null) return told(checked, state);
  const { lines, ...went } = moved(checked.loop, next, at);
  return told({ ...went, lines: [...checked.lines, ...lines.slice(next.type === "replanned" ? 1 : 0)] }, state);
}

/** The loop as a run would have it whose last attempt has just settled. */
function takenUp(state: State, { run, memory, now }: SessionContext): Loop {
  const atoms = state.atoms.map((atom) =>
    atom.status === "in_progress" ? { ...atom, status: "pending" as const } : atom,
  );
  const control: Control = { ...state.control, status: "running", outcome: null };
  const loop = createLoop(settleContainers({ ...state, atoms: atoms, control }).board.state);
  const turn = openDraft(loop, now);
  const { iteration: number } = control;
  const ended = {
    ...comparedWith(control),
    number,
    issued: limitsIn(loop).parallel,
    running: 0,
    interrupted: 0,
    atoms: state.atoms.map(({ id }) => id),
  };
  setRun(turn, { ...remembered(memory, loop), id: run, settings: SETTINGS, started_at: now, now, iterations: [ended] });
  return turn.loop;
}

function told({ loop, effects, lines }: Moved, before: State): SessionStep {
  return { state: withRaces(released(loop), before), lines, turn: turnIn(loop, effects) };
}

function turnIn(loop: Loop, effects: readonly Effect[]): SessionTurn {
  for (const effect of effects) {
    if (effect.type === "halt") return { kind: "halt", outcome: effect.outcome, message: effect.message };
    if (effect.type === "check_base_case") return { kind: "verify", loop };
  }
  const attempts = effects.filter((effect) => effect.type === "start_attempt");
  if (attempts.length === 0) throw new Error("the loop can neither go on nor halt");
  return { kind: "work", iteration: loop.state.control.iteration, attempts };
}

/** A loop that has halted belongs to no session. */
function released({ state, run }: Loop): State {
  return run.halted === null ? state : { ...state, control: { ...state.control, session_id: null } };
}

function withoutRaces(state: State): State {
  const groups = state.or_groups;
  if (!groups.some((group) => group.speculative === true)) return state;
  return { ...state, or_groups: groups.map(({ speculative: _, ...group }) => group) };
}

function withRaces(state: State, before: State): State {
  const racing = new Set(before.or_groups.flatMap((group) => (group.speculative === true ? [group.name] : [])));
  if (racing.size === 0) return state;
  const groups = state.or_groups;
  return {
    ...state,
    or_groups: groups.map((group) => (racing.has(group.name) ? { ...group, speculative: true } : group)),
  };
}
