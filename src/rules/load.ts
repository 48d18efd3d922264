/**
 * The rules that hold in a project, as their files are now (SPEC section 12).
 *
 * LOAD-1 a file that was changed, came or went is seen at the next call: nothing is taken from the cache whose file
 *    does not have the very size, times and number that it had;
 * LOAD-2 one bad file is named and skipped, whatever is wrong with it; every other rule holds;
 * LOAD-3 a file that cannot be read is no bad one: what it forbids is not known, so that everything is forbidden until
 *    it can be read. That it could not be is never kept: the next call tries again;
 * LOAD-4 the cache is no second truth: an entry counts as long as its file looks as it did (`key`), or the mark says so for
 *    all of them. The mark names its stamp, a digest of what it holds: a cache that somebody else wrote meanwhile is not the
 *    one it means.
 */
import { statSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../core/problem.ts";
import { readText, readOwnFile } from "../host/regular-file.ts";
import { isFor } from "./match/match.ts";
import { ruleFileName, unreadRule } from "./match/rule.ts";
import type { Subject } from "./match/subject.ts";
import type { Kept, RuleFile } from "./file.ts";
import { ruleFilesIn, rulePaths, type RuleFolder } from "./place.ts";

/** Larger than any rule that `readRule` takes, whatever its letters. */
const MOST_BYTES = 1024 * 1024;
/**
 * All rule files of these folders, disabled and bad ones too, by folder and name. What reads and what writes is loaded
 * only when something was changed: a hook waits for every byte.
 */
export async function loadRules(folders: readonly RuleFolder[]): Promise<readonly RuleFile[]> {
  const files: RuleFile[] = [];
  for (const folder of folders) files.push(...(await loadFolder(folder)));
  return files;
}

/**
 * The rules of these folders that could fire on an action, without a look at their files: where the quick front has found
 * that none was changed since the mark was made (`stamp`).
 * @returns null: it has not, or what the mark means was not kept
 */
export function loadCandidates(folders: readonly RuleFolder[], subject: Subject): readonly RuleFile[] | null {
  const files: RuleFile[] = [];
  for (const folder of folders) {
    const { stamp, kept } = readCache(rulePaths(folder).cache);
    if (stamp === null || stamp !== folder.stamp) return null;
    for (const [name, { rule }] of kept)
      if (rule?.enabled === true && isFor(rule, subject))
        files.push({ path: join(folder.dir, name), owner: folder.owner, rule, problems: [], warnings: [] });
  }
  return files;
}

/** What was read last, by the file's name, and its stamp; null: there is nothing that can be read. */
function readCache(path: string): { readonly stamp: string | null; readonly kept: ReadonlyMap<string, Kept> } {
  try {
    const [, stamp = null, length, body = ""] =
      /^aot-rules 9 ([0-9a-f]+) (\d+)\n(.*)$/s.exec(readOwnFile(path) ?? "") ?? [];
    if (body.length === Number(length)) return { stamp, kept: new Map(JSON.parse(body) as [string, Kept][]) };
  } catch {
    // Not there, or damaged.
  }
  return { stamp: null, kept: new Map() };
}

async function loadFolder(folder: RuleFolder): Promise<readonly RuleFile[]> {
  const asked = Date.now();
  const { names, why } = ruleFilesIn(folder.dir);
  if (why !== null) return [unreadFile(folder, folder.dir, "guard rules", why)];
  if (names.length === 0) return [];
  const paths = rulePaths(folder);
  const { stamp: before, kept: cache } = readCache(paths.cache);
  const kept: (readonly [string, Kept])[] = [];
  const unread: RuleFile[] = [];
  let fresh = cache.size !== names.length;
  let newest = statSync(folder.dir).mtimeMs;
  for (const name of names) {
    const path = join(folder.dir, name);
    try {
      const stats = statsOf(path);
      const key = stats === null ? "" : keyOf(stats);
      newest = Math.max(newest, stats?.mtimeMs ?? Infinity);
      const known = cache.get(name);
      const same = known !== undefined && key !== "" && known.key === key;
      fresh ||= !same;
      kept.push([name, same ? known : { key, ...(await readFile(path, stats)) }]);
    } catch (error) {
      // It went away meanwhile.
      if (codeOf(error) === "ENOENT") fresh = true;
      else unread.push(unreadFile(folder, path, ruleFileName(name) ?? name, reasonOf(error)));
    }
  }
  const files = kept.map(([name, { rule, problems, warnings }]): RuleFile => {
    return { path: join(folder.dir, name), owner: folder.owner, rule, problems, warnings };
  });
  // LOAD-3: neither the cache nor the mark may stand for all of them.
  if (unread.length > 0) return [...unread, ...files];
  if (fresh || stampMarked(paths.mark, newest) !== before)
    await keep(async () => {
      const { makeRulesFolder, writeCache, writeMark } = await import("./mark.ts");
      makeRulesFolder(paths.dir);
      const stamp = fresh ? writeCache(paths.cache, kept) : before;
      if (stamp !== null) writeMark(paths.mark, files, { asked, youngest: newest, stamp });
    });
  return files;
}

/**
 * The cache that the quick front would take for true.
 * @param newest of all that the mark is about, milliseconds
 * @returns null: none, since the mark is not younger than that
 */
function stampMarked(mark: string, newest: number): string | null {
  if ((statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= newest) return null;
  return /^4 \d+ (\S+) /.exec(readOwnFile(mark) ?? "")?.[1] ?? null;
}

/** The times too: a file can be written twice in one length. */
function keyOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/** Null: the link leads nowhere, or back to itself. @throws it cannot be looked at (LOAD-3) */
function statsOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (codeOf(error) === "ELOOP") return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreadFile({ owner }: RuleFolder, path: string, name: string, why: string): RuleFile {
  const hint = "make it readable, mend or remove it";
  const problem: Problem = { code: "file_unreadable", message: `it cannot be read: ${why}`, hint };
  return { path, owner, rule: unreadRule(name, path, why), problems: [problem], warnings: [] };
}

/** @throws it cannot be read (LOAD-3) */
async function readFile(path: string, stats: Stats | null): Promise<Omit<Kept, "key">> {
  const bad = (code: Problem["code"], message: string, hint: string): Omit<Kept, "key"> => {
    return { rule: null, problems: [{ code, message, hint }], warnings: [] };
  };
  if (stats === null) return bad("file_missing", "the link leads nowhere, or back to itself", "mend or remove it");
  if (!stats.isFile()) return bad("file_unreadable", "it is no file", "a rule is a file of its own");
  if (stats.size > MOST_BYTES) return bad("file_too_large", `it has ${stats.size} bytes`, "a rule is a page at most");
  const text = readText(path, MOST_BYTES);
  const { readRule } = await import("./match/read-rule.ts");
  const read = readRule(text, path);
  if (!read.ok) return { rule: null, problems: read.problems, warnings: [] };
  return { rule: read.value.rule, problems: [], warnings: read.value.warnings };
}

/** What only saves time may fail: a folder that cannot be written, a full disk. */
async function keep(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch {
    // The next call reads everything anew.
  }
}
