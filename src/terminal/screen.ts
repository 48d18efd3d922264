/** The terminal that a person looks at, if there is one. */
import type { Io } from "../command/io.ts";
import { fold } from "./fold.ts";

/** The size of a terminal. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** As it is now; a terminal that does not tell its size says 0. */
export function screenOf(stream: { readonly columns?: number; readonly rows?: number }): Screen {
  return { columns: stream.columns || 80, rows: stream.rows || 24 };
}

/**
 * Whether something can be redrawn in place there: a terminal that moves its cursor, with a person before it. Programs
 * of a CI server (`CI` is set) are given a terminal at times; what they keep is lines.
 */
export async function isScreen(io: Io, fd: 1 | 2): Promise<boolean> {
  const { CI = "", TERM } = io.env;
  const isServer = CI !== "" && CI !== "0" && CI.toLowerCase() !== "false";
  return !isServer && TERM !== "dumb" && (await io.isTerminal(fd));
}

/** A text as wide as the terminal that it is for; elsewhere as it is. */
export async function asWide(text: string, io: Io, fd: 1 | 2 = 1): Promise<string> {
  return (await io.isTerminal(fd)) ? fold(text, screenOf(fd === 1 ? process.stdout : process.stderr).columns) : text;
}
