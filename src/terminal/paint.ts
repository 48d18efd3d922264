/** Colours, where a terminal shows them (NO_COLOR and a dumb terminal switch them off). */
import { styleText } from "node:util";
import type { Io } from "../command/io.ts";

export type Style = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "dim" | "bold";
export type Painter = (style: Style, text: string) => string;

export const plain: Painter = (_, text) => text;

const coloured: Painter = (style, text) => styleText(style, text);

export async function painterFor(io: Io, fd: 1 | 2 = 1): Promise<Painter> {
  const { NO_COLOR, TERM } = io.env;
  if ((NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb") return plain;
  return (await io.isTerminal(fd)) ? coloured : plain;
}
