/**
 * Guard rules before an attempt's work is integrated (SPEC section 12): whatever client worked and whatever it was given,
 * what a rule for files forbids does not get into the integration branch. The attempt fails, and the rule's words are
 * what its next one gets.
 *
 * The rules are those of the moment: one that comes during a run holds from then on. An attempt does not change them.
 */
import { basename, dirname, resolve } from "node:path";
import type { ChangedFile } from "../adapters/workspace/workspace-options.ts";
import { ruleFileName } from "./match/rule.ts";
import { toolSubject, type Subject } from "./match/subject.ts";
import { recordFirings, type Firing } from "./fired.ts";
import { loadRules } from "./load.ts";
import type { RuleFile } from "./file.ts";
import { ruleFolders } from "./place.ts";
import { judgeAction } from "./verdict.ts";

/** Of an attempt that breaks a rule in many files. */
const MOST_FILES_NAMED = 5;

type Gate = (read: () => Promise<readonly ChangedFile[]>) => Promise<string | null>;

interface Watch {
  readonly project: string;
  warn(message: string): void;
  fired?(file: RuleFile, firing: Firing): void;
}

/**
 * Why a change must not be integrated; null: it may.
 * @param project its rules hold, and those of the person who runs it
 * @param warn called with what a rule only warns of
 */
export async function whyForbiddenIn(
  project: string,
  read: Parameters<Gate>[0],
  warn: (message: string) => void,
): ReturnType<Gate> {
  const folders = ruleFolders(project, process.env);
  const fired = (file: RuleFile, firing: Firing): void => {
    for (const folder of folders) if (file.owner === folder.owner) recordFirings(folder, [firing]);
  };
  return await whyForbidden(await loadRules(folders), read, { project, warn, fired });
}

/** As `whyForbiddenIn`, of rules that came from elsewhere and stay as they are: on another host, for one. */
export function createFixedGate(files: readonly RuleFile[], project: string, warn: (message: string) => void): Gate {
  return (read) => whyForbidden(files, read, { project, warn });
}

async function whyForbidden(
  all: readonly RuleFile[],
  read: Parameters<Gate>[0],
  { project, warn, fired: tell }: Watch,
): Promise<string | null> {
  const files = all.filter(isAboutFiles);
  if (files.length === 0) return null;
  const forbidden: string[] = [];
  const changes = await read();
  for (const { path } of changes.filter(isRule)) forbidden.push(`${path}: only a human may change guard rules`);
  for (const changed of changes) {
    const { block, warning, fired } = await judgeAction(files, subjectOf(changed, project), "before");
    if (block !== null) forbidden.push(`${changed.path}: ${block}`);
    if (warning !== null) warn(`a guard rule on ${changed.path}: ${warning}`);
    for (const { file, rule, as } of fired)
      tell?.(file, {
        time: new Date().toISOString(),
        rule: rule.name,
        as,
        event: "file",
        tool: "aot run",
        what: changed.path,
      });
  }
  return forbidden.length === 0 ? null : sentence(forbidden);
}

/** Whether it can say anything about what an attempt changed. */
function isAboutFiles({ rule }: RuleFile): boolean {
  return rule?.enabled === true && rule.events.some((event) => event === "file" || event === "all");
}

/** A rule that held already: a new one may be what the goal asks for. */
function isRule({ path, existed }: ChangedFile): boolean {
  return existed && ruleFileName(basename(path)) !== null && basename(dirname(path)) === ".claude";
}

function sentence(forbidden: readonly string[]): string {
  const more = forbidden.length - MOST_FILES_NAMED;
  const reported = forbidden.slice(0, MOST_FILES_NAMED).join("\n\n");
  return `guard rules forbid this change, so that it was not integrated:\n${reported}${more > 0 ? `\n\n(and ${more} more files)` : ""}`;
}

/** What a client's hook would have received: a Write of a new file, an Edit's lines of one that was there. */
function subjectOf({ path, existed, exists, before, now }: ChangedFile, project: string): Subject {
  const file_path = resolve(project, path);
  if (!existed) return toolSubject("Write", { file_path, ...(now === null ? {} : { content: now }) });
  const [old, fresh] = [before ?? "", now ?? ""];
  return toolSubject("Edit", {
    file_path,
    ...(before === null ? {} : { old_string: linesOnlyIn(old, fresh) }),
    ...(exists && now !== null ? { new_string: linesOnlyIn(fresh, old) } : {}),
  });
}

/** The lines of one text that the other does not have, in their order. */
function linesOnlyIn(text: string, other: string): string {
  const spare = new Map<string, number>();
  for (const line of other.split("\n")) spare.set(line, (spare.get(line) ?? 0) + 1);
  return text
    .split("\n")
    .filter((line) => {
      const left = spare.get(line) ?? 0;
      if (left > 0) spare.set(line, left - 1);
      return left === 0;
    })
    .join("\n");
}
