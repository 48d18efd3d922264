/** The executable. Loads the frame and the one command that is called. */
import { processIo } from "./faces/cli/io.ts";
import { main } from "./faces/cli/main.ts";
import { AOT } from "./faces/cli/table.ts";

async function start(): Promise<void> {
  const code = await main(AOT, process.argv.slice(2), processIo());
  // Everything was written when it was said (io.ts): taking the heap apart piece by piece would cost 1 ms.
  process.exit(code);
}

void start();
