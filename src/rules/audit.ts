/** What agents claimed in past sessions, and in the one that stops now, against their own tools' answers (SPEC section 17). */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { claimsIn, createAudit, type ClaimKind, type Unbacked } from "./analyze/audit.ts";
import { createReader } from "./analyze/read/reader.ts";
import type { Result } from "../core/problem.ts";
import { findTranscripts, type TranscriptChoice } from "./replay-sources.ts";
import { noCounts, readTranscript, type ReadCounts } from "./replay-stream.ts";

export interface Audited {
  readonly counts: ReadCounts;
  readonly claims: number;
  readonly unbacked: readonly Unbacked[];
}

/** @param signal ends it early: only what was found until then is reported */
export async function auditTranscripts(
  choice: TranscriptChoice,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  signal?: AbortSignal,
): Promise<Result<Audited>> {
  const files = findTranscripts(choice, place.cwd, place.env);
  if (!files.ok) return files;
  const counts = noCounts();
  const unbacked: Unbacked[] = [];
  let claims = 0;
  for (const file of files.value) {
    const audit = createAudit((_, found) => {
      claims++;
      if (found !== null) unbacked.push(found);
    });
    for await (const entries of readTranscript(file, counts)) {
      for (const { entry, at, cwd, sidechain } of entries) if (!sidechain) audit.take(entry, at, cwd);
      if (signal?.aborted === true) break;
    }
    audit.stop();
    if (signal?.aborted === true) break;
  }
  return { ok: true, value: { counts, claims, unbacked } };
}

/** Bytes of a transcript's end that are looked at when an agent stops: its last steps, in a few milliseconds. */
const LOOKED_AT = 192 * 1024;

/**
 * What the agent claims at its stop without being backed, by the end of its transcript.
 * @param said its last words as the client reports them; empty: the transcript's are taken
 * @throws where the transcript cannot be read
 */
export function auditEnd(path: string, said: string): readonly Unbacked[] {
  const last = { text: said, at: { file: path, line: 0 } };
  if (said !== "" && claimsIn(last).length === 0) return [];
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, LOOKED_AT));
    const end = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
    // What begins amid a line is none.
    const begin = bytes.length === size ? 0 : end.indexOf("\n") + 1;
    const found = auditText(end.toString("utf8", begin), last);
    if (found.length === 0) return [];
    const before = linesIn(file, size - bytes.length + begin);
    return found.map((one) => ({
      ...one,
      claim: moved(one.claim, before),
      against: one.against && moved(one.against, before),
    }));
  } finally {
    closeSync(file);
  }
}

/** By lines that are counted from 1. */
function auditText(text: string, last: Unbacked["claim"]): readonly Unbacked[] {
  const { file } = last.at;
  let found: Unbacked[] = [];
  const audit = createAudit((_, one) => {
    if (one !== null) found.push(one);
  });
  const read = createReader();
  const lines = text.trimEnd().split("\n");
  for (const [index, line] of lines.entries()) {
    const reading = line === "" ? null : read(line);
    if (reading?.kind !== "entries" || reading.sidechain) continue;
    for (const entry of reading.entries) audit.take(entry, { file, line: index + 1 }, reading.cwd);
  }
  found = [];
  // The transcript may be behind what the client tells.
  if (last.text !== "") audit.take({ kind: "reply", text: last.text }, { file, line: lines.length }, "");
  audit.stop();
  return found;
}

function moved({ text, at }: Unbacked["claim"], lines: number): Unbacked["claim"] {
  return { text, at: { file: at.file, line: at.line + lines } };
}

/** How many lines end in the first bytes of a file. */
function linesIn(file: number, bytes: number): number {
  const piece = Buffer.alloc(Math.min(bytes, 1024 * 1024));
  let count = 0;
  for (let at = 0; at < bytes;) {
    const read = readSync(file, piece, 0, Math.min(piece.length, bytes - at), at);
    if (read === 0) break;
    for (let end = piece.indexOf(10); end !== -1 && end < read; end = piece.indexOf(10, end + 1)) count++;
    at += read;
  }
  return count;
}

const CLAIMED: Readonly<Record<ClaimKind, string>> = {
  tests: "that tests pass",
  fixed: "that it is fixed",
  committed: "a commit",
  pushed: "a push",
};

/** In one or two lines, with both places. */
export function unbackedText(
  { kind, claim, why, against }: Unbacked,
  placed: (at: Unbacked["claim"]["at"]) => string,
): string {
  const said = `the agent says ${CLAIMED[kind]}: "${claim.text}"  ${placed(claim.at)}`;
  const place = against === null ? "" : `${against.text.replaceAll(/\s+/g, " ").slice(0, 120)}  ${placed(against.at)}`;
  if (why === "failed") return `${said}\n   last: ${place}`;
  return `${said}\n   ${why === "never" ? "no tests were run" : "tests were run before, and none"} since: ${place}`;
}
