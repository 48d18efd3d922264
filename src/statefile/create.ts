/** A new state file in the canonical form (SPEC section 2). */
import type { State } from "../core/state.ts";
import { renderEntry } from "./render.ts";
import { STATE } from "./schema.ts";

/** @param originalPrompt what the person asked for, kept in the body as it is */
export function createStateText(state: State, originalPrompt: string): string {
  const sections = sectionsOf(state);
  const parts = Object.entries(STATE.fields).map(([name, field]) => {
    const lines = renderEntry(name, field.type, sections[name as keyof typeof sections], 0).join("\n");
    return SPACED.has(name) ? `${lines}\n` : lines;
  });
  return `---\n${parts.join("\n")}\n---\n\n# Original Prompt\n\n${originalPrompt}\n`;
}

/** Sections that a blank line follows. */
const SPACED: ReadonlySet<string> = new Set(["objective", "control", "atoms"]);

/** The state as the file has it: groups and bindings by name. */
export function sectionsOf(state: State) {
  const { atoms } = state;
  return {
    objective: state.objective,
    control: state.control,
    atoms,
    decompositions: state.decompositions,
    or_groups: state.or_groups.map(({ name, ...group }) => [name, group]),
    bindings: atoms.flatMap((atom) => (atom.binding === undefined ? [] : [[atom.id, atom.binding]])),
    trail: state.trail,
    corrections: state.corrections,
  };
}
