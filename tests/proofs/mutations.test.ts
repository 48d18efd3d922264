/** Rules that find no bug prove nothing: `npm run evidence -- planted-bugs` shows that each planted one is found. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTATIONS } from "../../proofs/mutations.ts";
import { ALL_RULES } from "../../proofs/rules/table.ts";

test("every rule has a planted bug", () => {
  const hunted = new Set(MUTATIONS.map((mutation) => mutation.rule));
  expect(ALL_RULES.map((rule) => rule.id).filter((rule) => !hunted.has(rule))).toEqual([]);
});

test("the text that a planted bug replaces stands in its file exactly once", () => {
  const lost = MUTATIONS.filter(({ file, find }) => readFileSync(file, "utf8").split(find).length !== 2);
  expect(lost.map(({ file, find }) => `${file}: ${find}`)).toEqual([]);
});
