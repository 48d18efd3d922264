/** How a run begins on a loop: new, halted or left by a crash (SPEC section 8). */
import { reopenLost, resolve } from "./attempt-end.ts";
import type { AdoptedWork, Event } from "./event.ts";
import { isLive, isRacing } from "./fate.ts";
import { isContainer, keepGraph } from "./graph.ts";
import { remembered } from "./loop.ts";
import { wakeAtDeadline } from "./schedule.ts";
import { INITIAL_CONTROL, type Atom } from "./state.ts";
import { askRevert, restructure, setRun, type StepDraft } from "./step-draft.ts";
import { settleContainers } from "./view.ts";
import { at, toArray, withAt, type Vec } from "./vec.ts";

export function start(draft: StepDraft, event: Extract<Event, { type: "run_started" }>): void {
  const { state } = draft.loop;
  const cleared =
    event.from === "halted" ? { stop_requested: false, stop_reason: null, outcome: null, stall_count: 0 } : {};
  const control = {
    ...INITIAL_CONTROL,
    ...state.control,
    ...cleared,
    status: "running" as const,
    redirect_requested: draft.loop.run.redirects.length > 0,
  };
  const next = { ...state, atoms: withoutOrphans(state.atoms), control };
  keepGraph(state, next);
  restructure(draft, settleContainers(next).board.state);
  setRun(draft, {
    ...remembered(event.memory, draft.loop),
    ...(event.forget_answers === true ? { answers: [] } : {}),
    id: event.run,
    settings: event.settings,
    deaths: 0,
    started_at: event.at,
    iterations: [],
    attempts: [],
    background: { kind: "none" },
    questions: [],
    check_due: false,
    checked: null,
    reverting: 0,
    tampered: [],
    unavailable: null,
    halted: null,
  });
  reopenLost(draft, event.lost ?? []);
  if (event.revert !== undefined) askRevert(draft, event.revert, "redirected while the loop was stopped");
  for (const work of event.integrated ?? []) adopt(draft, work);
  wakeAtDeadline(draft);
}

/** An orphan of a run that died is pending again (SPEC section 8). */
function withoutOrphans(before: Vec<Atom>): Vec<Atom> {
  let atoms = before;
  toArray(before).forEach((atom, index) => {
    if (atom.status === "in_progress") atoms = withAt(atoms, index, { ...atom, status: "pending" });
  });
  return atoms;
}

/**
 * Work that the integration branch holds although the state did not say so: a crash came between the two.
 * That of a choice given up meanwhile is taken out (BACKTRACK-2): its revert was asked for and not done.
 */
function adopt(draft: StepDraft, { atom, summary, artifacts, stale }: AdoptedWork): void {
  const { state, view } = draft.loop;
  const index = view.graph.indexOf.get(atom);
  if (index === undefined || at(state.atoms, index).status === "resolved" || isContainer(view.graph, index)) return;
  if (stale !== true && (isLive(state, view.graph, index) || isRacing(state, view.graph, index)))
    return resolve(draft, index, { summary, artifacts });
  askRevert(draft, [atom], `${atom} is at or below a choice that was given up`);
}
