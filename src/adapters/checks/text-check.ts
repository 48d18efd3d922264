/** The checks that look into files (SPEC sections 6 and 14): `TEXT in PATH`, the text as it is written, the path or a glob. */
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { checkTypeRow } from "../../core/check-types.ts";
import type { LeafResult, MechanicalCheck } from "../../core/verdict.ts";
import { pathWarnings } from "./check-warnings.ts";
import { findMatches, type FindOptions } from "./find-matches.ts";

export const STOPPED: LeafResult = {
  passed: null,
  evidence: { kind: "undecided", reason: "stopped before this check" },
};

const FORM = 'write TEXT in PATH, such as "export function login in src/auth.ts"';
const CHUNK_BYTES = 64 * 1024;

/** The last " in " divides: a text may hold others. Null: there is none. */
function partsOf(value: string): { readonly text: string; readonly path: string } | null {
  const [, text, path] = /^([^]*\S[^]*)\sin\s+(\S[^\n]*?)\s*$/.exec(value) ?? [];
  return text === undefined || path === undefined ? null : { text, path };
}

/** What is suspicious before it is run: sentences, each with what to do. */
export function textWarnings(check: MechanicalCheck, dir: string): readonly string[] {
  const parts = partsOf(check.value);
  if (parts === null) return [`${JSON.stringify(check.value)} does not say where to look; ${FORM}`];
  const quoted = /^(["'`])[^]*\1$/.test(parts.text)
    ? [`the quotes around ${parts.text} are looked for, too; leave them out if the file has none`]
    : [];
  return [...quoted, ...pathWarnings({ ...check, value: parts.path }, dir)];
}

/**
 * Whether a file holds the text. Where no file matches there is nothing that could hold it: the plain form fails, and the
 * negated one has nothing to pass on.
 */
export async function checkText(
  { type, value }: MechanicalCheck,
  dir: string,
  signal: AbortSignal,
  options: Pick<FindOptions, "max_matches" | "own_folders">,
): Promise<LeafResult> {
  const { negated = false } = checkTypeRow(type);
  const parts = partsOf(value);
  if (parts === null) return unable(`${JSON.stringify(value)} does not say where to look: ${FORM}`);
  const found = await findMatches(parts.path, { dir, signal, ...options, max_matches: Infinity });
  if (signal.aborted) return STOPPED;
  if (!found.ok) return unable(found.problem);
  const matches: string[] = [];
  let files = 0;
  let total = 0;
  try {
    for (const path of found.matches) {
      const line = await lineOf(parts.text, isAbsolute(path) ? path : join(dir, path), signal);
      if (signal.aborted) return STOPPED;
      if (line !== null) files += 1;
      if (line === null || line === 0) continue;
      total += 1;
      if (matches.length < options.max_matches) matches.push(`${path}:${line}`);
    }
  } catch (error) {
    return unable(error instanceof Error ? error.message : String(error));
  }
  if (negated && files === 0) return unable(`there is no file ${parts.path} to look into`);
  return { passed: total > 0 !== negated, evidence: { kind: "file", pattern: value, matches, total } };
}

function unable(message: string): LeafResult {
  return { passed: false, evidence: { kind: "error", message } };
}

/** The line, from 1, in which the text first stands; 0: nowhere; null: it is no file. Reads in pieces. */
async function lineOf(text: string, path: string, signal: AbortSignal): Promise<number | null> {
  if (!(await stat(path)).isFile()) return null;
  const wanted = Buffer.from(text);
  // What has become a pipe meanwhile is not waited for.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    let line = 1;
    let kept = Buffer.alloc(0);
    while (!signal.aborted) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES);
      if (bytesRead === 0) return 0;
      const seen = Buffer.concat([kept, buffer.subarray(0, bytesRead)]);
      const at = seen.indexOf(wanted);
      if (at >= 0) return line + newlinesIn(seen.subarray(0, at));
      const done = Math.max(0, seen.length - wanted.length + 1);
      line += newlinesIn(seen.subarray(0, done));
      kept = seen.subarray(done);
    }
    return 0;
  } finally {
    await file.close();
  }
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
