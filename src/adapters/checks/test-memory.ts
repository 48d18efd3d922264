/** What the tests of a loop's checks were at its alignment: as recorded, or as this process has learnt it (SPEC section 6). */
import type { Objective } from "../../core/state.ts";
import {
  failuresOf,
  isPerTest,
  testsKey,
  type Before,
  type CommandCheck,
  type TestBaseline,
} from "../../core/test-report.ts";
import { leavesOf } from "../../core/verdict.ts";
import type { TestMemory } from "../../loop/ports.ts";
import { recordingChecker } from "./red-first.ts";
import { beforeOf, readTestRecord } from "./test-record.ts";

/** @param own the loop's own folder, where the record is */
export function createTestMemory(
  own: string,
): Omit<TestMemory, "follows"> & { before(objective: Objective, check: CommandCheck): Before } {
  // By the aligned commit: the checks of a loop that is aligned anew have other tests.
  const learnt = new Map<string, ReadonlyMap<string, TestBaseline>>();
  const learntOf = ({ aligned_commit = "" }: Objective): ReadonlyMap<string, TestBaseline> =>
    learnt.get(aligned_commit) ?? new Map();
  const before = (objective: Objective, check: CommandCheck): Before =>
    learntOf(objective).get(testsKey(check)) ?? beforeOf(readTestRecord(own, objective), check);
  return {
    before,
    wanted: (objective) =>
      leavesOf(objective.base_case).flatMap(({ check }) => {
        if (check.type !== "command") return [];
        const known = before(objective, check);
        return known === "lost" || (known === "unknown" && isPerTest(check)) ? [check] : [];
      }),
    failed: (objective, check) => {
      const known = check.type === "command" ? before(objective, check) : "unknown";
      return typeof known === "string" ? null : failuresOf(known);
    },
    async learn(objective, checks, { dir, env, signal }) {
      const tests = new Map(learntOf(objective));
      const checker = recordingChecker(tests, env === undefined ? {} : { env: { ...process.env, ...env } });
      for (const check of checks) await checker.run({ path: [0], item: "as aligned", check }, dir, signal);
      // A command that was ended says nothing of its tests.
      if (!signal.aborted) learnt.set(objective.aligned_commit ?? "", tests);
    },
  };
}
