/**
 * What a set-up changed of the files that git looks at. It is nobody's work: before an attempt's folder is read, what
 * still stands as the set-up left it is put back as the commit has it.
 */
import { lstat, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { hashPlainFile } from "../../host/plain-file.ts";
import { fieldsOf, textOf, type Git } from "./git.ts";
import { isPlainWay } from "./included-files.ts";

export interface Trace {
  /** From the top folder. */
  readonly path: string;
  /** The commit has no such file. */
  readonly added: boolean;
  /** What the set-up left: kind and content. */
  readonly left: string;
}

/** @param here git in the slot */
export async function tracesIn(here: Git, top: string): Promise<readonly Trace[]> {
  const [changed, added] = await Promise.all([
    here.run(["diff-files", "-z", "--name-only", "--ignore-submodules"]),
    here.run(["ls-files", "-z", "--others", "--exclude-standard"]),
  ]);
  const traces: Trace[] = [];
  for (const [listed, isAdded] of [
    [changed, false],
    [added, true],
  ] as const)
    for (const path of fieldsOf(listed.stdout).map(textOf))
      if (!path.endsWith("/")) traces.push({ path, added: isAdded, left: await contentOf(join(top, path)) });
  return traces;
}

/** @param commit that the slot was made of */
export async function removeTraces(here: Git, top: string, commit: string, traces: readonly Trace[]): Promise<void> {
  const changed: string[] = [];
  for (const { path, added, left } of traces) {
    if (!(await isPlainWay(top, path, false)) || (await contentOf(join(top, path))) !== left) continue;
    if (added) await rm(join(top, path), { force: true });
    else changed.push(`:(top,literal)${path}`);
  }
  if (changed.length === 0) return;
  // What cannot be put back is taken for the attempt's work, as it is.
  await here.run(["restore", `--source=${commit}`, "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"], {
    input: `${Buffer.from(changed.join("\0"), "utf8").toString("latin1")}\0`,
  });
}

async function contentOf(path: string): Promise<string> {
  const there = await lstat(path).catch(() => null);
  if (there === null) return "gone";
  if (there.isSymbolicLink()) return `link ${await readlink(path)}`;
  if (!there.isFile()) return "other";
  const digest = await hashPlainFile(path).catch(() => null);
  return digest === null ? "unreadable" : `${there.mode & 0o111} ${digest}`;
}
