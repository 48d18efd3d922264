/** Where a command's test report is: in its output, or in files that it wrote (SPEC section 6). */
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { TestReport } from "../../../core/test-report.ts";
import { findMatches } from "../find-matches.ts";
import { joined, readReport, REPORT_FORMATS } from "./read-report.ts";

/** Of an output, or of all files together. */
const REPORT_BYTES = 32 * 1024 * 1024;
const TOO_LARGE = `the output or its test report is larger than ${REPORT_BYTES / 1024 / 1024} MB, so no test is read`;
const NO_REPORT = "no test report can be read from its output";

type Stream = "stdout" | "stderr";

export interface ReportSource {
  /** Given every part of what the command prints, each stream for itself: a line of one may come between two of the other. */
  readonly take: Readonly<Record<Stream, (chunk: Buffer) => void>>;
  /** The folder, as the command sees it: paths in its report begin with it. */
  readonly seenAs: (folder: string) => void;
  /** Once it has ended: its tests, or why they cannot be read. Never rejects. */
  readonly read: () => Promise<TestReport | string>;
}

/**
 * Called before the command runs: a file that was there already is no report of this run.
 * @param report as the check has it: a format, a file or a glob in `dir`; absent: any known format of the output
 */
export async function reportSource(
  report: string | undefined,
  dir: string,
  signal: AbortSignal,
): Promise<ReportSource> {
  const roots = [...new Set([dir, await realpath(dir).catch(() => dir)])].map((root) => root.replace(/[\\/]+$/, ""));
  const seenAs = (folder: string): void => void (roots.includes(folder) || roots.push(folder));
  const isFile = report !== undefined && !REPORT_FORMATS.has(report);
  if (!isFile) return { ...fromOutput(roots, report), seenAs };
  const before = new Map((await filesOf(report, dir, signal)).map((file) => [file.path, file.version]));
  return {
    take: { stdout: () => {}, stderr: () => {} },
    seenAs,
    read: async () => {
      const found = (await filesOf(report, dir, signal)).filter(({ path, version }) => before.get(path) !== version);
      if (found.length === 0) return `the command wrote no test report ${report}`;
      if (found.reduce((sum, { bytes }) => sum + bytes, 0) > REPORT_BYTES) return TOO_LARGE;
      let whole: TestReport | null = null;
      for (const { path } of found) {
        const text = await contentOf(join(dir, path)).catch(() => null);
        const read = text === null ? null : readReport(text, roots);
        if (read === null) return `${path} holds no test report that is known`;
        whole = whole === null ? read : joined(whole, read);
      }
      return whole ?? NO_REPORT;
    },
  };
}

function fromOutput(roots: readonly string[], format: string | undefined): Omit<ReportSource, "seenAs"> {
  let bytes = 0;
  const kept: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  const into = (stream: Stream) => (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > REPORT_BYTES) [kept.stdout, kept.stderr] = [[], []];
    else kept[stream].push(chunk);
  };
  const readOf = (stream: Stream): TestReport | null =>
    readReport(Buffer.concat(kept[stream]).toString("utf8"), roots, format);
  return {
    take: { stdout: into("stdout"), stderr: into("stderr") },
    read: () => Promise.resolve(bytes > REPORT_BYTES ? TOO_LARGE : (readOf("stdout") ?? readOf("stderr") ?? NO_REPORT)),
  };
}

interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Another one after each writing. */
  readonly version: string;
}

async function filesOf(report: string, dir: string, signal: AbortSignal): Promise<readonly FoundFile[]> {
  // Nothing outside is written for this run alone.
  if (isAbsolute(report) || report.split(/[\\/]/).includes("..")) return [];
  const found = await findMatches(report, { dir, signal, max_matches: MOST_FILES, own_folders: [] });
  const files: FoundFile[] = [];
  for (const path of found.ok ? found.matches : []) {
    const facts = await stat(join(dir, path), { bigint: true }).catch(() => null);
    if (facts === null || !facts.isFile()) continue;
    files.push({
      path,
      bytes: Number(facts.size),
      version: `${facts.ino}:${facts.mtimeNs}:${facts.ctimeNs}:${facts.size}`,
    });
  }
  return files;
}

const MOST_FILES = 10_000;

/** A file that grows while it is read is read no further than the bound. */
async function contentOf(path: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(path, { end: REPORT_BYTES - 1 })) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
