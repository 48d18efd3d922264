/**
 * What is compared. A tool is a command that is started in the project's folder with `BENCH_GOAL`, `BENCH_CHECK`,
 * `BENCH_MUST_PASS` (names of tests, a line each: the check fails for other reasons, too, and these have
 * to pass; may be empty), `BENCH_TESTS` (paths, a line each), `BENCH_AGENT` (the worker's command line), `BENCH_ATTEMPTS` (how often it
 * may try) and `BENCH_SETUP` (makes a fresh checkout usable; may be empty) in its environment. It leaves its result in that folder.
 * Exit code 0: it claims that the goal is reached. What is the same for all workers of a task is done by `prepare`, once, in
 * the folder whose copies the tool is then started in.
 */
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const node = (name) => `'${process.execPath}' '${here(name)}'`;

export const TOOLS = {
  aot: { run: `${node("tool-aot.mjs")} run`, prepare: `${node("tool-aot.mjs")} align` },
  "believes its agent": { run: node("tool-promise.mjs") },
  "reruns until it succeeds": { run: node("tool-rerun.mjs") },
};

/** As `aot`, for whom the tests decide and are protected; asked where that one accepts. */
export const PROTECTED = { "aot, tests protected": { run: `${node("tool-aot.mjs")} protected`, after: "aot" } };
