/** Checks are run again until luck can hardly be the reason of a verdict (SPEC section 6; core/luck.ts says how often). */
import { groundsOf, toRunAgain, type Grounds } from "../core/believed.ts";
import { withRun } from "../core/tree-answers.ts";
import { checkNodesOf, type ChecklistVerdict } from "../core/verdict.ts";
import type { BaseCase } from "../core/state.ts";

/**
 * The same checks once more in the same folder, one round behind the other, until the verdict counts.
 * @param grounds what is known without this verdict
 * @param verify runs some of the checks, there
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
    // What was stopped has decided nothing.
    if (checkNodesOf(again.checklist).some(({ passed }) => passed === null)) return verdict;
    verdict = withRun(verdict, again, grounds.tree);
  }
}
