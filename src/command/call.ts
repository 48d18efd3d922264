/** A command line that was understood: what a command is given. */
import type { Io } from "./io.ts";

export interface Call {
  readonly io: Io;
  /** `--json`. */
  readonly json: boolean;
  /** `--state-file`, or its environment variable; absent: to be looked for. */
  readonly stateFile?: string;
  /** A positional argument; undefined: an optional one that is absent. */
  arg(name: string): string | undefined;
  /** Every word of the argument that takes all that are left. */
  readonly rest: readonly string[];
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  number(flag: string): number | undefined;
  isSet(flag: string): boolean;
}

/** The value of an argument or a flag that the table requires; its absence is a defect of the table. */
export function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`the command table does not require ${name}`);
  return value;
}
