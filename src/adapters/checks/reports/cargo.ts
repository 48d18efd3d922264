/** The text of `cargo test`. Pure. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder } from "./report-builder.ts";

const BEGIN = /^running (\d+) tests?$/;
const TEST = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/;
const END = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/;

const OUTCOMES = { ok: "passed", FAILED: "failed", ignored: "skipped" } as const;

/** With -q a test that failed is named by what it printed alone, and none that passed. */
const PRINTED = /^---- (\S+) stdout ----$/;

/** Each binary has a part of its own. */
export function readCargo(lines: readonly string[]): TestReport | null {
  const builder = createReportBuilder();
  const counted = { passed: 0, failed: 0, skipped: 0 };
  const named = new Set<string>();
  let [begun, ended, isQuiet] = [0, 0, false];
  for (const line of lines) {
    if (BEGIN.test(line)) begun += 1;
    const [, printed] = PRINTED.exec(line) ?? [];
    const isUnnamed = printed !== undefined && !named.has(printed);
    isQuiet ||= isUnnamed;
    const [, name = printed, outcome = "FAILED"] = TEST.exec(line) ?? [];
    if (name !== undefined && (printed === undefined || isUnnamed))
      builder.add([name], OUTCOMES[outcome as keyof typeof OUTCOMES]);
    if (name !== undefined) named.add(name);
    const [, passed, failed, ignored] = END.exec(line) ?? [];
    if (passed === undefined) continue;
    ended += 1;
    counted.passed += Number(passed);
    counted.failed += Number(failed);
    counted.skipped += Number(ignored);
  }
  if (begun === 0) return null;
  const shown = builder.counts();
  const fits = (["passed", "failed", "skipped"] as const).every((outcome) => shown[outcome] === counted[outcome]);
  return builder.report(
    "cargo",
    begun !== ended
      ? `${begun} runs have begun and ${ended} have ended`
      : fits
        ? isQuiet
          ? "it names no test that passes: run it without -q"
          : null
        : `it counts ${counted.passed} passed and ${counted.failed} failed, and shows ${shown.passed} and ${shown.failed}`,
  );
}
