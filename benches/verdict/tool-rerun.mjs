/** A loop that lets its agent work until a command succeeds in the same folder: as many times as the others may. */
import { spawnSync } from "node:child_process";

const ATTEMPTS = 2;
const { BENCH_AGENT, BENCH_CHECK } = process.env;
const run = (command) => spawnSync("/bin/sh", ["-c", command], { stdio: ["ignore", "inherit", "inherit"] }).status;
for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
  run(BENCH_AGENT);
  if (run(BENCH_CHECK) === 0) process.exit(0);
}
process.exit(1);
