/** The text of Python's unittest, which Django and nose2 print as well: the failures, with -v every test. Pure. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder, type TestOutcome } from "./report-builder.ts";

const ID = String.raw`(\S+) \(([\w.<>]+)\)`;
const FAILURE = new RegExp(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): ${ID}`);
const BEGIN = new RegExp(`^${ID}`);
const OUTCOME = / \.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b/;
const RAN = /^Ran (\d+) tests? in [\d.]+s$/;
const END = /^(?:OK|FAILED|NO TESTS RAN)(?: \(.*\))?$/;

const OUTCOMES: Readonly<Record<string, TestOutcome>> = {
  ok: "passed",
  skipped: "skipped",
  "expected failure": "skipped",
};

/** @param lines without colours */
export function readUnittest(lines: readonly string[]): TestReport | null {
  const builder = createReportBuilder();
  const found = new Map<string, { readonly parts: readonly string[]; readonly outcome: TestOutcome }>();
  let [ran, ended, isVerbose] = [-1, false, false];
  let open: RegExpExecArray | null = null;
  for (const line of lines) {
    const failure = FAILURE.exec(line);
    open = failure ?? BEGIN.exec(line) ?? open;
    const [, word] = OUTCOME.exec(line) ?? [];
    isVerbose ||= word !== undefined;
    if (open !== null && (failure !== null || word !== undefined)) {
      const [, title = "", place = ""] = open;
      const outcome = failure === null ? (OUTCOMES[word ?? ""] ?? "failed") : "failed";
      // What could not be loaded, and a fixture of a class or a module, is no test.
      if (place.includes("_FailedTest") || /^(?:setUp|tearDown)(?:Class|Module)$/.test(title)) builder.error([title]);
      else {
        // From Python 3.11 on the place ends in the title.
        const parts = [place.endsWith(`.${title}`) ? place.slice(0, -title.length - 1) : place, title];
        const name = parts.join(" ");
        if (found.get(name)?.outcome !== "failed") found.set(name, { parts, outcome });
      }
    }
    const [, count] = RAN.exec(line) ?? [];
    if (count !== undefined) ran = Math.max(ran, 0) + Number(count);
    if (ran >= 0) ended ||= END.test(line);
  }
  if (!ended) return null;
  for (const { parts, outcome } of found.values()) builder.add(parts, outcome);
  const report = builder.report("unittest", null);
  const { failed, skipped } = builder.counts();
  const shown = found.size + report.errors.length;
  // Where all fail all have names, and none has once they pass.
  return isVerbose && shown >= ran
    ? report
    : {
        ...report,
        incomplete: "it names no test that passes: run it with -v",
        counted: { passed: Math.max(0, ran - shown), failed: failed + report.errors.length, skipped },
      };
}
