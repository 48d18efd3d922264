/** A state file that was read: its text as it is, what it means, and what stands where. */
import type { Atom, State } from "../core/state.ts";
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
