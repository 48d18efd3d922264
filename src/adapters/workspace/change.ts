/** What differs between two trees. Renames are reported as a removal and an addition (PORTS-2 needs both names). */
import picomatch from "picomatch";
import { fieldsOf, gitProblem, must, textOf, type Git } from "./git.ts";
import { WorkspaceError } from "./problem.ts";

export interface Change {
  readonly status: "A" | "D" | "M" | "T";
  /** One character per byte, as git needs it back. */
  readonly bytes: string;
  /** For people and globs. */
  readonly path: string;
  readonly old: TreeEntry;
  readonly now: TreeEntry;
}

export interface TreeEntry {
  /** "000000" where there is nothing. */
  readonly mode: string;
  readonly oid: string;
}

export function isSame(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}

export const GITLINK = "160000";

/** @param from,to anything that names a tree */
export async function changesBetween(git: Git, from: string, to: string): Promise<Change[]> {
  return readRaw(await must(git, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to, "--"]));
}

/** Reads `:<mode> <mode> <oid> <oid> <status>\0<path>\0...`. */
function readRaw(raw: string): Change[] {
  const fields = fieldsOf(raw);
  const changes: Change[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [oldMode, mode, oldOid, oid, status] = (fields[i] ?? "").replace(/^:/, "").split(" ");
    const bytes = fields[i + 1] ?? "";
    if (oldMode === undefined || mode === undefined || oldOid === undefined || oid === undefined) continue;
    changes.push({
      status: statusOf(status),
      bytes,
      path: textOf(bytes),
      old: { mode: oldMode, oid: oldOid },
      now: { mode, oid },
    });
  }
  return changes;
}

function statusOf(letter: string | undefined): Change["status"] {
  return letter === "A" || letter === "D" || letter === "T" ? letter : "M";
}

/**
 * Whether a path is one of the protected files (SPEC section 6). Dot files count; a folder's name protects what is in it;
 * a glob that begins with `!` takes out of what the others name. Globs and paths are relative to the project.
 */
export function protectedBy(globs: readonly string[]): (path: string) => boolean {
  const named = globs.filter((glob) => !glob.startsWith("!"));
  const ignore = globs.filter((glob) => glob.startsWith("!")).flatMap((glob) => withFolder(glob.slice(1)));
  if (named.length === 0) return () => false;
  // A name may hold a line end, which a dot of an expression passes over only so.
  const match = picomatch(named.flatMap(withFolder), { dot: true, ignore, flags: "s" });
  return (path) => match(path);
}

/** Settings of a project say what later runs may do, and what they start. */
export const isSettings = protectedBy(["**/aot.config.{yaml,yml}"]);

function withFolder(glob: string): string[] {
  const bare = glob.replace(/^\.\//, "").replace(/\/+$/, "");
  return [bare, `${bare}/**`];
}

/** Input of `update-index -z --index-info` that gives these paths these entries; removals first, so that a folder can take a file's place. */
export function indexLines(entries: readonly { readonly bytes: string; readonly entry: TreeEntry }[]): string {
  const removed = entries.filter(({ entry }) => entry.mode === "000000");
  const present = entries.filter(({ entry }) => entry.mode !== "000000");
  return [
    ...removed.map(({ bytes, entry }) => `0 ${entry.oid}\t${bytes}\0`),
    ...present.map(({ bytes, entry }) => `${entry.mode} ${entry.oid}\t${bytes}\0`),
  ].join("");
}

/** What these blobs hold, as bytes. */
export async function blobsOf(git: Git, oids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const blobs = new Map<string, string>();
  if (oids.length === 0) return blobs;
  const said = await git.run(["cat-file", "--batch"], { input: `${oids.join("\n")}\n` });
  if (!said.ok) throw new WorkspaceError(gitProblem(said.failure));
  const out = said.stdout;
  for (let at = 0; at < out.length;) {
    const end = out.indexOf("\n", at);
    const [oid = "", , size = "0"] = out.slice(at, end).split(" ");
    blobs.set(oid, out.slice(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return blobs;
}
