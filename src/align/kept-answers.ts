/** What a person answered and was not written: kept as a file that `aot align --from` takes (SPEC section 10). */
import { dirname, join, relative } from "node:path";
import { makeFolder } from "../adapters/store/file-bytes.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { removeOwnFile, writeOwnFile } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";
import type { Alignment } from "./alignment.ts";
import { readAlignment } from "./alignment-file.ts";

function keptFile(stateFile: string): string {
  return join(loopPaths(stateFile).dir, "alignment.json");
}

/** @returns the file, as seen from the current folder; null: it could not be written */
export function keepAnswers(stateFile: string, { or_groups, ...alignment }: Alignment): string | null {
  const file = keptFile(stateFile);
  const groups =
    or_groups === undefined ? {} : { or_groups: Object.fromEntries(or_groups.map(({ name, ...g }) => [name, g])) };
  if (!makeFolder(dirname(dirname(file))).ok) return null;
  const written = writeOwnFile(file, `${JSON.stringify({ ...alignment, ...groups }, null, 2)}\n`);
  return written.ok ? relative(process.cwd(), file) : null;
}

/** A whole alignment of this goal that was not written; null: there is none. */
export function keptDraftOf(
  stateFile: string,
  goal: string | undefined,
): { readonly name: string; readonly alignment: Alignment } | null {
  const file = keptFile(stateFile);
  const text = readOwnFile(file);
  const read = text === null ? null : readAlignment(text);
  if (read?.ok !== true || read.value.goal !== goal || read.value.base_case === undefined) return null;
  return { name: relative(process.cwd(), file), alignment: read.value };
}

export function forgetAnswers(stateFile: string): void {
  removeOwnFile(keptFile(stateFile));
}
