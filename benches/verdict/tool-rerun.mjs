/** A loop that lets its agent work until a command succeeds in the same folder: as many times as the others may. */
import { spawnSync } from "node:child_process";

const { BENCH_AGENT, BENCH_ATTEMPTS, BENCH_CHECK } = process.env;
const run = (command) => spawnSync("/bin/sh", ["-c", command], { stdio: ["ignore", "inherit", "inherit"] }).status;
for (let attempt = 1; attempt <= Number(BENCH_ATTEMPTS); attempt++) {
  run(BENCH_AGENT);
  if (run(BENCH_CHECK) === 0) process.exit(0);
}
process.exit(1);
