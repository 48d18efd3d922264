/**
 * A running loop as JSON, for engines that keep it (SPEC section 13). What follows from the state is computed again.
 *
 * Laws (tests/loop/loop-record.test.ts): a step of what was written and read is the step of the loop itself; who performs a
 * task is asked for the same with the part of the loop as with the whole of it.
 */
import type { AtomMemory, Loop, Run } from "../core/loop.ts";
import { bindingsFor } from "../core/bindings.ts";
import { indexIn } from "../core/graph.ts";
import type { Atom, State } from "../core/state.ts";
import { at, vecFilled, vecOf } from "../core/vec.ts";
import { viewOf } from "../core/view.ts";
import type { TaskEffect } from "./hosted-loop.ts";

export interface LoopRecord {
  readonly state: State;
  readonly run: Omit<Run, "gone"> & { readonly gone: readonly (readonly [string, AtomMemory])[] };
}

export function recordOf({ state, run }: Loop): LoopRecord {
  return { state, run: { ...run, gone: [...run.gone] } };
}

export function loopOf({ state, run }: LoopRecord): Loop {
  return { state, view: viewOf(state), run: { ...run, gone: new Map(run.gone) } };
}

/**
 * The part of a loop that it takes to perform a task: its size follows the task's dependencies, not the graph. Only a
 * planner is shown the whole.
 */
export function recordFor(effect: TaskEffect, loop: Loop): LoopRecord {
  if (effect.type === "replan" || effect.type === "ask_planner") return recordOf(loop);
  const atoms = "attempt" in effect ? atomsFor(effect.attempt.atom, loop) : [];
  const { objective, control } = loop.state;
  const state: State = {
    objective,
    control,
    atoms: vecOf(atoms),
    decompositions: [],
    or_groups: vecOf([]),
    trail: [],
    corrections: [],
  };
  const memory = vecFilled(atoms.length, { attempts: 0, nogoods: [] });
  return { state, run: { ...loop.run, memory, gone: [], iterations: [], attempts: [], checked: null, redirects: [] } };
}

/** The atom, and one for each binding that it builds on. */
function atomsFor(id: string, { state, view }: Loop): readonly Atom[] {
  const index = indexIn(view.graph, id);
  const bindings = Object.entries(bindingsFor(state, view.graph, index));
  const { or_group: _, ...atom } = at(state.atoms, index);
  const bound = bindings.map(([of, binding]): Atom => {
    return { id: of, description: "", status: "resolved", depends_on: [], binding };
  });
  return [{ ...atom, depends_on: bound.map((one) => one.id) }, ...bound];
}
