/** What reading a pattern goes by. */

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
