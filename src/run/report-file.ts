/**
 * What a run came to, as a file (`--report`): the document of `aot run --json`, JUnit for a CI server, where each atom
 * and each check of the base case is a test case, or a page for people. Written whole, however the run ended.
 */
import { extname } from "node:path";
import { writeNamedFile } from "../host/write-named.ts";
import { accepted, describeProblems, type Result } from "../core/problem.ts";
import { loopReport } from "../status/loop-report.ts";
import { junitOf } from "./report-junit.ts";
import type { RunEnd, RunOptions } from "./options.ts";

/** Why the name is no report's; null: it is one. */
export function whyNoReport(file: string): string | null {
  return [".json", ".xml", ".html"].includes(extname(file).toLowerCase())
    ? null
    : `a report is called NAME.json (the document of \`aot run --json\`), NAME.xml (JUnit) or NAME.html (a page), not ${JSON.stringify(file)}`;
}

/** What a report says, in each form that its name can ask for. */
export interface ReportForms {
  document(): object;
  junit(): string;
  page(): Promise<Result<string>>;
}

/** @returns why it could not be written; null: it was */
export async function writeReport(
  file: string,
  end: RunEnd,
  { stateFile, engines }: Pick<RunOptions, "stateFile" | "engines">,
): Promise<string | null> {
  return await writeReportForm(file, {
    document: () => documentOf(end),
    junit: () => junitOf(end),
    page: async () => {
      const report = await loopReport(stateFile, engines);
      return report.ok ? accepted(report.value.html) : report;
    },
  });
}

/** Writes the form that the file's name asks for. @returns why it could not be written; null: it was */
export async function writeReportForm(file: string, forms: ReportForms): Promise<string | null> {
  const text = await textOf(file, forms);
  if (!text.ok) return describeProblems(text.problems);
  const written = writeNamedFile(file, text.value);
  return written.ok ? null : written.message;
}

async function textOf(file: string, forms: ReportForms): Promise<Result<string>> {
  switch (extname(file).toLowerCase()) {
    case ".xml":
      return accepted(forms.junit());
    case ".html":
      return await forms.page();
    default:
      return accepted(`${JSON.stringify(forms.document(), null, 2)}\n`);
  }
}

/** The keys are those of `aot run --json`. */
function documentOf(end: RunEnd): object {
  if (!end.ok) return { success: false, exit_code: end.exit_code, errors: end.problems };
  return { success: end.exit_code === 0, ...end.report, exit_code: end.exit_code };
}
