/** Warns of folders for which snapshots are slow. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { fieldsOf, textOf, type Git } from "./git.ts";
import { named } from "./repository.ts";

const LARGE_BYTES = 50_000_000;
const MANY_FILES = 50_000;

/** Notes on the files that a snapshot would hold; none for an ordinary folder. */
export async function sizeNotes(
  git: Git,
  root: string,
  limits = { bytes: LARGE_BYTES, files: MANY_FILES },
): Promise<string[]> {
  const answer = await git.run(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  const files = fieldsOf(answer.stdout).map(textOf);
  const notes: string[] = [];
  if (files.length > limits.files)
    notes.push(
      `The folder holds ${files.length} files; taking a snapshot before each attempt is slow. Put what is generated into .gitignore.`,
    );
  const large: string[] = [];
  for (let i = 0; i < files.length; i += 256) {
    const sizes = await Promise.all(
      files
        .slice(i, i + 256)
        .map(async (file) => ({ file, size: (await lstat(join(root, file)).catch(() => null))?.size ?? 0 })),
    );
    large.push(...sizes.filter(({ size }) => size > limits.bytes).map(({ file }) => file));
  }
  if (large.length > 0)
    notes.push(
      `Larger than ${Math.round(limits.bytes / 1_000_000)} MB, so that each change of them is slow to record: ${named(large)}.`,
    );
  return notes;
}
