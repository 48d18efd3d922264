/** Whether the loop's files can be written, and whether there is space for them. Nothing is written to find out. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { explainWrite } from "../host/write-failure.ts";
import type { Settings } from "../project/config-schema.ts";
import { whyDiskIsFull } from "../project/disk-space.ts";
import type { Finding } from "./finding.ts";

const MB = 1024 * 1024;

/** @param dir the loop's own folder, which need not be there yet */
export function examineDisk(dir: string, { min_free_mb }: Settings): Finding {
  const name = "disk";
  const there = nearest(dir);
  const unwritable = whyUnwritable(there);
  if (unwritable !== null) return { name, level: "bad", ...unwritable };
  // Where a small disk may be filled up to the last byte, none at all is too little all the same.
  const least = min_free_mb === undefined ? {} : { min_free_bytes: min_free_mb * MB };
  const full = whyDiskIsFull(there, least) ?? whyDiskIsFull(there, { min_free_bytes: MB });
  if (full !== null) return { name, level: "bad", detail: full };
  return { name, level: "good", detail: `${there} is writable and has free space` };
}

function nearest(dir: string): string {
  for (let there = dir; ; there = dirname(there)) if (existsSync(there) || dirname(there) === there) return there;
}

function whyUnwritable(dir: string): Pick<Finding, "detail" | "hint"> | null {
  try {
    accessSync(dir, constants.W_OK);
    return null;
  } catch (error) {
    const { message, hint } = explainWrite(`in ${dir}`, error);
    return { detail: message.replace(/; the previous content is unchanged$/, ""), hint };
  }
}
