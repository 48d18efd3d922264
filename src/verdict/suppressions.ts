/** Comments of the work that tell a tool to pass over code (SPEC section 6): they are shown and refuse nothing. Pure. */
import { isCode, isDocument } from "./agreed-form.ts";
import { MOST_LOOKED_AT } from "./as-agreed.ts";
import type { AlignedFiles } from "./agreed-files.ts";

const COMMENT = String.raw`(?:\/\/|\/\*|#|--|<!--)\s*`;
const SUPPRESSION = new RegExp(
  String.raw`${COMMENT}(@?[\w-]+[:\s-]+(?:ignore|disable|no cover|expect-error|skip|noqa|nocheck)[\w-]*|@ts-nocheck|no(?:qa|lint|sec)\b)|(#!?\[allow\([\w:]+\)\]|@SuppressWarnings)`,
  "gi",
);

/** What is new, one text for each file: its path and what it says. */
export async function suppressionsAdded({
  changed,
  before,
  now,
}: Pick<AlignedFiles, "changed" | "before" | "now">): Promise<readonly string[]> {
  const found: string[] = [];
  const looked = changed.filter((path) => isCode(path) || isDocument(path));
  for (const path of looked.slice(0, MOST_LOOKED_AT)) {
    const mine = saidIn(now(path));
    const theirs = mine.length === 0 ? [] : saidIn(await before(path));
    const added = mine.filter((one) => !theirs.includes(one) || mine.length > theirs.length);
    if (added.length > 0) found.push(`${path} (${[...new Set(added)].join(", ")})`);
  }
  return found;
}

function saidIn(text: string | null): readonly string[] {
  return [...(text ?? "").matchAll(SUPPRESSION)].map(([, one, other]) => (one ?? other ?? "").trim());
}
