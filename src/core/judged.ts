/**
 * What a judge decided, by leaf and tree: it is not asked again there, so that nothing is paid for twice and no verdict that
 * passed flips (SPEC section 6).
 *
 * JUDGED-1 a leaf is its item and its definition: a changed one was never judged. A person's word is no judge's;
 * JUDGED-2 what is known of the last TREES_JUDGED trees is kept, in all runs.
 */
import type { Leaf, ChecklistVerdict, LeafResult } from "./verdict.ts";
import { checkNodesOf, isMechanical } from "./verdict.ts";

export interface Judged extends LeafResult {
  readonly tree: string;
  /** `keyOf` the leaf. */
  readonly leaf: string;
}

const TREES_JUDGED = 3;

/** What is known once this verdict came to it. */
export function withJudged(
  known: readonly Judged[],
  { tree, verdict }: { readonly tree?: string; readonly verdict: ChecklistVerdict },
): readonly Judged[] {
  if (tree === undefined) return known;
  const found = checkNodesOf(verdict.checklist).flatMap((node): readonly Judged[] => {
    const { item: _, check, ...result } = node;
    const isDecided = result.passed !== null && !isMechanical(check);
    const isPersons =
      check.type === "assertion" && result.passed === true && result.requires_user_confirmation !== true;
    return isDecided && !isPersons ? [{ ...result, tree, leaf: keyOf(node) }] : [];
  });
  const fresh = found.filter(({ leaf }) => !known.some((one) => one.tree === tree && one.leaf === leaf));
  if (fresh.length === 0) return known;
  const all = [...known, ...fresh];
  const last = new Set([...new Set(all.map((one) => one.tree))].slice(-TREES_JUDGED));
  return all.filter((one) => last.has(one.tree));
}

/** What a judge decided of this leaf on that tree; undefined: nothing yet. */
export function judgedOn(known: readonly Judged[], tree: string | undefined, leaf: Leaf): LeafResult | undefined {
  const key = keyOf(leaf);
  const found = known.find((one) => one.tree === tree && one.leaf === key);
  if (found === undefined) return undefined;
  const { tree: _, leaf: __, ...result } = found;
  return result;
}

function keyOf({ item, check }: Pick<Leaf, "item" | "check">): string {
  return JSON.stringify([item, check]);
}
