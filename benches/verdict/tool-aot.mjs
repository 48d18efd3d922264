/** The loop of this project, as a person would start it; `BENCH_AOT` names another build. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const { BENCH_GOAL, BENCH_CHECK, BENCH_AGENT, BENCH_SETUP } = process.env;
const aot = process.env.BENCH_AOT ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const fuel = ["--planner", "none", "--max-iterations", "2"];
const call = [
  "run",
  BENCH_GOAL,
  "--check",
  BENCH_CHECK,
  "--agent",
  `command:${BENCH_AGENT}`,
  ...fuel,
  "--yes",
  "--json",
];
const env = { ...process.env, AOT_CONFIG: "none", ...(BENCH_SETUP === "" ? {} : { AOT_SETUP: BENCH_SETUP }) };
const { status } = spawnSync(process.execPath, [aot, ...call, ...process.argv.slice(2)], {
  env,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(status ?? 1);
