import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Io } from "./io.ts";
import { Unusable } from "./unusable.ts";

/** Largest file that is read as a flag's value, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A small text file that a flag or argument names; `-` is stdin. @throws Unusable when it cannot be read */
export function readTextFile(io: Io, name: string): string {
  try {
    if (name === "-") return whole(io);
    const path = resolve(io.cwd, name);
    if (statSync(path).size > MAX_BYTES)
      throw new Unusable(`${name} has more than ${MAX_BYTES} bytes`, "is this the right file?");
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Unusable) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (code === "ENOENT" && name !== "-")
      throw new Unusable(`there is no file ${name}`, "name a file that can be read");
    throw new Unusable(`cannot read ${name === "-" ? "stdin" : name} (${code})`, "name a file that can be read");
  }
}

function whole({ stdin }: Io): string {
  if (stdin === undefined) throw new Unusable("there is no stdin to read from here", "name a file");
  return stdin();
}
