/** What the tests of a loop's checks were at its alignment: as recorded, or as this process has learnt it (SPEC section 6). */
import { decides } from "../../verdict/agreed-form.ts";
import { placesIn } from "../../verdict/canary.ts";
import type { Check, Objective } from "../../core/state.ts";
import {
  failuresOf,
  isPerTest,
  testsKey,
  type Before,
  type CommandCheck,
  type RedRun,
} from "../../core/test-report.ts";
import { leavesOf } from "../../core/verdict.ts";
import type { TestMemory } from "../../loop/ports.ts";
import type { CheckerOptions } from "./checker.ts";
import { recordingChecker, type TestsSeen } from "./red-first.ts";
import { beforeOf, readTestRecord, type TestsBefore } from "./test-record.ts";

/** @param own the loop's own folder, where the record is. @param options how what is learnt anew is run */
export function createTestMemory(
  own: string,
  options: CheckerOptions = {},
): TestMemory & { before(objective: Objective, check: CommandCheck): Before } {
  // By the aligned commit: the checks of a loop that is aligned anew have other tests.
  const learnt = new Map<string, TestsBefore>();
  const learntOf = ({ aligned_commit = "" }: Objective): TestsBefore => learnt.get(aligned_commit) ?? new Map();
  const recordFor = (objective: Objective, check: CommandCheck): TestsBefore | "lost" | undefined => {
    const known = learntOf(objective);
    return known.has(testsKey(check)) ? known : readTestRecord(own, objective);
  };
  const before = (objective: Objective, check: CommandCheck): Before => beforeOf(recordFor(objective, check), check);
  const redRun = (objective: Objective, check: Check): RedRun | null => {
    const record = check.type === "command" ? recordFor(objective, check) : undefined;
    const known = check.type !== "command" || record === "lost" ? undefined : record?.get(testsKey(check));
    if (known === undefined) return null;
    return "could_run" in known ? known : { could_run: true, said: known.said ?? "" };
  };
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
      const names = typeof known === "string" ? [] : failuresOf(known);
      if (names.length > 0 || (typeof known !== "string" && known.partial === undefined)) return names;
      // Where tests have no name their files have one.
      const { said = "", could_run = false } = redRun(objective, check) ?? {};
      const files = placesIn(said, (path) => (decides(path) === "test" ? path : null));
      return could_run && files.size > 0 ? [...files.keys()] : null;
    },
    redRun,
    async learn(objective, checks, { dir, env, signal }) {
      const tests: TestsSeen = new Map(learntOf(objective));
      const checker = recordingChecker(tests, { ...options, env: { ...(options.env ?? process.env), ...env } });
      for (const check of checks) await checker.run({ path: [0], item: "as aligned", check }, dir, signal);
      // A command that was ended says nothing of its tests.
      if (!signal.aborted) learnt.set(objective.aligned_commit ?? "", tests);
    },
  };
}
