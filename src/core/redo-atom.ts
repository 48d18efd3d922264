/** A person has a resolved atom done again (SPEC section 8). */
import type { Cause } from "./backtrack.ts";
import { PERSON, type Nogood } from "./event.ts";
import { idAt, subtreeOf, transitiveDependants, type Graph } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { reopened } from "./rebind.ts";
import { note, withReason, type Draft } from "./redirect-draft.ts";
import type { Atom, State } from "./state.ts";
import { at } from "./vec.ts";

/** Characters of the rejected result's summary. */
const SUMMARY = 1_000;

function lessonOf({ id, binding }: Atom, reason: string): Nogood {
  const evidence = binding === undefined ? {} : { evidence: `It had reported: ${binding.summary.slice(0, SUMMARY)}` };
  return {
    atom: id,
    attempt: PERSON,
    reason: `resolved before, and to be done again: ${reason.trim()}`,
    ...evidence,
  };
}

/**
 * The atom, what is below it and what was built on them are pending again, without bindings. The work of all of these is
 * taken out: the next attempt starts from a tree that holds nothing of what a person rejected, nor of what rests on it.
 */
export function redoAtom(state: State, graph: Graph, id: string, { reason, now }: Cause): Result<Draft> {
  const index = graph.indexOf.get(id);
  if (index === undefined) return refused(`there is no atom ${id}`, "list the atoms with `aot status`");
  const { status } = at(state.atoms, index);
  if (status !== "resolved")
    return refused(`${id} is ${status}: there is nothing to do again`, "only a resolved atom can be done again");
  const own = subtreeOf(graph, index);
  const again = new Set([...own, ...transitiveDependants(graph, own)]);
  const ids = [...again].map((each) => idAt(graph, each));
  const others = ids.filter((other) => other !== id).join(", ");
  const description = others === "" ? `${id}: to be done again` : `${id}: to be done again, and with it: ${others}`;
  return accepted({
    state: { ...reopened(state, again), trail: [...state.trail, note(withReason(description, reason), now)] },
    description,
    revert: ids,
    lessons: reason.trim() === "" ? [] : [lessonOf(at(state.atoms, index), reason)],
  });
}
