/** What an attempt changed, as text: for who has to say yes before it is integrated. */
import { GITLINK, type Change } from "./change.ts";
import { must, textOf, type Git } from "./git.ts";
import type { ChangedFile } from "./workspace-options.ts";

/** Larger files are told without their text. */
const MOST_BYTES = 4 * 1024 * 1024;
const NOTHING = "000000";

/** @param shown the path as seen from the project */
export async function changedFiles(
  git: Git,
  changes: readonly Change[],
  shown: (path: string) => string,
): Promise<readonly ChangedFile[]> {
  const entries = changes.flatMap(({ old, now }) => [old, now]);
  const texts = await textsOf(
    git,
    entries.flatMap(({ mode, oid }) => (mode === NOTHING || mode === GITLINK ? [] : oid)),
  );
  return changes.map(({ path, old, now }) => ({
    path: shown(path),
    existed: old.mode !== NOTHING,
    exists: now.mode !== NOTHING,
    before: texts.get(old.oid) ?? null,
    now: texts.get(now.oid) ?? null,
  }));
}

/** The texts of these blobs; what is too large or no text is left out. */
async function textsOf(git: Git, oids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const wanted = await small(git, [...new Set(oids)]);
  const texts = new Map<string, string>();
  if (wanted.length === 0) return texts;
  const out = await must(git, ["cat-file", "--batch"], { input: `${wanted.join("\n")}\n` });
  for (let at = 0; at < out.length;) {
    const end = out.indexOf("\n", at);
    const [oid = "", , size = "0"] = out.slice(at, end).split(" ");
    const bytes = out.slice(end + 1, end + 1 + Number(size));
    if (!bytes.includes("\0")) texts.set(oid, textOf(bytes));
    at = end + 2 + Number(size);
  }
  return texts;
}

async function small(git: Git, oids: readonly string[]): Promise<readonly string[]> {
  if (oids.length === 0) return [];
  const told = await must(git, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
    input: `${oids.join("\n")}\n`,
  });
  return told.split("\n").flatMap((line) => {
    const [oid, size] = line.split(" ");
    return oid !== undefined && size !== undefined && Number(size) <= MOST_BYTES ? [oid] : [];
  });
}
