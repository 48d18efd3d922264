import type { FlagSpec } from "./spec.ts";

/** Where pages are written that nobody gave a name. A project may have loops of both kinds: neither takes the other's place. */
export const LOOP_PAGE = "aot-report.html";
export const PHASES_PAGE = "aot-phases-report.html";

/** Where a page is written. @param fallback the file's name where it is not given */
export function outputFlag(fallback: string): FlagSpec {
  return {
    name: "output",
    type: "text",
    value: "FILE",
    summary: "Where to write it; - prints it.",
    fallback: `${fallback} in this folder`,
  };
}
