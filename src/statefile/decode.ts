/** Bytes of a state file to text (SPEC section 2). */
import { accepted, problem, type Result } from "../core/problem.ts";

/** Largest state file that is read, in bytes. */
export const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The text of a state file, byte order mark and line endings included.
 * Refused: more than {@link MAX_BYTES} (`file_too_large`), a NUL byte or invalid UTF-8 (`not_text`).
 */
export function decodeState(bytes: Uint8Array): Result<string> {
  if (bytes.length > MAX_BYTES) {
    return problem(
      "file_too_large",
      `the state file has ${bytes.length} bytes; at most ${MAX_BYTES} (64 MiB) are read`,
      "check that this is the right file",
    );
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0 && isUtf16(bytes))
    return problem("not_text", "the state file is UTF-16", "save it as UTF-8: some editors and shells write UTF-16");
  if (nul >= 0)
    return problem(
      "not_text",
      `the state file is not text: byte ${nul} is NUL`,
      "restore it from version control or a backup",
    );
  try {
    return accepted(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return problem("not_text", "the state file is not valid UTF-8", "save it as UTF-8");
  }
}

/** By its byte order mark. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
