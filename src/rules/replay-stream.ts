/**
 * Transcripts as a stream of what happened in them, with bounded memory (SPEC section 12).
 */
import { createByteLines, type Line } from "../core/byte-lines.ts";
import { readEntryLine, type Entry } from "./analyze/entry.ts";
import type { Position } from "./analyze/past-call.ts";
import type { TranscriptFile } from "./replay-sources.ts";

/** Bytes. A line of Claude Code's may hold a whole file or a picture. */
const LONGEST_LINE = 8 * 1024 * 1024;

/** What was read of all files together. */
export interface ReadCounts {
  files: number;
  bytes: number;
  lines: number;
  /** Lines of other kinds: neither words nor calls. */
  other: number;
  /** Lines that cannot be read, by reason. */
  too_long: number;
  unreadable: number;
  unknown: number;
  /** Files that could not be read to their end, each with why. */
  readonly broken: { readonly file: string; readonly why: string }[];
}

export function noCounts(): ReadCounts {
  return { files: 0, bytes: 0, lines: 0, other: 0, too_long: 0, unreadable: 0, unknown: 0, broken: [] };
}

export interface PlacedEntry {
  readonly entry: Entry;
  readonly at: Position;
  /** The session's folder then. */
  readonly cwd: string;
  readonly sidechain: boolean;
}

/**
 * What happened in one file, a piece of it at a time; the next piece is read when the caller is done with this one.
 * Never throws for what the file holds or for a file that cannot be read: that is in the counts.
 */
export async function* readTranscript(
  file: TranscriptFile,
  counts: ReadCounts,
): AsyncGenerator<readonly PlacedEntry[]> {
  let entries: PlacedEntry[] = [];
  const lines = createByteLines(LONGEST_LINE);
  const place = ({ text, number }: Line): void => {
    if (text === "") return;
    counts.lines++;
    if (text === null) counts.too_long++;
    else placeEntries(text, { file: file.path, line: number }, counts, entries);
  };
  counts.files++;
  try {
    for await (const piece of file.pieces()) {
      counts.bytes += piece.length;
      lines.take(piece).forEach(place);
      if (entries.length > 0) yield entries;
      entries = [];
    }
  } catch (error) {
    counts.broken.push({ file: file.path, why: error instanceof Error ? error.message : String(error) });
  }
  const rest = lines.rest();
  if (rest !== null) place(rest);
  if (entries.length > 0) yield entries;
}

function placeEntries(text: string, at: Position, counts: ReadCounts, entries: PlacedEntry[]): void {
  const reading = readEntryLine(text);
  if (reading.kind === "other") counts.other++;
  if (reading.kind === "unreadable") counts.unreadable++;
  if (reading.kind === "unknown") counts.unknown++;
  if (reading.kind !== "entries") return;
  const { cwd, sidechain } = reading;
  for (const entry of reading.entries) entries.push({ entry, at, cwd, sidechain });
}
