/** Which store logs of attempts are kept in (SPEC section 13). */
import { resolve } from "node:path";
import { createFolderBlobs } from "./blobs/folder-blobs.ts";
import { openS3Blobs, readS3Address } from "./blobs/s3-blobs.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { BlobStore } from "../loop/blob-store.ts";

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
