/** What runners whose texts are not read test by test print at their end, whether tests pass or fail. Pure. */
import type { TestReport } from "../../../core/test-report.ts";

export const CLOSING_LINES: readonly { readonly name: string; readonly mark: RegExp }[] = [
  { name: "jest", mark: /^Tests: +(?:\d+ \w+, )*\d+ total$/m },
  { name: "vitest", mark: /^ *Tests {2,}\d+ \w+(?: \| \d+ \w+)* \(\d+\)$/m },
  { name: "minitest", mark: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors\b/m },
  { name: "rspec", mark: /^\d+ examples?, \d+ failures?\b/m },
  { name: "prove", mark: /^Files=\d+, Tests=\d+\b/m },
  { name: "ExUnit", mark: /^\d+ tests?, \d+ failures?\b/m },
  { name: "XCTest", mark: /^\s*Executed \d+ tests?, with \d+ failures?\b/m },
  { name: "deno", mark: /^(?:ok|FAILED) \| \d+ passed\b/m },
  { name: "bun", mark: /^Ran \d+ tests? across \d+ files?\b/m },
  { name: "ctest", mark: /^\d+% tests passed, \d+ tests failed out of \d+/m },
  { name: "dotnet", mark: /^(?:Passed|Failed)! +- Failed: +\d+/m },
  { name: "phpunit", mark: /^(?:OK \(\d+ tests?, \d+ assertions?\)|Tests: \d+, Assertions: \d+)/m },
];

/** It says that the runner came to its end, and nothing of its tests. */
export function endedReport(format: string): TestReport {
  return { format, tests: new Map(), errors: [], incomplete: "it names no test" };
}
