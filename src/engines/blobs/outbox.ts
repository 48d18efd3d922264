/**
 * Logs on their way from a worker into a blob store (SPEC section 13). They are written below a folder of the worker and
 * sent when their task is over; what the store does not take waits there.
 *
 * OUTBOX-1 a file is removed here only after the store has it: a store that is down, or a worker that is killed, loses
 *    none;
 * OUTBOX-2 what waits is sent again when the worker starts, every half minute, and when it drains;
 * OUTBOX-3 nothing of a task that is running is sent;
 * OUTBOX-4 a task waits for its own logs alone, whatever else is to be sent; one that cannot be sent keeps no other back.
 */
import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { BlobStore } from "../../loop/blob-store.ts";
import { nameFrom, pathFrom } from "./blob-name.ts";

export interface Outbox {
  /** Folder for the files that become blobs below this name. */
  begin(under: string): Promise<string>;
  /** Its task is over. @returns why not everything of it could be sent; null: it was */
  send(under: string): Promise<string | null>;
  /** Sends what waits. @returns why not everything could be sent; null: it was */
  sendAll(): Promise<string | null>;
  close(): Promise<void>;
}

const AGAIN_MS = 30_000;
/** So many in a row: then it is the store. */
const FAILURES = 3;

/** @param folder no other process uses it */
export function createOutbox(folder: string, store: BlobStore): Outbox {
  const open = new Set<string>();
  const folderOf = (under: string): string => join(folder, ...pathFrom(under));
  const nameOf = (file: string): string => nameFrom(relative(folder, file).split(sep));
  const sendFiles = async (files: readonly string[], most_failures: number): Promise<string | null> => {
    let [first, failures]: [string | null, number] = [null, 0];
    for (const file of files) {
      try {
        await store.put(nameOf(file), file);
        failures = 0;
      } catch (error) {
        first ??= error instanceof Error ? error.message : String(error);
        if (++failures >= most_failures) return first;
        continue;
      }
      await rm(file, { force: true });
      await removeEmpty(dirname(file), folder);
    }
    return first;
  };
  const isOpen = (file: string): boolean => [...open].some((under) => nameOf(file).startsWith(`${under}/`));
  const closedFiles = async (): Promise<readonly string[]> => (await filesIn(folder)).filter((file) => !isOpen(file));
  let sending: Promise<string | null> | null = null;
  // One at a time: who looks while another one sends would send it twice.
  const sendAll = (): Promise<string | null> =>
    (sending ??= closedFiles()
      .then((files) => sendFiles(files, FAILURES))
      .finally(() => (sending = null)));
  const timer = setInterval(() => void sendAll().catch(() => undefined), AGAIN_MS);
  timer.unref();
  return {
    begin: async (under) => {
      open.add(under);
      const place = folderOf(under);
      try {
        await mkdir(place, { recursive: true });
      } catch (error) {
        open.delete(under);
        throw error;
      }
      return place;
    },
    send: async (under) => {
      try {
        return await sendFiles(await filesIn(folderOf(under)), 1);
      } finally {
        await removeEmpty(folderOf(under), folder);
        open.delete(under);
      }
    },
    sendAll,
    close: async () => {
      clearInterval(timer);
      await sending;
      await sendAll();
    },
  };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** A folder that is not empty stays, and so do those above it. */
async function removeEmpty(folder: string, end: string): Promise<void> {
  if (folder === end) return;
  const gone = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (gone) await removeEmpty(dirname(folder), end);
}
