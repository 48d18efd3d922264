/** What a reader of test reports collects. Pure. */
import { SEPARATOR, type Tally, type TestReport } from "../../../core/test-report.ts";

export type TestOutcome = keyof Tally;

/** A longer name is cut: no output makes one name of it all. */
const LONGEST_NAME = 1_000;

const LONGEST_PATH = 300;

const HOOK = /"(?:before|after) (?:all|each)" hook/;
const FILE = /^\S*[\\/]\S*\.\w{1,5}$|^\S+\.[cm]?[jt]sx?$/;

export interface ReportBuilder {
  /** @param parts from the file, where it is known, to the title */
  add(parts: readonly string[], outcome: TestOutcome, times?: number): void;
  /** Something that failed and is no test. */
  error(parts: readonly string[]): void;
  counts(): Tally;
  report(format: string, incomplete: string | null): TestReport;
}

export function createReportBuilder(): ReportBuilder {
  const tests = new Map<string, Tally>();
  const errors = new Set<string>();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const error = (parts: readonly string[]): void => void errors.add(nameOf(parts));
  return {
    add(parts, outcome, times = 1) {
      counts[outcome] += times;
      const title = parts.at(-1) ?? "";
      // What a runner says of a hook, or of a file that is no test in itself, comes and goes with what it is about.
      if (HOOK.test(title) || (title.length < LONGEST_PATH && FILE.test(title)))
        return outcome === "failed" ? error(parts) : undefined;
      const name = nameOf(parts);
      const known = tests.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
      tests.set(name, { ...known, [outcome]: known[outcome] + times });
    },
    error,
    counts: () => ({ ...counts }),
    report: (format, incomplete) => ({ format, tests, errors: [...errors], incomplete }),
  };
}

function nameOf(parts: readonly string[]): string {
  const said = parts.map((part) => part.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim());
  // JUnit writers say the same of a test in several attributes.
  const kept = said.filter((part, at) => part !== "" && part !== said[at + 1]);
  return kept.join(SEPARATOR).slice(0, LONGEST_NAME);
}
