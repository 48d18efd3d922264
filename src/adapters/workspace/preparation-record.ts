/**
 * What a slot was prepared with, as a file beside its index: it goes with the slot, and the run after a crash reads it. An agent
 * without a sandbox can write there, so a path that leads out of the slot is not followed.
 */
import { writeFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { readText } from "../../host/regular-file.ts";
import type { Marks } from "./ignored-work.ts";
import { removeCopies } from "./included-files.ts";
import { removeTraces, type Trace } from "./set-up-traces.ts";
import { inSlot, recordOf, type Slot, type SlotHome } from "./slot.ts";

export interface PreparationRecord {
  /** That the slot was made of. */
  readonly commit: string;
  readonly copied: readonly string[];
  readonly traces: readonly Trace[];
  /** What git ignores and was there before the agent began. */
  readonly ignored: Marks;
}

export async function writeRecord(slot: Pick<Slot, "index">, record: PreparationRecord): Promise<void> {
  await writeFile(recordOf(slot), JSON.stringify(record));
}

/** Takes the furniture out of a slot that a dead run left, so that only work is kept of it. */
export async function clearPrepared(home: Pick<SlotHome, "git" | "gitDir">, slot: Slot): Promise<void> {
  const record = await readRecord(slot);
  if (record === null) return;
  await removeCopies(slot.dir, record.copied.filter(staysInside));
  const traces = record.traces.filter(({ path }) => staysInside(path));
  await removeTraces(inSlot(home, slot), slot.dir, record.commit, traces);
}

function staysInside(path: string): boolean {
  return typeof path === "string" && !isAbsolute(path) && !path.split(/[\\/]/).includes("..");
}

/** Null: it was prepared with nothing, or the record is not to be read. */
export async function readRecord(slot: Pick<Slot, "index">): Promise<PreparationRecord | null> {
  try {
    const value = JSON.parse(readText(recordOf(slot))) as Partial<PreparationRecord> | null;
    const { commit, copied, traces, ignored = {} } = value ?? {};
    if (typeof commit !== "string" || !/^[0-9a-f]{40,64}$/.test(commit)) return null;
    return Array.isArray(copied) && Array.isArray(traces) ? { commit, copied, traces, ignored } : null;
  } catch {
    // None, or half-written by a run that died.
    return null;
  }
}
