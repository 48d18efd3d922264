/**
 * The rules that hold in a project, as their files are now (SPEC section 12).
 *
 * L1 a file that was changed, came or went is seen at the next call: nothing is taken from the cache whose file does not
 *    have the very size, times and number that it had;
 * L2 one bad file is named and skipped, whatever is wrong with it; every other rule holds.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../../core/problem.ts";
import type { Subject } from "../../rules/subject.ts";
import { readCache, readCandidates, writeCache, type Kept } from "./rules-cache.ts";
import type { RuleFile } from "./rules-file.ts";
import { ruleFilesIn, rulePaths, type RuleFolder } from "./rules-place.ts";

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
    const rules = folder.stamp === undefined ? null : readCandidates(rulePaths(folder).cache, folder.stamp, subject);
    if (rules === null) return null;
    for (const rule of rules) files.push({ path: rule.source, owner: folder.owner, rule, problems: [], warnings: [] });
  }
  return files;
}

async function loadFolder(folder: RuleFolder): Promise<readonly RuleFile[]> {
  const asked = Date.now();
  const names = ruleFilesIn(folder.dir);
  if (names.length === 0) return [];
  const paths = rulePaths(folder);
  const { stamp: before, kept: cache } = readCache(paths.cache);
  const kept: (readonly [string, Kept])[] = [];
  let fresh = cache.size !== names.length;
  let newest = statSync(folder.dir).mtimeMs;
  for (const name of names) {
    const path = join(folder.dir, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    const key = stats === undefined ? "" : keyOf(stats);
    newest = Math.max(newest, stats?.mtimeMs ?? Infinity);
    const known = cache.get(name);
    const same = known !== undefined && key !== "" && known.key === key;
    fresh ||= !same;
    kept.push([name, same ? known : { key, ...(await readFile(path, stats)) }]);
  }
  const files = kept.map(([name, { rule, problems, warnings }]): RuleFile => {
    return { path: join(folder.dir, name), owner: folder.owner, rule, problems, warnings };
  });
  if (fresh || stampMarked(paths.mark, newest) !== before)
    await keep(async () => {
      makeFolder(paths.dir);
      const { writeMark } = await import("./rules-mark.ts");
      const stamp = fresh ? await writeCache(paths.cache, kept) : before;
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
  try {
    return /^3 \d+ (\S+) /.exec(readFileSync(mark, "utf8"))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** The times too: a file can be written twice in one length. */
function keyOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

async function readFile(path: string, stats: Stats | undefined): Promise<Omit<Kept, "key">> {
  const bad = (code: Problem["code"], message: string, hint: string): Omit<Kept, "key"> => {
    return { rule: null, problems: [{ code, message, hint }], warnings: [] };
  };
  if (stats === undefined) return bad("file_missing", "the link leads nowhere", "mend or remove it");
  if (!stats.isFile()) return bad("file_unreadable", "it is no file", "a rule is a file of its own");
  if (stats.size > MOST_BYTES) return bad("file_too_large", `it has ${stats.size} bytes`, "a rule is a page at most");
  try {
    const { readRule } = await import("../../rules/read-rule.ts");
    const read = readRule(readFileSync(path, "utf8"), path);
    if (!read.ok) return { rule: null, problems: read.problems, warnings: [] };
    return { rule: read.value.rule, problems: [], warnings: read.value.warnings };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return bad("file_unreadable", `it cannot be read: ${message}`, "look at its permissions");
  }
}

/** A folder that nobody commits. */
export function makeFolder(dir: string): void {
  if (mkdirSync(dir, { recursive: true }) !== undefined) writeFileSync(join(dir, ".gitignore"), "*\n");
}

/** What only saves time may fail: a folder that cannot be written, a full disk. */
async function keep(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch {
    // The next call reads everything anew.
  }
}
