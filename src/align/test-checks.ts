/** Commands whose tests fail before the work: which failures have to go, and which do not block (SPEC section 6). Pure. */
import { failuresBefore, type RedFirstReport } from "../adapters/checks/red-first.ts";
import type { BaseCase } from "../core/state.ts";
import type { CommandCheck } from "../core/test-report.ts";
import { mapChecks } from "../edit/map-checks.ts";

/** A command that is red, and the names of what fails in it. */
export interface RedTests {
  readonly check: CommandCheck;
  readonly failures: readonly string[];
}

/** Those of which nobody has said yet what is expected of their tests. */
export function redTests({ leaves, tests }: RedFirstReport): readonly RedTests[] {
  return leaves.flatMap(({ check, standing }) => {
    if (check.type !== "command" || check.expect !== undefined || standing !== "red") return [];
    const failures = failuresBefore(tests, check);
    return failures.length === 0 ? [] : [{ check, failures }];
  });
}

/** The base case where no test of these commands may get worse, and the named ones have to pass. */
export function withNoWorse(
  baseCase: BaseCase,
  checks: readonly CommandCheck[],
  must_pass: readonly string[] = [],
): BaseCase {
  const wanted = new Set(checks.map((check) => JSON.stringify(check)));
  return mapChecks(baseCase, (check) => {
    if (check.type !== "command" || !wanted.has(JSON.stringify(check))) return check;
    return { ...check, expect: "no_worse", ...(must_pass.length === 0 ? {} : { must_pass }) };
  });
}

/** An invariant that fails already cannot stay so: no test of it may get worse. */
export function withRedInvariants(baseCase: BaseCase, report: RedFirstReport): BaseCase {
  const checks = redTests(report).flatMap(({ check }) => (check.baseline === "pass" ? [check] : []));
  return checks.length === 0 ? baseCase : withNoWorse(baseCase, checks);
}
