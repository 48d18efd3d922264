/** What the end of a check does to a loop, and of the planning that follows a failed one (SPEC section 6). */
import { addAtoms } from "./decompose.ts";
import type { Event, ProposedAtom } from "./event.ts";
import { graphOf, indexIn } from "./graph.ts";
import type { Loop } from "./loop.ts";
import type { State } from "./state.ts";
import { restructure, setRun, type StepDraft } from "./step-draft.ts";
import { remember, withFlaky } from "./tree-answers.ts";
import { at } from "./vec.ts";
import { failingLeaves, type LeafVerdict } from "./verdict.ts";

export function checked(turn: StepDraft, event: Extract<Event, { type: "base_case_checked" }>): void {
  const { background } = turn.loop.run;
  if (background.kind !== "checking") return;
  const asked = event.asked === undefined ? {} : { asked: event.asked };
  const strayed = event.strayed === undefined ? {} : { strayed: event.strayed };
  const { tree } = event;
  const answers = tree === undefined ? turn.loop.run.answers : remember(turn.loop.run.answers, tree, event.verdict);
  const verdict = tree === undefined ? event.verdict : withFlaky(answers, tree, event.verdict);
  const checked = { verdict, commit: event.commit, ...asked, ...strayed, integrations: background.integrations };
  setRun(turn, {
    background: { kind: "none" },
    answers,
    ...(background.aborting === true ? {} : { checked }),
    unavailable: event.unavailable ?? turn.loop.run.unavailable,
  });
}

/** New atoms for a base case that is not met: the planner's, or one per failing leaf (SPEC section 6). */
export function replanned(turn: StepDraft, event: Extract<Event, { type: "replanned" }>): void {
  const { background } = turn.loop.run;
  if (background.kind !== "replanning") return;
  setRun(turn, {
    background: { kind: "none" },
    unavailable: event.unavailable ?? turn.loop.run.unavailable,
  });
  if (background.aborting === true || event.unavailable !== undefined) return;
  const proposed = event.atoms.length > 0 ? addAtoms(turn.loop.state, event.atoms, event.reason, turn.now) : null;
  const usable = proposed !== null && proposed.ok;
  const atoms = usable
    ? event.atoms
    : failingNow(turn.loop).map((leaf) => ({ description: `Make pass: ${leaf.item}` }));
  const added = usable ? proposed : addAtoms(turn.loop.state, atoms, event.reason, turn.now);
  if (!added.ok) return;
  restructure(turn, added.value.state);
  const reason = usable ? event.reason : "one atom for each check that fails";
  turn.facts.push({
    fact: "atoms_added",
    atoms: added.value.ids.map((id) => proposalOf(added.value.state, id)),
    reason,
    measure: turn.loop.view.measure,
  });
}

/** The atom as it was taken up: its group may have got another name. */
function proposalOf(state: State, id: string): ProposedAtom {
  const { status: _, ...atom } = at(state.atoms, indexIn(graphOf(state), id));
  return atom;
}

export function failingNow(loop: Loop): readonly LeafVerdict[] {
  return loop.run.checked === null ? [] : failingLeaves(loop.run.checked.verdict);
}
