/** A loop that ends when its agent says that it is done. */
import { spawnSync } from "node:child_process";

const { status } = spawnSync("/bin/sh", ["-c", process.env.BENCH_AGENT], { stdio: ["ignore", "inherit", "inherit"] });
process.exit(status ?? 1);
