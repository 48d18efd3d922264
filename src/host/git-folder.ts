/** Where git keeps a working tree's own things, found without starting git. */
import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { textAt } from "./regular-file.ts";

export interface GitFolder {
  /** Top folder of the working tree. */
  readonly root: string;
  /** `.git`; in a linked working tree its own part of it. */
  readonly own: string;
  /** Of all its working trees. */
  readonly common: string;
}

/** The nearest working tree at or above `folder`, which need not exist; null: there is none. */
export function gitFolderAbove(folder: string): GitFolder | null {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const own = ownFolder(root);
    if (own !== null) {
      const common = textAt(join(own, "commondir"))?.trim();
      return { root, own, common: common === undefined ? own : resolve(own, common) };
    }
    if (dirname(root) === root) return null;
  }
}

function ownFolder(root: string): string | null {
  const place = join(root, ".git");
  const found = statSync(place, { throwIfNoEntry: false });
  const linked = found?.isFile() === true ? /^gitdir: (.+?)\r?\n?$/s.exec(textAt(place) ?? "")?.[1] : undefined;
  const own = linked === undefined ? place : resolve(root, linked);
  return statSync(join(own, "HEAD"), { throwIfNoEntry: false })?.isFile() === true ? own : null;
}
