/**
 * The state file in a process that lives long (a server): the document that was last read or written is kept, so that an
 * operation costs what it changes and not what the file holds.
 *
 * K1 it is never a second truth: the file is read each time, and what is kept stands in only for a file of the very
 *    same text.
 */
import { accepted } from "../../core/problem.ts";
import type { StateDocument } from "../../statefile/document.ts";
import { parseState } from "../../statefile/parse.ts";
import { reprintState } from "../../statefile/reprint.ts";
import { scanState } from "../../statefile/scan.ts";
import { stateFileBy, useResident, type StateFile } from "./state-file.ts";

/** From now on, in this process. Documents are kept for one file at a time. */
export function keepStateDocuments(): void {
  useResident(keepingStateFile());
}

/** A state file that keeps its document between operations. */
export function keepingStateFile(): StateFile {
  let kept: StateDocument | undefined;
  return stateFileBy(
    (text) => {
      if (kept?.text === text) return accepted(kept); // K1
      const scanned = scanState(text);
      if (scanned !== "not canonical") return accepted((kept = scanned));
      const parsed = parseState(text);
      return parsed.ok ? accepted((kept = parsed.document)) : parsed;
    },
    (document, next) => {
      const printed = reprintState(document, next);
      if (!printed.ok) return printed;
      kept = printed.value;
      return accepted(kept.text);
    },
  );
}
