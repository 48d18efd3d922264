/**
 * What a run came to, as a file for machines (`--report`): the document of `aot run --json`, or JUnit for a CI server,
 * where each atom and each check of the base case is a test case. Written whole, however the run ended.
 */
import { mkdirSync } from "node:fs";
import { dirname, extname } from "node:path";
import { writeFileAtomicSync } from "../host/atomic-write.ts";
import { explainWrite } from "../host/write-failure.ts";
import { junitOf } from "./report-junit.ts";
import type { RunEnd } from "./run-options.ts";

/** Why the name is no report's; null: it is one. */
export function whyNoReport(file: string): string | null {
  return [".json", ".xml"].includes(extname(file).toLowerCase())
    ? null
    : `a report is called NAME.json (the document of \`aot run --json\`) or NAME.xml (JUnit), not ${JSON.stringify(file)}`;
}

/** @returns why it could not be written; null: it was */
export function writeReport(file: string, end: RunEnd): string | null {
  const text = extname(file).toLowerCase() === ".xml" ? junitOf(end) : `${JSON.stringify(documentOf(end), null, 2)}\n`;
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    return explainWrite(file, error).message;
  }
  const written = writeFileAtomicSync(file, text);
  return written.ok ? null : written.message;
}

/** The keys are those of `aot run --json`. */
function documentOf(end: RunEnd): object {
  if (!end.ok) return { success: false, exit_code: end.exit_code, errors: end.problems };
  return { success: end.exit_code === 0, ...end.report, exit_code: end.exit_code };
}
