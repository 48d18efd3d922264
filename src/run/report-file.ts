/**
 * What a run came to, as a file (`--report`): the document of `aot run --json`, or a page for people. Written whole,
 * however the run ended.
 */
import { extname } from "node:path";
import { writeNamedFile } from "../host/atomic-write.ts";
import { accepted, describeProblems, type Result } from "../core/problem.ts";
import { loopReport } from "../status/loop-report.ts";
import type { RunEnd, RunOptions } from "./options.ts";

/** Why the name is no report's; null: it is one. */
export function whyNoReport(file: string): string | null {
  return [".json", ".html"].includes(extname(file).toLowerCase())
    ? null
    : `a report is called NAME.json (the document of \`aot run --json\`) or NAME.html (a page), not ${JSON.stringify(file)}`;
}

/** @returns why it could not be written; null: it was */
export async function writeReport(
  file: string,
  end: RunEnd,
  options: Pick<RunOptions, "stateFile" | "engines">,
): Promise<string | null> {
  const text = await textOf(file, end, options);
  if (!text.ok) return describeProblems(text.problems);
  const written = writeNamedFile(file, text.value);
  return written.ok ? null : written.message;
}

async function textOf(
  file: string,
  end: RunEnd,
  { stateFile, engines }: Pick<RunOptions, "stateFile" | "engines">,
): Promise<Result<string>> {
  if (extname(file).toLowerCase() !== ".html") return accepted(`${JSON.stringify(documentOf(end), null, 2)}\n`);
  const report = await loopReport(stateFile, engines);
  return report.ok ? accepted(report.value.html) : report;
}

/** The keys are those of `aot run --json`. */
function documentOf(end: RunEnd): object {
  if (!end.ok) return { success: false, exit_code: end.exit_code, errors: end.problems };
  return { success: end.exit_code === 0, ...end.report, exit_code: end.exit_code };
}
