/** Doing recorded file changes again, inside one folder and nowhere else. A recording is a file from anyone. */
import { chmod, lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import type { FileChange } from "./recording.ts";

/**
 * Applies `changes` in `dir`. None is done if one names a path outside, one of git's own, or one that was not
 * recorded; a path that lies behind a link is refused where it is met, and nothing after it is done.
 * @returns why it was refused or could not be done, naming the path; undefined if all is done
 */
export async function applyChanges(changes: readonly FileChange[], dir: string): Promise<string | undefined> {
  for (const change of changes) {
    const refusal = refusalOf(change);
    if (refusal !== undefined) return `${JSON.stringify(change.path)} ${refusal}`;
  }
  for (const change of changes) {
    const problem = await applyOne(change, dir).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (problem !== undefined) return `${JSON.stringify(change.path)} ${problem}`;
  }
  return undefined;
}

function refusalOf(change: FileChange): string | undefined {
  if ("omitted" in change) return `was not recorded: ${change.omitted}`;
  if (!staysInside(change.path) || posix.normalize(change.path) === ".") return "leaves the folder";
  if (change.path.split("/").some(isGits)) return "belongs to git itself";
  if (!("link" in change)) return undefined;
  const leads = posix.isAbsolute(change.link) || !staysInside(posix.join(posix.dirname(change.path), change.link));
  return leads ? `is a link to ${JSON.stringify(change.link)}, which leaves the folder` : undefined;
}

function isGits(part: string): boolean {
  return /^\.git(?:$|[. ]|~1)/i.test(part) && !/^\.git(?:ignore|attributes|keep|hub|lab.*|modules)$/i.test(part);
}

/** Whether a relative path stays below its folder; a backslash, a drive or a NUL never does. */
function staysInside(path: string): boolean {
  if (path === "" || posix.isAbsolute(path) || /[\\\0]|^[a-zA-Z]:/.test(path)) return false;
  const normal = posix.normalize(path);
  return normal !== ".." && !normal.startsWith("../");
}

async function applyOne(change: FileChange, dir: string): Promise<string | undefined> {
  const parent = posix.dirname(posix.normalize(change.path));
  // A link on the way could lead out of the folder: none is followed.
  let folder = dir;
  for (const part of parent === "." ? [] : parent.split("/")) {
    folder = join(folder, part);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats === undefined) break;
    if (stats.isSymbolicLink()) return `lies behind the link ${folder}`;
  }
  const full = join(dir, change.path);
  if ("delete" in change) {
    await rm(full, { force: true });
    return undefined;
  }
  await mkdir(dirname(full), { recursive: true });
  // Removed first, so that a link in its place is replaced and never written through.
  await rm(full, { force: true, recursive: true });
  if ("link" in change) await symlink(change.link, full);
  else if ("content" in change) {
    await writeFile(full, Buffer.from(change.content, change.encoding), { flag: "wx" });
    if (change.executable === true) await chmod(full, 0o755);
  }
  return undefined;
}
