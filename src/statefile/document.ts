/** A state file that was read: its text as it is, what it means, and what stands where. */
import type { Atom, OrGroup, State } from "../core/state.ts";
import { vecOf } from "../core/vec.ts";
import type { MappingNode, Range } from "./node.ts";

export interface StateDocument {
  /** Exactly as read, byte order mark and line endings included. */
  readonly text: string;
  readonly state: State;
  /** The Markdown body, behind the closing delimiter. */
  readonly body: Range;
  readonly root: MappingNode;
}

/** An atom under construction: its binding stands elsewhere in the file. */
export type NewAtom = { -readonly [K in keyof Atom]: Atom[K] };

/** The sections as they are read: `or_groups` by name, atoms already joined with their bindings. */
export interface Sections {
  readonly objective: unknown;
  readonly control: unknown;
  readonly atoms: readonly Atom[];
  readonly decompositions: unknown;
  readonly or_groups: unknown;
  readonly trail: unknown;
  readonly corrections: unknown;
}

/** The state that sections of the right shape make. */
export function stateOf(sections: Sections): State {
  const groups = sections.or_groups as readonly (readonly [string, Omit<OrGroup, "name">])[];
  return {
    objective: sections.objective as State["objective"],
    control: sections.control as State["control"],
    atoms: vecOf(sections.atoms),
    decompositions: sections.decompositions as State["decompositions"],
    or_groups: vecOf(groups.map(([name, group]): OrGroup => ({ name, ...group }))),
    trail: sections.trail as State["trail"],
    corrections: sections.corrections as State["corrections"],
  };
}
