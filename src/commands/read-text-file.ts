import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Unusable } from "./unusable.ts";

/** Largest file that is read as a flag's value, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A small text file that a flag or argument names; `-` is stdin. @throws Unusable when it cannot be read */
export function readTextFile(cwd: string, name: string): string {
  const path = name === "-" ? 0 : resolve(cwd, name);
  try {
    if (path !== 0 && statSync(path).size > MAX_BYTES)
      throw new Unusable(`${name} has more than ${MAX_BYTES} bytes`, "is this the right file?");
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Unusable) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Unusable(`cannot read ${name === "-" ? "stdin" : name} (${code})`, "name a file that can be read");
  }
}
