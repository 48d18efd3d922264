/** What agents claimed in past sessions, and in the one that stops now, against their own tools' answers (SPEC section 17). */
import { createAudit, type ClaimKind, type Unbacked } from "./analyze/audit.ts";
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
    const audit = createAudit((found) => unbacked.push(found));
    for await (const entries of readTranscript(file, counts)) {
      for (const { entry, at, cwd, sidechain } of entries) if (!sidechain) audit.take(entry, at, cwd);
      if (signal?.aborted === true) break;
    }
    audit.stop();
    claims += audit.claims();
    if (signal?.aborted === true) break;
  }
  return { ok: true, value: { counts, claims, unbacked } };
}

/** Characters of a transcript's end that are looked at when an agent stops: its last steps, in a few milliseconds. */
const LOOKED_AT = 192 * 1024;

/** What the agent claims at its stop without being backed, by the end of its transcript. */
export function auditEnd(transcript: string, file: string, said: string): readonly Unbacked[] {
  const begin = transcript.length <= LOOKED_AT ? 0 : transcript.indexOf("\n", transcript.length - LOOKED_AT) + 1;
  const first = transcript.slice(0, begin).split("\n").length;
  const found: Unbacked[] = [];
  const audit = createAudit((one) => found.push(one));
  const read = createReader();
  const lines = transcript.slice(begin).split("\n");
  for (const [index, line] of lines.entries()) {
    const reading = line === "" ? null : read(line);
    if (reading?.kind !== "entries" || reading.sidechain) continue;
    for (const entry of reading.entries) audit.take(entry, { file, line: first + index }, reading.cwd);
  }
  const before = found.length;
  // The transcript may be behind what the client tells.
  if (said !== "") audit.take({ kind: "reply", text: said }, { file, line: first + lines.length - 1 }, "");
  audit.stop();
  return found.slice(before);
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
