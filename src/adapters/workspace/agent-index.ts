/**
 * What the agent's index says of its folder. Decides nothing but this: an ignored file that it added is work, and a file that its
 * sparse checkout took out of the folder is not deleted.
 */
import { copyFile, lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesIn, fieldsOf, PLAIN_INDEX, type Git } from "./git.ts";
import type { Slot } from "./slot.ts";

/** Paths as bytes. */
interface AgentIndex {
  /** In the agent's index and not in the slot's. */
  readonly added: readonly string[];
  /** Left out of the folder by a sparse checkout of the agent's own. */
  readonly absent: readonly string[];
}

const UNTOUCHED: AgentIndex = { added: [], absent: [] };

/**
 * To be called before the slot's index is changed.
 * @param here git on the slot
 * @param scratch path for a copy of the agent's index
 */
export async function agentIndexOf(slot: Slot, here: Git, scratch: string): Promise<AgentIndex> {
  const theirs = join(slot.dir, ".git", "index");
  const isPlain = (await lstat(join(slot.dir, ".git")).catch(() => null))?.isDirectory() === true;
  if (!isPlain || (await lstat(theirs).catch(() => null))?.isFile() !== true) return UNTOUCHED;
  const [now, start] = await Promise.all([readFile(theirs), readFile(slot.index)]);
  if (now.equals(start)) return UNTOUCHED;
  await copyFile(theirs, scratch);
  const listed = await here.run(["ls-files", "-t", "-z"], { env: { GIT_INDEX_FILE: scratch }, config: PLAIN_INDEX });
  if (!listed.ok) return UNTOUCHED;
  const known = new Set(fieldsOf((await here.run(["ls-files", "-z"])).stdout));
  const entries = fieldsOf(listed.stdout).map((field) => ({ isLeftOut: field.startsWith("S "), path: field.slice(2) }));
  const absent: string[] = [];
  for (const { isLeftOut, path } of entries)
    if (isLeftOut && known.has(path) && (await isMissing(bytesIn(slot.dir, path)))) absent.push(path);
  return { added: entries.map(({ path }) => path).filter((path) => !known.has(path)), absent };
}

async function isMissing(path: Buffer): Promise<boolean> {
  return (await lstat(path).catch(() => null)) === null;
}
