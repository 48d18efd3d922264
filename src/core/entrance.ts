/**
 * How a run takes up a loop from its state file, its journal and the integration branch (SPEC section 8): for everything
 * that begins a run, whatever it keeps those in.
 *
 * ENTRANCE-1 a loop that is pending or stopped may be run, and one that a crash left running;
 * ENTRANCE-2 a run that died between its verdict and the hand-over left a completed loop. Anybody can write that word into
 *    a file: it is a crash like others, and the verdict is computed anew (SPEC section 9).
 */
import type { AdoptedWork, Event, Memory, Revert, RunSettings } from "./event.ts";
import { recovered, type Recollection } from "./journal.ts";
import { TRUST } from "./luck.ts";
import { lostWith, revertsDue, toAdopt, untold } from "./lost-work.ts";
import { gateOf } from "./operations.ts";
import type { State } from "./state.ts";

type RunStarted = Extract<Event, { type: "run_started" }>;

export interface Entrance {
  readonly state: State;
  readonly from: RunStarted["from"];
  /** What keeps it from being run, as the gate names it. */
  readonly missing: readonly string[];
}

/** @param file as it was read */
export function entranceOf(file: State, known: Recollection): Entrance {
  const state = recovered(reopened(file, known), known);
  const { status } = state.control;
  // ENTRANCE-1: nobody works it although it is running.
  const missing = gateOf(state).missing.filter((name) => !(status === "running" && name.startsWith("control.status")));
  const crashed = status === "running" || known.unfinished !== null;
  return { state, from: status === "stopped" ? "halted" : crashed ? "crashed" : "pending", missing };
}

/** ENTRANCE-2. */
function reopened(state: State, known: Recollection): State {
  const { control } = state;
  if (control.status !== "completed" || known.unfinished === null) return state;
  return { ...state, control: { ...control, status: "running", outcome: null } };
}

/** What a run is begun with, else what the loop was aligned with, else what nobody has to say. */
export function trustOf(settings: Pick<RunSettings, "trust">, { trust = TRUST }: Memory): number {
  return settings.trust ?? trust;
}

/** What the workspace finds in the integration branch. */
export interface Found {
  readonly integrated: readonly AdoptedWork[];
  /** Every time that work was taken out of it. */
  readonly reverts: readonly Revert[];
}

export interface Inherited {
  /** Parts of `run_started`. */
  readonly start: Pick<RunStarted, "memory" | "integrated" | "lost" | "revert">;
  /** Reverts that the journal is to tell of once the state file holds what they made of it. */
  readonly commits: readonly string[];
}

/** What earlier runs and redirects left to the run that begins. */
export function inheritedBy(state: State, known: Recollection, found: Found): Inherited {
  const missed = untold(known, found.reverts);
  const integrated = toAdopt(state, known, found.integrated);
  const lost = lostWith(missed, found.integrated);
  const revert = revertsDue(known, state);
  return {
    start: {
      memory: known.memory,
      ...(integrated.length > 0 ? { integrated } : {}),
      ...(lost.length > 0 ? { lost } : {}),
      ...(revert.length > 0 ? { revert } : {}),
    },
    commits: missed.map(({ commit }) => commit),
  };
}
