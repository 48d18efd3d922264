/**
 * What a slot was prepared with, as a file beside its index: nothing of it is the attempt's work. It goes with the slot, and the run
 * after a crash reads it.
 */
import { rm, writeFile } from "node:fs/promises";
import { readText } from "../../host/regular-file.ts";
import { changesBetween, type TreeEntry } from "./change.ts";
import { LONG_MS, must } from "./git.ts";
import type { Marks } from "./ignored-work.ts";
import { copyIndex, recordOf, type Slot, type SlotPlace } from "./slot.ts";

export interface PreparationRecord {
  /** Copied from the checkout: no work, whatever becomes of them. */
  readonly copied: readonly string[];
  /** What a set-up changed of the files that git looks at, by path (bytes): what is no longer so is work. */
  readonly left: Readonly<Record<string, TreeEntry>>;
  /** What git ignores and was there before the agent began. */
  readonly ignored: Marks;
}

/** To be asked before the agent begins. */
export async function leftIn({ slot, here, commit }: SlotPlace): Promise<PreparationRecord["left"]> {
  const index = `${slot.index}.prepared`;
  const aside = here.with({ env: { GIT_INDEX_FILE: index } });
  try {
    await copyIndex(slot.index, index);
    // A repository in which nothing was committed cannot be added.
    await aside.run(["add", "-A", "--ignore-errors"], { timeout_ms: LONG_MS });
    const changes = await changesBetween(aside, commit, await must(aside, ["write-tree", "--missing-ok"]));
    return Object.fromEntries(changes.map(({ bytes, now }) => [bytes, now]));
  } finally {
    await rm(index, { force: true });
  }
}

export async function writeRecord(slot: Pick<Slot, "index">, record: PreparationRecord): Promise<void> {
  await writeFile(recordOf(slot), JSON.stringify(record));
}

/** Of a slot that was prepared with nothing, or whose record is not to be read, it is empty. */
export function readRecord(slot: Pick<Slot, "index">): PreparationRecord {
  const none = { copied: [], left: {}, ignored: {} };
  try {
    const { copied, left, ignored } = JSON.parse(readText(recordOf(slot))) as PreparationRecord;
    return Array.isArray(copied) ? { copied, left: left ?? {}, ignored: ignored ?? {} } : none;
  } catch {
    // None, or half-written by a run that died.
    return none;
  }
}
