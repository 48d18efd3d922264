/** Files as bytes, and what can go wrong with them as problems. */
import { statSync, type Stats } from "node:fs";
import { accepted, problem, type Refused, type Result } from "../../core/problem.ts";
import { writeFileAtomicSync, type WriteOptions } from "../../host/atomic-write.ts";
import { makeFolder as makeAnyFolder } from "../../host/make-folder.ts";
import { readRegularFile } from "../../host/regular-file.ts";
import { errnoOf } from "../../host/write-failure.ts";

/** The bytes of a regular file, and a stamp that differs once another file is there or it was written to. */
export function readBytes(
  path: string,
  max: number,
  missingHint: string,
): Result<{ readonly bytes: Uint8Array; readonly stamp: string }> {
  try {
    const { bytes, stats } = readRegularFile(path, max);
    return accepted({ bytes, stamp: stampOf(stats) });
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") return missing(path, missingHint);
    if (code === "EFTYPE") return problem("file_unreadable", `${path} is not a file`, "name a regular file");
    return code === "EFBIG"
      ? problem("file_too_large", (error as Error).message, "is this the right file?")
      : unreadable(path, error);
  }
}

/** False also when it is not known. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** The stamp of what is at `path`; null: nothing, or nothing that can be seen. */
export function stampAt(path: string): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? null : stampOf(found);
  } catch {
    return null;
  }
}

function stampOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}

export function write(path: string, text: string, options?: WriteOptions): Result<null> {
  const written = writeFileAtomicSync(path, text, options);
  return written.ok ? accepted(null) : problem("file_unwritable", written.message, written.hint);
}

/**
 * Replaces the file at `target` as long as it bears that stamp (null: as long as none is there).
 * @param target links are followed already
 * @param stamp "any": whatever is there
 * @returns the stamp that it bears now; "changed": somebody else wrote it, and what they wrote stands
 */
export function replace(target: string, text: string, stamp: string | null): Result<string> | "changed" {
  const still = (): boolean => stamp === "any" || stampAt(target) === stamp;
  const written = writeFileAtomicSync(target, text, { is_target: true, still });
  if (written.ok) return accepted(stampOf(written.stats));
  return written.code === "changed" ? "changed" : problem("file_unwritable", written.message, written.hint);
}

/** Why this text may not be written: it could not be read again. Null: it could. @param max bytes */
export function sizeRefusal(path: string, text: string, max: number): Refused | null {
  // No character has more than three bytes for each of its units.
  const bytes = text.length * 3 <= max ? 0 : Buffer.byteLength(text);
  return bytes <= max
    ? null
    : problem(
        "file_too_large",
        `${path} would have ${bytes} bytes; at most ${max} are read`,
        "the file is unchanged: shorten what was to be added, such as the summary of an atom",
      );
}

/** Makes a folder and those above it. @param make `makeOwnFolder` for one of the loop's own */
export function makeFolder(path: string, make: (path: string) => void = makeAnyFolder): Result<null> {
  try {
    make(path);
    return accepted(null);
  } catch (error) {
    const code = errnoOf(error);
    return code === "EFTYPE"
      ? problem(
          "file_unwritable",
          `cannot make the folder ${path}: a link or a file is in its place, or on the path to it`,
          "move it away; `.claude` may be a link, the loop's own folders may not",
        )
      : problem(
          "file_unwritable",
          `cannot make the folder ${path} (${code})`,
          "look at the path and at your rights there",
        );
  }
}

export function missing(path: string, hint: string): Refused {
  return problem("file_missing", `there is no file ${path}`, hint);
}

export function unreadable(path: string, error: unknown): Refused {
  return problem(
    "file_unreadable",
    `cannot read ${path} (${errnoOf(error)})`,
    "look at the path and at your rights there",
  );
}
