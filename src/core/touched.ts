/**
 * What a change by a person touches of the work that is under way (SPEC section 8): what it does not touch goes on.
 *
 * TOUCHED-1 an attempt is touched when its atom is gone, was opened again, or is described or placed in another way (it, or
 *    a container above it), when its alternative lost, or when the brief changed. New atoms, new alternatives, limits,
 *    changes of atoms that nobody works, and globs touch none.
 */
import { isLive, isRacing } from "./fate.ts";
import { graphOf, idAt, NONE, numberAt } from "./graph.ts";
import type { Atom, Objective, State } from "./state.ts";
import { at } from "./vec.ts";
import { measureOf } from "./view.ts";

export interface Touched {
  /** Atoms in progress whose attempts end, by id. */
  readonly atoms: readonly string[];
  /** A check of the base case that is under way says nothing any more. */
  readonly check: boolean;
  /** What is being planned was asked for on other terms. */
  readonly plan: boolean;
}

/** TOUCHED-1. @param before with everything in progress that is worked on. @param after the same loop, changed */
export function touchedBy(before: State, after: State): Touched {
  const brief = isAnotherBrief(before.objective, after.objective);
  const was = before.atoms;
  const { indexOf } = graphOf(after);
  const isOpenAgain = was.some(({ id, status }) => {
    const index = indexOf.get(id);
    return status === "resolved" && index !== undefined && at(after.atoms, index).status !== "resolved";
  });
  const plan = brief || isOpenAgain;
  return {
    atoms: was.flatMap((atom, index) =>
      atom.status === "in_progress" && (brief || !goesOn(before, after, index)) ? [atom.id] : [],
    ),
    check: plan || (measureOf(before, graphOf(before)) === 0 && measureOf(after, graphOf(after)) > 0),
    plan,
  };
}

/** A redirect that was applied, in words: what changed, whose attempts it ended, and who goes on. */
export function sayRedirected(
  description: string,
  interrupted: readonly string[] = [],
  going_on: readonly string[] = [],
): string {
  const ended = interrupted.length === 0 ? "" : `; ended ${interrupted.join(", ")}`;
  const rest = going_on.length === 0 ? "" : `; ${going_on.join(", ")} ${going_on.length === 1 ? "goes" : "go"} on`;
  return `${description}${ended}${rest}`;
}

/** What every agent gets. Limits are no part of it. */
function isAnotherBrief(before: Objective, after: Objective): boolean {
  const { constraints: _, ...reported } = after;
  return (Object.keys(reported) as (keyof typeof reported)[]).some((field) => before[field] !== after[field]);
}

/** Whether the atom is what it was, and may still be worked. */
function goesOn(before: State, after: State, index: number): boolean {
  const atom = at(before.atoms, index);
  const graph = graphOf(after);
  const now = graph.indexOf.get(atom.id);
  if (now === undefined || at(after.atoms, now).status !== atom.status) return false;
  const former = graphOf(before);
  for (let place = now; place !== NONE; place = numberAt(graph.parent, place))
    if (!isSameTask(before.atoms, former.indexOf.get(idAt(graph, place)), at(after.atoms, place))) return false;
  return isLive(after, graph, now) || isRacing(after, graph, now);
}

function isSameTask(before: State["atoms"], index: number | undefined, now: Atom): boolean {
  if (index === undefined) return false;
  const { description, depends_on, criteria } = at(before, index);
  return description === now.description && depends_on === now.depends_on && criteria === now.criteria;
}
