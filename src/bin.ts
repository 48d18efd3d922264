/** The executable. Loads the frame and the one command that is called. */
import { processIo } from "./faces/cli/io.ts";
import { main } from "./faces/cli/main.ts";
import { AOT } from "./faces/cli/table.ts";

async function start(): Promise<void> {
  process.exitCode = await main(AOT, process.argv.slice(2), processIo());
}

void start();
