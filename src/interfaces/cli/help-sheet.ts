/** How help is laid out on a terminal. */
import type { Io } from "../../command/io.ts";
import { painterFor } from "../../terminal/paint.ts";
import { screenOf } from "../../terminal/screen.ts";
import type { Sheet } from "./help.ts";

/** Longer lines are hard to read. */
const MOST_COLUMNS = 100;
const LEAST_COLUMNS = 40;

export async function sheetFor(io: Io): Promise<Sheet> {
  const paint = await painterFor(io);
  const { columns } = screenOf(process.stdout);
  return {
    width: Math.max(LEAST_COLUMNS, Math.min(MOST_COLUMNS, columns - 1)),
    heading: (text) => paint("bold", text),
  };
}
