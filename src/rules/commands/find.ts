/** The rule that a person means. */
import type { RuleFile } from "../file.ts";
import { nearest } from "../../core/nearest.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";

/** @param owner whose rule; null: anybody's, as long as only one has the name */
export function foundRule(files: readonly RuleFile[], name: string, owner: RuleFile["owner"] | null): Result<RuleFile> {
  const named = files.filter((file) => file.rule?.name === name && (owner === null || file.owner === owner));
  const [first, second] = named;
  if (first === undefined) {
    const names = files.flatMap(({ rule }) => rule?.name ?? []);
    const known = names.length === 0 ? "there are no rules here; add one with `aot rules add`" : nearest(name, names);
    return refused(`there is no rule ${name}`, known);
  }
  if (second === undefined) return accepted(first);
  return refused(
    `several rules are called ${name}: ${named.map(({ path }) => path).join(", ")}`,
    "rename one of them, or name your own with --user",
  );
}
