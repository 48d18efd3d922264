/** Repeats checks until a verdict is hardly due to luck (SPEC section 6; core/luck.ts says how often). */
import { groundsOf, toRunAgain, type Grounds } from "../core/believed.ts";
import { withRun } from "../core/tree-answers.ts";
import { checkNodesOf, type ChecklistVerdict } from "../core/verdict.ts";
import type { BaseCase } from "../core/state.ts";

/**
 * Repeats checks of a verdict, round by round, until it counts.
 * @param grounds what was known before this verdict
 * @param verify runs some of the checks in the folder of the first verdict
 */
export async function runAgain(
  first: ChecklistVerdict,
  grounds: Grounds,
  verify: (baseCase: BaseCase) => Promise<ChecklistVerdict>,
): Promise<ChecklistVerdict> {
  let verdict = first;
  for (;;) {
    const checklist = toRunAgain(verdict, groundsOf(verdict, grounds));
    if (checklist.length === 0) return verdict;
    const again = await verify({ checklist });
    // The round was stopped: it decides nothing.
    if (checkNodesOf(again.checklist).some(({ passed }) => passed === null)) return verdict;
    verdict = withRun(verdict, again, grounds.tree);
  }
}
