/** The executable. Loads the frame and the one command that is called. */
import { writeSync } from "node:fs";
import { processIo } from "./command/io.ts";
import { main } from "./interfaces/cli/main.ts";
import { AOT } from "./aot.ts";

async function start(): Promise<void> {
  const words = process.argv.slice(2);
  const io = processIo();
  const code = io === null ? nowhere() : await main(AOT, words, io);
  // Everything was written when it was said (io.ts): taking the heap apart piece by piece would cost 1 ms.
  process.exit(code);
}

/** @returns the exit code */
function nowhere(): number {
  writeSync(2, "aot: the folder in which it was called is gone\n  change to one that exists, then call it again\n");
  return 1;
}

void start();
