import { existsSync, readFileSync } from "node:fs";

/** Process ids that programs wrote to a file, one per line. A line that is still being written is none. */
export function pidsWritten(file: string): number[] {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return [...text.matchAll(/^(\d+)\n/gm)].map(([, pid]) => Number(pid));
}
