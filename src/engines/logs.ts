/** Logs of what workers did for a loop, where they are kept (SPEC section 13). */
import type { Blob, BlobStore } from "../loop/blob-store.ts";
import { resolve } from "node:path";
import { createFolderBlobs } from "./blobs/folder-blobs.ts";
import { openS3Blobs, readS3Address } from "./blobs/s3-blobs.ts";
import { accepted, refused, type Result } from "../core/problem.ts";

/** A log of one task: `<loop>/<task>/r<run>/<file>`, so that what was begun again has logs of its own. */
export function logName(loop: string, task: string, run: number): string {
  return `${loop}/${task}/r${run}`;
}

export interface KeptLog {
  readonly blob: string;
  readonly task: string;
  readonly run: number;
  readonly file: string;
  readonly bytes: number;
  readonly at: string;
}

/**
 * What is kept of an atom's attempts, of one attempt or of another task (`check_base_case#3`), in the order in which it
 * was worked.
 * @throws Error when the store cannot be asked
 */
export async function keptLogs(blobs: BlobStore, loop: string, of: string): Promise<readonly KeptLog[]> {
  const logs = (await blobs.list(loop)).flatMap(logOf);
  return logs
    .filter(({ task }) => task === of || (task.startsWith(`${of}.`) && /^\d+$/.test(task.slice(of.length + 1))))
    .toSorted(
      (a, b) =>
        numberOf(a.task) - numberOf(b.task) ||
        a.run - b.run ||
        a.at.localeCompare(b.at) ||
        a.file.localeCompare(b.file),
    );
}

function numberOf(task: string): number {
  return Number(/(\d+)$/.exec(task)?.[1] ?? 0);
}

function logOf({ name, bytes, at }: Blob): readonly KeptLog[] {
  const [, task, run, ...file] = name.split("/");
  if (task === undefined || run === undefined || !/^r\d+$/.test(run) || file.length === 0) return [];
  return [{ blob: name, task, run: Number(run.slice(1)), file: file.join("/"), bytes, at }];
}

// Which store logs of attempts are kept in (SPEC section 13).

/** @param address `s3://bucket/prefix?endpoint=...`, or a folder. @param cwd what a folder is seen from */
export async function openBlobs(address: string, cwd: string): Promise<Result<BlobStore>> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address) && !address.startsWith("s3://"))
    return refused(
      `${JSON.stringify(address)} is no blob store that is known`,
      "write s3://BUCKET/PREFIX, or name a folder",
    );
  if (!address.startsWith("s3://")) return accepted(createFolderBlobs(resolve(cwd, address)));
  const read = readS3Address(address);
  return read.ok ? await openS3Blobs(read.value) : read;
}
