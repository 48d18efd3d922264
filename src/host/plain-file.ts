/** The content of a file in a folder that somebody else writes in, of any size. */
import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { openRegular } from "./regular-file.ts";

/** SHA-256 of a regular file, in hexadecimal. @throws Error when there is none, or it cannot be read */
export async function hashPlainFile(path: string | Buffer): Promise<string> {
  const hash = createHash("sha256");
  // The stream closes it.
  const fd = openRegular(path, constants.O_RDONLY, "follow");
  for await (const chunk of createReadStream("", { fd })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
