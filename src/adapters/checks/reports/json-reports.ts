/** The JSON of vitest and jest, whose shape is one, and of mocha. Pure. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder, type TestOutcome } from "./report-builder.ts";

type Fields = Readonly<Record<string, unknown>>;

const OUTCOMES: Readonly<Record<string, TestOutcome>> = { passed: "passed", failed: "failed" };

/** The object in a text that begins or ends with something else; null: there is none. */
function objectIn(text: string, mark: string): Fields | null {
  const last = text.lastIndexOf("}");
  if (last < 0 || !text.includes(mark)) return null;
  for (let tries = 0, at = -1; tries < MOST_TRIES; tries++) {
    at = at < 0 && text.startsWith("{") ? 0 : text.indexOf("\n{", Math.max(at, 0)) + 1;
    if (at === 0 && tries > 0) return null;
    if (text[at] !== "{") return null;
    try {
      return fieldsOf(JSON.parse(text.slice(at, last + 1)));
    } catch {
      // The line began like one: the report may begin later.
    }
  }
  return null;
}

const MOST_TRIES = 50;

export function readJest(text: string): TestReport | null {
  const document = objectIn(text, '"testResults"');
  const { testResults, numTotalTests, success } = document ?? {};
  if (document === null || !Array.isArray(testResults)) return null;
  const builder = createReportBuilder();
  for (const file of testResults.map(fieldsOf)) {
    const path = textOf(file["name"]);
    const results = Array.isArray(file["assertionResults"]) ? file["assertionResults"].map(fieldsOf) : [];
    for (const result of results) {
      const above = Array.isArray(result["ancestorTitles"]) ? result["ancestorTitles"].map(textOf) : [];
      builder.add([path, ...above, textOf(result["title"])], OUTCOMES[textOf(result["status"])] ?? "skipped");
    }
    if (file["status"] === "failed" && !results.some(({ status }) => status === "failed")) builder.error([path]);
  }
  const { passed, failed, skipped } = builder.counts();
  const total = passed + failed + skipped;
  const incomplete =
    numTotalTests !== total
      ? `it counts ${String(numTotalTests)} tests and holds ${total}`
      : success === true && failed > 0
        ? "it says success and holds failures"
        : null;
  return builder.report("numRuntimeErrorTestSuites" in document ? "jest" : "vitest", incomplete);
}

export function readMochaJson(text: string): TestReport | null {
  const document = objectIn(text, '"fullTitle"');
  const { stats, tests, passes, failures, pending } = document ?? {};
  if (typeof stats !== "object" || !Array.isArray(tests)) return null;
  const builder = createReportBuilder();
  const take = (list: unknown, outcome: TestOutcome): number => {
    const items = Array.isArray(list) ? list.map(fieldsOf) : [];
    for (const { file, fullTitle, title } of items) {
      const [full, own] = [textOf(fullTitle), textOf(title)];
      const above = full.endsWith(own) ? full.slice(0, full.length - own.length) : full;
      builder.add([textOf(file), above, own], outcome);
    }
    return items.length;
  };
  const counted = fieldsOf(stats);
  const whole =
    take(passes, "passed") === counted["passes"] &&
    take(failures, "failed") === counted["failures"] &&
    take(pending, "skipped") === counted["pending"];
  return builder.report("mocha", whole ? null : "its counts and its tests disagree");
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
