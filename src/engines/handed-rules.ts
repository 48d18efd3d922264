/**
 * Guard rules for files, handed over with a loop (SPEC sections 12 and 13): work that they forbid is not integrated by a
 * worker, which has neither the project's folder nor the person's. They stay as they were when the loop was handed over.
 */
import { basename } from "node:path";
import { accepted, refused, type Result } from "../core/problem.ts";
import { readText } from "../host/regular-file.ts";
import { readRule } from "../rules/match/read-rule.ts";
import type { RuleFile } from "../rules/file.ts";
import { isAboutFiles } from "../rules/gate.ts";
import { loadRules } from "../rules/load.ts";
import { ruleFolders, type RuleFolder } from "../rules/place.ts";

/** The file's whole text: what it means is for its reader to say. */
export interface HandedRule {
  readonly file: string;
  readonly owner: RuleFolder["owner"];
  readonly text: string;
}

/** Characters of all of them: they go along with every task. */
const MOST_TEXT = 128 * 1024;

/** The project's and the person's own, those that are enabled and no others. @param root the project's folder */
export async function rulesToHandOver(root: string): Promise<Result<readonly HandedRule[]>> {
  const files = (await loadRules(ruleFolders(root, process.env))).filter(isAboutFiles);
  const rules: HandedRule[] = [];
  for (const { path, owner } of files) {
    try {
      rules.push({ file: basename(path), owner, text: readText(path) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return refused(`the guard rule ${path} cannot be handed over: ${why}`, "mend, remove or disable it");
    }
  }
  const size = rules.reduce((sum, { text }) => sum + text.length, 0);
  if (size <= MOST_TEXT) return accepted(rules);
  return refused(
    `the guard rules for files have ${size} characters: at most ${MOST_TEXT} can be handed over`,
    "shorten them, or disable those that this loop does not need (`aot rules disable NAME`)",
  );
}

/** As a worker looks at them. One that it cannot read forbids nothing, and says so to `warn`. */
export function rulesHandedOver(rules: readonly HandedRule[], warn: (message: string) => void): readonly RuleFile[] {
  return rules.map(({ file, owner, text }) => {
    const read = readRule(text, file);
    if (!read.ok) warn(`the guard rule ${file} cannot be read here: ${read.problems.map((p) => p.message).join("; ")}`);
    const [rule, problems, warnings] = read.ok ? [read.value.rule, [], read.value.warnings] : [null, read.problems, []];
    return { path: file, owner, rule, problems, warnings };
  });
}
