/**
 * The loop of this project, as a person would start it; `BENCH_AOT` names another build. `align` aligns, `run` runs what was
 * aligned, `protected` does both with the failing tests protected.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const { BENCH_GOAL, BENCH_CHECK, BENCH_AGENT, BENCH_ATTEMPTS, BENCH_SETUP, BENCH_TESTS, BENCH_MUST_PASS } = process.env;
const aot = process.env.BENCH_AOT ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
// A suite with failures from before is held to be no worse, and to pass what the bug is about.
const checks =
  BENCH_MUST_PASS === ""
    ? ["--check", BENCH_CHECK]
    : ["--no-worse", BENCH_CHECK, ...BENCH_MUST_PASS.split("\n").flatMap((name) => ["--must-pass", name])];
const goal = [BENCH_GOAL, ...checks];
const worker = ["--agent", `command:${BENCH_AGENT}`, "--set=planner=none", "--max-iterations", BENCH_ATTEMPTS];
const agent = [...worker, "--yes", "--json"];
const calls = {
  align: [["align", ...goal, "--yes"]],
  run: [["run", ...agent]],
  protected: [
    ["align", ...goal, ...BENCH_TESTS.split("\n").flatMap((path) => ["--protect", path]), "--yes"],
    ["run", ...agent],
  ],
};
// In a sandbox the packages of the project's folder are there by themselves.
const shows = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
const setUp = BENCH_SETUP === "" || shows ? {} : { AOT_SETUP: BENCH_SETUP };
const env = { ...process.env, AOT_CONFIG: "none", ...setUp };
for (const call of calls[process.argv[2]]) {
  const { status } = spawnSync(process.execPath, [aot, ...call], { env, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
}
