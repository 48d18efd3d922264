/** `aot state validate`: everything that is wrong with a state file, and what is only doubtful (SPEC section 2). */
import { MAX_BYTES, decodeState } from "../statefile/decode.ts";
import { parseState } from "../statefile/parse.ts";
import { readBytes } from "../adapters/store/file-bytes.ts";
import type { Problem } from "../core/problem.ts";

export interface Validation {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function validateLoop(stateFile: string): Validation {
  const bytes = readBytes(stateFile, MAX_BYTES, 'create it with "aot align", or name another one with --state-file');
  if (!bytes.ok) return { problems: bytes.problems, warnings: [] };
  const text = decodeState(bytes.value.bytes);
  if (!text.ok) return { problems: text.problems, warnings: [] };
  const parsed = parseState(text.value);
  return parsed.ok ? { problems: [], warnings: parsed.warnings } : { problems: parsed.problems, warnings: [] };
}
