/** A loop that lets its agent work until a command succeeds in the same folder: as many times as the others may. */
import { shell } from "./shell.mjs";

/** As long as `aot` gives a check that says nothing of it. */
const LIMIT_MS = 120_000;

const { BENCH_AGENT, BENCH_ATTEMPTS, BENCH_CHECK } = process.env;
async function run(command) {
  const { code, output } = await shell(command, { timeout_ms: LIMIT_MS });
  process.stdout.write(output);
  return code;
}
for (let attempt = 1; attempt <= Number(BENCH_ATTEMPTS); attempt++) {
  await run(BENCH_AGENT);
  if ((await run(BENCH_CHECK)) === 0) process.exit(0);
}
process.exit(1);
