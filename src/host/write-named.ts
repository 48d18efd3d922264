/** A file that a person named, written whole, with the folders on its way. */
import { dirname } from "node:path";
import { writeFileAtomicSync } from "./atomic-write.ts";
import { makeFolder } from "./make-folder.ts";
import { explainWrite, type WriteAnswer } from "./write-failure.ts";

export function writeNamedFile(file: string, text: string): WriteAnswer {
  try {
    makeFolder(dirname(file));
  } catch (error) {
    return explainWrite(file, error);
  }
  return writeFileAtomicSync(file, text);
}
