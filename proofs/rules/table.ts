/** Every rule that the exploration checks, in one list. */
import { ENDING } from "./ending.ts";
import { FUEL } from "./fuel.ts";
import type { Rule } from "./rule.ts";
import { WORK } from "./work.ts";

/** Checked on the whole graph of a loop's worlds, once it is known (`explore.ts`). */
export const HALTS = {
  id: "HALTS",
  says: "every history ends: the worlds of a loop form no circle, and while a loop has not ended the world owes it something",
  source: "SPEC 4",
} as const;

/** Nothing that the product's own functions throw is ever an answer (`explore.ts`). */
export const SOUND = {
  id: "SOUND",
  says: "no history makes the product throw",
  source: "SPEC 4",
} as const;

/** Checked on every transition. */
export const RULES: readonly Rule[] = [...FUEL, ...WORK, ...ENDING];

/** What is printed of each. */
export const ALL_RULES: readonly { readonly id: string; readonly says: string; readonly source: string }[] = [
  HALTS,
  SOUND,
  ...RULES,
];
