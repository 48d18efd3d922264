/**
 * The loop of this project, as a person would start it; `BENCH_AOT` names another build. With `protected` as its argument
 * the tests that fail are protected.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const { BENCH_GOAL, BENCH_CHECK, BENCH_AGENT, BENCH_SETUP, BENCH_TESTS, BENCH_MUST_PASS } = process.env;
const aot = process.env.BENCH_AOT ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const fuel = ["--planner", "none", "--max-iterations", "2"];
const shielded = process.argv[2] === "protected" ? BENCH_TESTS.split("\n") : [];
const protect = shielded.flatMap((path) => ["--protect", path]);
// A suite with failures from before is held to be no worse, and to pass what the bug is about.
const checks =
  BENCH_MUST_PASS === ""
    ? ["--check", BENCH_CHECK]
    : ["--no-worse", BENCH_CHECK, ...BENCH_MUST_PASS.split("\n").flatMap((name) => ["--must-pass", name])];
const call = ["run", BENCH_GOAL, ...checks, "--agent", `command:${BENCH_AGENT}`, ...fuel, "--yes", "--json"];
const env = { ...process.env, AOT_CONFIG: "none", ...(BENCH_SETUP === "" ? {} : { AOT_SETUP: BENCH_SETUP }) };
const { status } = spawnSync(process.execPath, [aot, ...call, ...protect], {
  env,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(status ?? 1);
