/** What a call changed in its folder, seen from outside: whatever the agent did, committed or not. */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { runGroup } from "../../host/process.ts";
import type { FileChange } from "./recording.ts";

/** A larger file is named, not recorded. */
const LARGEST_FILE = 16 * 1024 * 1024;
/** A file this young at the snapshot may change again without its time stamp moving: it is compared by content. */
const RACY_NS = 200_000_000n;

/** Relative path to what identifies the file's state. */
export type Snapshot = ReadonlyMap<string, string>;

/** The files of `dir` as they are now: what git would see, or outside git everything but `.git` and `node_modules`. */
export async function takeSnapshot(dir: string): Promise<Snapshot> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const entries = new Map<string, string>();
  for (const path of await filesOf(dir)) {
    const stats = await lstat(join(dir, path), { bigint: true }).catch(() => undefined);
    if (stats === undefined || stats.isDirectory()) continue;
    entries.set(
      path,
      stats.ctimeNs + RACY_NS < now ? stampOf(stats) : `${stampOf(stats)} ${await contentHash(join(dir, path), stats)}`,
    );
  }
  return entries;
}

/** What differs between the snapshot and the folder now, sorted by path. */
export async function changesSince(before: Snapshot, dir: string): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  const gone = new Set(before.keys());
  for (const path of await filesOf(dir)) {
    const full = join(dir, path);
    const stats = await lstat(full, { bigint: true }).catch(() => undefined);
    if (stats === undefined || stats.isDirectory()) continue;
    gone.delete(path);
    const known = before.get(path);
    const [stamp, hash] = known?.split(" ") ?? [];
    if (stamp === stampOf(stats) && (hash === undefined || hash === (await contentHash(full, stats)))) continue;
    changes.push(
      await changeOf(path, full, stats).catch((error: unknown) => ({
        path,
        omitted: String(error),
      })),
    );
  }
  for (const path of gone) {
    // Not listed but there: it has come to be ignored, and stays.
    const stays = await lstat(join(dir, path)).then(
      () => true,
      () => false,
    );
    if (!stays) changes.push({ path, delete: true });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function filesOf(dir: string): Promise<readonly string[]> {
  const git = await runGroup({
    command: "git",
    args: ["ls-files", "-z", "-c", "-o", "--exclude-standard", "--", "."],
    cwd: dir,
    timeout_ms: 60_000,
    keep_bytes: 64 * 1024 * 1024,
  });
  if (git.exit_code === 0)
    return [...new Set(git.stdout.split("\0"))].filter((path) => path !== "" && !path.endsWith("/"));
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(dir, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === ".git" || entry.name === "node_modules") continue;
      if (entry.isDirectory()) await walk(path);
      else found.push(path);
    }
  };
  await walk("").catch(() => undefined);
  return found;
}

function stampOf(stats: BigIntStats): string {
  return [stats.ino, stats.size, stats.mode, stats.mtimeNs, stats.ctimeNs].join(",");
}

async function contentHash(path: string, stats: BigIntStats): Promise<string> {
  if (!stats.isFile() || stats.size > BigInt(LARGEST_FILE)) return "-";
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  return createHash("sha1").update(content).digest("base64");
}

async function changeOf(path: string, full: string, stats: BigIntStats): Promise<FileChange> {
  if (stats.isSymbolicLink()) return { path, link: await readlink(full) };
  if (!stats.isFile()) return { path, omitted: "neither a file nor a link" };
  if (stats.size > BigInt(LARGEST_FILE))
    return {
      path,
      omitted: `${stats.size} bytes are more than a recording takes (${LARGEST_FILE})`,
    };
  const bytes = await readFile(full).catch(() => undefined);
  if (bytes === undefined) return { path, omitted: "it could not be read" };
  const text = bytes.toString("utf8");
  const executable = (stats.mode & 0o100n) !== 0n ? { executable: true } : {};
  return Buffer.from(text, "utf8").equals(bytes)
    ? { path, content: text, encoding: "utf8", ...executable }
    : { path, content: bytes.toString("base64"), encoding: "base64", ...executable };
}
