/** A rule file as it is now, whether it is a good one or not. */
import type { Problem } from "../core/problem.ts";
import type { Rule } from "./match/rule.ts";
import type { RuleFolder } from "./place.ts";

export interface RuleFile {
  /** Absolute. */
  readonly path: string;
  readonly owner: RuleFolder["owner"];
  /** Null: it is a bad one, and is skipped. What could not be read forbids everything (`unreadRule`). */
  readonly rule: Rule | null;
  /** Why it is bad or could not be read; empty: neither. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** What is kept of a file that was read. */
export interface Kept {
  /** What the file looked like. */
  readonly key: string;
  /** Null: it is a bad one. */
  readonly rule: Rule | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}
