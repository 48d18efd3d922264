/**
 * What is compared. A tool is a command that is started in the project's folder with `BENCH_GOAL`, `BENCH_CHECK`,
 * `BENCH_MUST_PASS` (names of tests, a line each: the check fails for other reasons, too, and these have
 * to pass; may be empty), `BENCH_TESTS` (paths, a line each), `BENCH_AGENT` (the worker's command line) and `BENCH_SETUP` (makes a fresh checkout usable; may be empty) in its
 * environment. It leaves its result in that folder. Exit code 0: it claims that the goal is reached.
 */
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const node = (name) => `'${process.execPath}' '${here(name)}'`;

export const TOOLS = {
  aot: node("tool-aot.mjs"),
  "believes its agent": node("tool-promise.mjs"),
  "reruns until it succeeds": node("tool-rerun.mjs"),
};

/** As `aot`, for whom the tests decide and are protected. */
export const PROTECTED = { "aot, tests protected": `${node("tool-aot.mjs")} protected` };
