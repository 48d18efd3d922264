/**
 * Transcripts as a stream of what happened in them, with bounded memory (SPEC section 12).
 */
import { createByteLines, type Line } from "../core/byte-lines.ts";
import type { Entry, LineReading } from "./analyze/read/entry.ts";
import { parseObject } from "./analyze/read/json.ts";
import { isOpenCodeExport, readOpenCode } from "./analyze/read/opencode.ts";
import { createReader } from "./analyze/read/reader.ts";
import type { Position } from "./analyze/past-call.ts";
import type { TranscriptFile } from "./replay-sources.ts";

/** Bytes. A line may hold a whole file or a picture. */
const LONGEST_LINE = 8 * 1024 * 1024;
/** Bytes. A session that is one JSON document has to be read as a whole. */
const LONGEST_DOCUMENT = 64 * 1024 * 1024;

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
  const read = createReader();
  const place = ({ text, number }: Line): void => {
    if (text === "") return;
    counts.lines++;
    if (text === null) counts.too_long++;
    else placeEntries(read(text), { file: file.path, line: number }, counts, entries);
  };
  /** The pieces of a document that is no list of lines; null: it is one. */
  let document: Uint8Array[] | null = null;
  counts.files++;
  try {
    let first = true;
    for await (const piece of file.pieces()) {
      counts.bytes += piece.length;
      if (first && isOpenCodeExport(Buffer.from(piece.subarray(0, 1024)).toString("utf8"))) document = [];
      first = false;
      if (document === null) lines.take(piece).forEach(place);
      else if (file.bytes <= LONGEST_DOCUMENT) document.push(piece);
      if (entries.length > 0) yield entries;
      entries = [];
    }
  } catch (error) {
    counts.broken.push({ file: file.path, why: error instanceof Error ? error.message : String(error) });
  }
  if (document !== null) placeDocument(document, file, counts, entries);
  const rest = lines.rest();
  if (rest !== null) place(rest);
  if (entries.length > 0) yield entries;
}

function placeDocument(
  pieces: readonly Uint8Array[],
  { path, bytes }: TranscriptFile,
  counts: ReadCounts,
  entries: PlacedEntry[],
): void {
  counts.lines++;
  const document = bytes > LONGEST_DOCUMENT ? null : parseObject(Buffer.concat(pieces).toString("utf8"));
  if (document === null) counts.too_long++;
  else if (document === undefined) counts.unreadable++;
  else
    for (const [at, reading] of readOpenCode(document).entries())
      placeEntries(reading, { file: path, line: at + 1 }, counts, entries);
}

function placeEntries(reading: LineReading, at: Position, counts: ReadCounts, entries: PlacedEntry[]): void {
  if (reading.kind === "other") counts.other++;
  if (reading.kind === "unreadable") counts.unreadable++;
  if (reading.kind === "unknown") counts.unknown++;
  if (reading.kind !== "entries") return;
  const { cwd, sidechain } = reading;
  for (const entry of reading.entries) entries.push({ entry, at, cwd, sidechain });
}
