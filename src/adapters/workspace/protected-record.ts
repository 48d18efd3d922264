/**
 * The protected files as they were when the goal was aligned, where no commit tells (SPEC section 6).
 *
 * PROTECTED-RECORD-1 what is compared is the content of each file that the globs name; a file that came or went counts;
 * PROTECTED-RECORD-2 the record is the alignment's: `aot align` writes it, else the first run, and no later run does;
 * PROTECTED-RECORD-3 a record of other globs says nothing about these.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeOwnFile, writeOwnFile } from "../../host/own-file.ts";
import { hashPlainFile } from "../../host/plain-file.ts";
import { readOwnFile } from "../../host/regular-file.ts";
import type { Workspace } from "../../loop/ports.ts";
import { protectedBy } from "./change.ts";
import { bytesIn, textOf } from "./git.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";

/** SHA-256 of each protected file's content, by its path in the project. */
export type Digests = Readonly<Record<string, string>>;

/** @param dir the loop's own folder */
export function recordPath(dir: string): string {
  return join(dir, "protected.json");
}

/**
 * Paths (bytes) of the files of a folder that are protected. What lies in `node_modules` counts only where a glob names it:
 * installing is no change of a goal. Links are not followed.
 */
export function protectedIn(root: string, globs: readonly string[], isProtected = protectedBy(globs)): string[] {
  const found: string[] = [];
  const passed = globs.join().includes("node_modules") ? /^\.git$/ : /^(?:\.git|node_modules)$/;
  const open = globs.length === 0 ? [] : [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop())
    for (const entry of readdirSync(bytesIn(root, folder), { withFileTypes: true, encoding: "buffer" })) {
      const name = entry.name.toString("latin1");
      if (passed.test(name)) continue;
      if (entry.isDirectory()) open.push(`${folder}${name}/`);
      else if (isProtected(textOf(folder + name))) found.push(folder + name);
    }
  return found.sort();
}

/** @param root the project */
export async function digestsOf(root: string, globs: readonly string[]): Promise<Digests> {
  const digests: Record<string, string> = {};
  for (const path of protectedIn(root, globs)) {
    const name = textOf(path);
    if (name.startsWith(".claude/aot-loop")) continue;
    const digest = await hashPlainFile(bytesIn(root, path)).catch(() => null);
    // What is no text is named by its bytes.
    if (digest !== null) digests[Buffer.from(name).toString("latin1") === path ? name : path] = digest;
  }
  return digests;
}

export function differing(a: Digests, b: Digests): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((file) => a[file] !== b[file]);
}

/**
 * Looks after each check whether it changed a protected file of a folder, where no commit tells (SPEC section 6).
 * What it adds to them is removed.
 * @param root where the checks run: a copy
 */
export async function keptBetween(
  root: string,
  globs: readonly string[],
): Promise<Pick<Awaited<ReturnType<Workspace["checkout"]>>, "between">> {
  if (globs.length === 0) return {};
  const before = await digestsOf(root, globs);
  const there = new Set(protectedIn(root, globs));
  const between = async (): Promise<readonly string[]> => {
    for (const path of protectedIn(root, globs))
      if (!there.has(path)) rmSync(bytesIn(root, path), { recursive: true, force: true });
    return differing(before, await digestsOf(root, globs)).filter((file) => before[file] !== undefined);
  };
  return { between: async () => ({ put_back: [], tampered: await between(), stuck: [] }) };
}

/**
 * The protected files of a checkout that differ from the record. A file that git does not keep is in no checkout: it
 * is compared where the person has it.
 * @param folder the person's project
 */
export async function changedSinceRecord(
  record: Digests,
  checkout: string,
  folder: string,
  globs: readonly string[],
): Promise<string[]> {
  const found = await digestsOf(checkout, globs);
  const changed = differing(record, found);
  if (changed.every((file) => found[file] !== undefined)) return changed;
  const here = await digestsOf(folder, globs);
  return changed.filter((file) => found[file] !== undefined || here[file] !== record[file]);
}

/** PROTECTED-RECORD-2. Replaces what an earlier alignment left. */
export async function writeRecord(dir: string, globs: readonly string[], digests: Digests): Promise<void> {
  await writeDigests(recordPath(dir), globs, digests);
}

/** @param about what the digests belong to: another one has none */
async function writeDigests(file: string, about: readonly unknown[], digests: Digests): Promise<void> {
  const written = writeOwnFile(file, `${JSON.stringify({ globs: about, digests }, null, 2)}\n`);
  if (!written.ok) throw new Error(written.message);
}

/** For a new alignment at a commit: that is what is compared with. */
export function removeRecord(dir: string): void {
  removeOwnFile(recordPath(dir));
}

/**
 * PROTECTED-RECORD-2, for a run, where no commit of an alignment is what counts.
 * @param now the protected files as they are
 */
export async function recordOnce(options: WorkspaceOptions, now: () => Promise<Digests>): Promise<void> {
  const { dir, protected: globs, alignedCommit } = options;
  if (globs.length === 0 || alignedCommit !== undefined || (await readRecord(dir, globs)) !== null) return;
  await writeRecord(dir, globs, await now());
}

/** PROTECTED-RECORD-3. Null: there is none of these globs. */
export async function readRecord(dir: string, globs: readonly string[]): Promise<Digests | null> {
  return await readDigests(recordPath(dir), globs);
}

async function readDigests(file: string, about: readonly unknown[]): Promise<Digests | null> {
  const text = readOwnFile(file);
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as { readonly globs?: unknown; readonly digests?: unknown } | null;
    if (JSON.stringify(value?.globs) !== JSON.stringify(about)) return null;
    return typeof value?.digests === "object" && value.digests !== null ? (value.digests as Digests) : null;
  } catch {
    // Half-written by a run that died at its start: nothing had been worked yet.
    return null;
  }
}
