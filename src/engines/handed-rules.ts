/**
 * Guard rules, handed over with a loop (SPEC sections 12 and 13) to workers, which have neither the project's folder nor the
 * person's: what they forbid agents there do not do, and it is not integrated. They stay as they were at that time.
 */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { accepted, refused, type Result } from "../core/problem.ts";
import { readText } from "../host/regular-file.ts";
import { readRule } from "../rules/match/read-rule.ts";
import type { RuleFile } from "../rules/file.ts";
import { isAboutTools, workerSettings } from "../rules/worker.ts";
import type { Guard } from "../history/extensions.ts";
import { makeFolder } from "../host/make-folder.ts";
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
  const loaded = await loadRules(ruleFolders(root, process.env));
  const files = loaded.filter(({ rule }) => rule?.enabled === true && isAboutTools(rule));
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
    `the guard rules have ${size} characters: at most ${MOST_TEXT} can be handed over`,
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

/**
 * The same for clients whose hooks ask about each tool call: written where those look, as of a project of its own.
 * @param root a folder that nobody else uses
 */
export function guardOf(rules: readonly HandedRule[], root: string): Pick<Guard, "settings" | "files"> {
  if (rules.length === 0) return {};
  const folder = join(root, ".claude");
  makeFolder(folder);
  const files = rules.map(({ file, owner, text }) => {
    // One of the person's own that has the name of one of the project's stays beside it.
    const path = join(folder, owner === "user" ? file.replace(/^hookify\./, "hookify.user-") : file);
    writeFileSync(path, text);
    return path;
  });
  return {
    settings: () => workerSettings(root, [process.execPath, ...process.argv.slice(1, 2)]),
    files: () => Promise.resolve(files),
  };
}
