/**
 * The rules that hold in a project, as their files are now (SPEC section 12).
 *
 * L1 a file that was changed, came or went is seen at the next call: nothing is taken from the cache whose file does not
 *    have the very size, times and number that it had;
 * L2 one bad file is named and skipped, whatever is wrong with it; every other rule holds.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { Problem } from "../core/problem.ts";
import type { Rule } from "../rules/rule.ts";
import { ruleFilesIn, rulePaths, type RuleFolder } from "./rules-place.ts";

export interface RuleFile {
  /** Absolute. */
  readonly path: string;
  readonly owner: RuleFolder["owner"];
  /** Null: it is a bad one. */
  readonly rule: Rule | null;
  /** Why it is bad; empty: it is not. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Larger than any rule that `readRule` takes, whatever its letters. */
const MOST_BYTES = 1024 * 1024;
/** Another number when what `readRule` gives means something else. */
const VERSION = 1;

interface Kept {
  /** What the file looked like. */
  readonly key: string;
  readonly rule: Rule | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * All rule files of these folders, disabled and bad ones too, by folder and name. What reads and what writes is loaded
 * only when something was changed: a hook waits for every byte.
 */
export async function loadRules(folders: readonly RuleFolder[]): Promise<readonly RuleFile[]> {
  const files: RuleFile[] = [];
  for (const folder of folders) files.push(...(await loadFolder(folder)));
  return files;
}

async function loadFolder(folder: RuleFolder): Promise<readonly RuleFile[]> {
  const asked = Date.now();
  const names = ruleFilesIn(folder.dir);
  if (names.length === 0) return [];
  const paths = rulePaths(folder);
  const cache = readCache(paths.cache);
  const kept: (readonly [string, Kept])[] = [];
  let fresh = cache.size !== names.length;
  for (const name of names) {
    const path = join(folder.dir, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    const key = stats === undefined ? "" : keyOf(stats);
    const known = cache.get(name);
    const same = known !== undefined && key !== "" && known.key === key;
    fresh ||= !same;
    kept.push([name, same ? known : { key, ...(await readFile(path, stats)) }]);
  }
  const files = kept.map(([name, { rule, problems, warnings }]): RuleFile => {
    return { path: join(folder.dir, name), owner: folder.owner, rule, problems, warnings };
  });
  if (fresh || !isMarked(paths.mark, files))
    await keep(async () => {
      makeFolder(paths.dir);
      const { writeMark } = await import("./rules-mark.ts");
      const { writeFileAtomicSync } = await import("../host/atomic-write.ts");
      const text = JSON.stringify({ version: VERSION, files: Object.fromEntries(kept) });
      if (fresh) writeFileAtomicSync(paths.cache, text, { durable: false });
      writeMark(paths.mark, files, asked);
    });
  return files;
}

/** Whether the quick front would take the mark for true: it is younger than all that it is about. */
function isMarked(mark: string, files: readonly RuleFile[]): boolean {
  try {
    const { mtimeMs } = statSync(mark);
    const folder = dirname(dirname(mark));
    return [folder, ...files.map(({ path }) => path)].every((path) => statSync(path).mtimeMs < mtimeMs);
  } catch {
    return false;
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
    const { readRule } = await import("../rules/read-rule.ts");
    const read = readRule(readFileSync(path, "utf8"), path);
    if (!read.ok) return { rule: null, problems: read.problems, warnings: [] };
    return { rule: read.value.rule, problems: [], warnings: read.value.warnings };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return bad("file_unreadable", `it cannot be read: ${message}`, "look at its permissions");
  }
}

function readCache(path: string): ReadonlyMap<string, Kept> {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as { version?: unknown; files?: Record<string, Kept> } | null;
    if (value?.version === VERSION && value.files !== undefined) return new Map(Object.entries(value.files));
  } catch {
    // None, or a damaged one: everything is read anew.
  }
  return new Map();
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
