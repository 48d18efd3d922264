/** A regular expression as a tree: what it says, whatever it was written in. */

export type PatternNode =
  | { readonly kind: "text"; readonly code: number }
  | { readonly kind: "any"; readonly lines: boolean }
  | { readonly kind: "set"; readonly negated: boolean; readonly items: readonly SetItem[] }
  | { readonly kind: "edge"; readonly of: Edge }
  | { readonly kind: "group"; readonly captures: boolean; readonly body: PatternNode }
  | { readonly kind: "look"; readonly sign: "?=" | "?!" | "?<=" | "?<!"; readonly body: PatternNode }
  | { readonly kind: "back"; readonly group: number }
  | {
      readonly kind: "repeat";
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] };

/** `start`, `end`: of the text; `before_end`: there or before a last line break; `word`: where a word begins or ends. */
export type Edge = "start" | "end" | "before_end" | "line_start" | "line_end" | "word" | "inside";
export type ClassLetter = "d" | "D" | "w" | "W" | "s" | "S";
export type SetItem = { readonly from: number; readonly to: number } | { readonly class: ClassLetter };

export interface PatternTree {
  readonly root: PatternNode;
  /** Classes and word edges know ASCII alone: `(?a)`. */
  readonly asciiClasses: boolean;
  readonly refersBack: boolean;
}

export interface PatternFault {
  /** What is not understood, and what to write instead. */
  readonly message: string;
  /** Position in the pattern, from 0. */
  readonly at: number;
}

export interface Reader {
  readonly source: string;
  at: number;
  depth: number;
  /** Flags in force: s, m, x. */
  flags: string;
  asciiClasses: boolean;
  refersBack: boolean;
  groups: number;
  readonly names: Map<string, number>;
}

/** Ends the reading; `readPattern` makes a value of it. */
export class Fault extends Error {
  readonly fault: PatternFault;
  constructor(message: string, at: number) {
    super(message);
    this.fault = { message, at };
  }
}
