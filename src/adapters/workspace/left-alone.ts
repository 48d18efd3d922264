/**
 * Files that git would record anew though an attempt left them as they were checked out: what filters, line endings or
 * a file system make of a file on the way out, they need not take back on the way in.
 */
import { createReadStream } from "node:fs";
import { lstat, mkdir, readlink } from "node:fs/promises";
import type { Change, TreeEntry } from "./change.ts";
import { bytesIn, must, WHOLE_INDEX, type Git } from "./git.ts";
import { withScratchIndex } from "./scratch-index.ts";

const FILE = /^100/;

/**
 * What is to be put back in the tree: the changed files are checked out once more, with the attributes of the base, and
 * compared byte by byte.
 * @param here git in the attempt's folder
 */
export async function leftAlone(
  here: Git,
  { dir, base }: { readonly dir: string; readonly base: string },
  changes: readonly Change[],
  scratchIndex: () => string,
): Promise<{ readonly bytes: string; readonly entry: TreeEntry }[]> {
  const doubtful = changes.filter(({ old, now }) => FILE.test(old.mode) && FILE.test(now.mode));
  if (doubtful.length === 0) return [];
  return await withScratchIndex(scratchIndex, async (index) => {
    const folder = `${index}.files`;
    await mkdir(folder);
    const out = here.with({ cwd: folder, env: { GIT_WORK_TREE: folder, GIT_INDEX_FILE: index }, config: WHOLE_INDEX });
    await must(out, ["read-tree", base]);
    const input = doubtful.map(({ bytes }) => `${bytes}\0`).join("");
    // One that does not come out (a filter fails) is compared with nothing, and has changed.
    await out.run(["checkout-index", "-f", "-q", "-z", "--stdin"], { input });
    const found: { readonly bytes: string; readonly entry: TreeEntry }[] = [];
    for (const { bytes, old, now } of doubtful) {
      const same = await compared(bytesIn(folder, bytes), bytesIn(dir, bytes));
      const mode = same.mode ? old.mode : now.mode;
      const oid = same.content ? old.oid : now.oid;
      if (mode !== now.mode || oid !== now.oid) found.push({ bytes, entry: { mode, oid } });
    }
    return found;
  });
}

async function compared(a: Buffer, b: Buffer): Promise<{ readonly content: boolean; readonly mode: boolean }> {
  const [one, other] = await Promise.all([lstat(a).catch(() => null), lstat(b).catch(() => null)]);
  if (one === null || other === null) return { content: false, mode: false };
  if (one.isSymbolicLink() && other.isSymbolicLink())
    return { content: (await readlink(a)) === (await readlink(b)), mode: true };
  if (!one.isFile() || !other.isFile()) return { content: false, mode: false };
  const mode = (one.mode & 0o100) === (other.mode & 0o100);
  return { content: one.size === other.size && (await sameBytes(a, b)), mode };
}

/** Of two files of one size. */
async function sameBytes(a: Buffer, b: Buffer): Promise<boolean> {
  const one = createReadStream(a);
  const other = createReadStream(b)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for await (const chunk of one as AsyncIterable<Buffer>) {
    // Both are read in parts of the same size.
    const { value, done } = await other.next();
    if (done === true || !chunk.equals(value)) {
      await other.return?.();
      return false;
    }
  }
  return (await other.next()).done === true;
}
