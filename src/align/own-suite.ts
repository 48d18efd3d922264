/** The project's own tests beside a draft that names none: where they pass now they have to stay so (SPEC section 6). */
import { parseCheck } from "../core/check-text.ts";
import type { BaseCase, ChecklistItem } from "../core/state.ts";
import { checklistOf, judge, leavesOf } from "../core/verdict.ts";
import { checkCandidates } from "../project/check-candidates.ts";
import type { AlignedReport } from "./align-loop.ts";
import { itemOf } from "./alignment.ts";

const SUITE = /\b(tests?|specs?|jest|mocha|vitest|pytest|tap|ava)\b/;

/** Null: the project has none that is known, or the base case names it. */
export function ownSuite(baseCase: BaseCase, dir: string): ChecklistItem | null {
  const found = checkCandidates(dir).find(({ check }) => SUITE.test(check));
  const read = found === undefined ? null : parseCheck(found.check);
  if (read?.ok !== true) return null;
  const suite = itemOf(read.value, true);
  const isNamed = leavesOf(baseCase).some(
    ({ item, check }) =>
      item === suite.item ||
      (check.type === "command" && SUITE.test(check.value) && (check.baseline ?? check.expect) !== undefined),
  );
  return isNamed ? null : suite;
}

/** As the last of its checklist. */
export function withSuite(baseCase: BaseCase, suite: ChecklistItem): BaseCase {
  return { checklist: [...checklistOf(baseCase), suite] };
}

/** Whether what `withSuite` added passes, in a fresh place as here. */
export function suiteHolds({ base_case, leaves, warnings }: AlignedReport): boolean {
  const last = checklistOf(base_case).length - 1;
  return leaves.at(-1)?.standing === "invariant" && !warnings.some(({ path }) => path[0] === last);
}

/** The report as if `withSuite` had added nothing. */
export function withoutSuite(report: AlignedReport): AlignedReport {
  const checklist = checklistOf(report.base_case).slice(0, -1);
  const kept = <T extends { readonly path: readonly number[] }>(all: readonly T[]): readonly T[] =>
    all.filter(({ path }) => path[0] !== checklist.length);
  const leaves = kept(report.leaves);
  let place = 0;
  // Leaves are visited in the order of the file.
  const verdict = judge({ checklist }, () => leaves[place++]?.result);
  return {
    ...report,
    base_case: { checklist },
    leaves,
    verdict,
    warnings: kept(report.warnings),
    doubts: kept(report.doubts),
    would_complete_now: verdict.passed === true,
  };
}
