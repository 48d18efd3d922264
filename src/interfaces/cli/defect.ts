/** What a defect of the program, or of what it writes to, is told as (main.ts, F1 and F2). */
import type { Io } from "../../command/io.ts";
import { DEFECT_HINT, failureJson } from "../../command/unusable.ts";

/** Exit code of a defect (EX_SOFTWARE). */
const DEFECT = 70;

/** @returns the exit code */
export function defect(error: unknown, json: boolean, io: Pick<Io, "env" | "err" | "out">): number {
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? message) : message;
  const debug = io.env["AOT_DEBUG"] !== undefined && io.env["AOT_DEBUG"] !== "";
  io.err(debug ? `${stack}\n` : `aot: unexpected: ${message}\n  ${DEFECT_HINT}\n`);
  const document = failureJson("defect", message, DEFECT_HINT);
  try {
    if (json) io.out(`${JSON.stringify(document)}\n`);
  } catch {
    // Stdout is what does not work.
  }
  return DEFECT;
}
