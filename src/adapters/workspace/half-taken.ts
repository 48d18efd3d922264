/**
 * What of a result stands in the person's checkout already, byte for byte, though git does not know it there: a merge
 * that died with its machine leaves such files, and git refuses to write over them.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { changesBetween, GITLINK, indexLines, type Change, type TreeEntry } from "./change.ts";
import { fieldsOf, type Git } from "./git.ts";

type Taken = Pick<Change, "bytes" | "path" | "now">;

/** @param root top folder of the checkout, where `git` works. @returns [] also where git does not tell */
export async function halfTaken(git: Git, root: string, tip: string): Promise<readonly Taken[]> {
  const changes = await changesBetween(git, "HEAD", tip);
  const found: Change[] = [];
  const written: Change[] = [];
  for (const change of changes) {
    const there = await lstat(join(root, change.path)).catch(() => null);
    if (change.status === "D") {
      if (there === null) found.push(change);
    } else if (there?.isFile() === true && isFile(change.now)) written.push(change);
  }
  if (written.length === 0) return found;
  const input = written.map(({ bytes }) => `${bytes}\n`).join("");
  // A name with a line break in it is more than one line: then nothing is known.
  const hashed = await git.run(["hash-object", "--stdin-paths"], { cwd: root, input });
  const oids = hashed.stdout.trimEnd().split("\n");
  if (!hashed.ok || oids.length !== written.length) return found;
  return [...found, ...written.filter(({ now }, i) => oids[i] === now.oid)];
}

function isFile({ mode }: TreeEntry): boolean {
  return mode !== GITLINK && mode.startsWith("100");
}

/** Lets git know them. @returns what puts its index back as it was; null: git refused, and nothing has changed */
export async function acknowledge(git: Git, taken: readonly Taken[]): Promise<(() => Promise<void>) | null> {
  const paths = new Set(taken.map(({ bytes }) => bytes));
  const before = new Map<string, TreeEntry>();
  for (const line of fieldsOf((await git.run(["ls-files", "--stage", "-z"])).stdout)) {
    const [, mode, oid, bytes] = /^(\d+) ([0-9a-f]+) 0\t([\s\S]*)$/.exec(line) ?? [];
    if (mode !== undefined && oid !== undefined && bytes !== undefined && paths.has(bytes))
      before.set(bytes, { mode, oid });
  }
  const enter = async (entries: readonly { readonly bytes: string; readonly entry: TreeEntry }[]): Promise<boolean> =>
    (await git.run(["update-index", "-z", "--index-info"], { input: indexLines(entries) })).ok;
  if (!(await enter(taken.map(({ bytes, now }) => ({ bytes, entry: now }))))) return null;
  return async () => {
    await enter(taken.map(({ bytes, now }) => ({ bytes, entry: before.get(bytes) ?? { ...now, mode: "000000" } })));
  };
}
