/**
 * What `--challenge` finds in tests that people wrote: `node benches/verdict/thin-tests.mjs [--source humaneval|quixbugs]
 * [--tasks N] [--cache DIR] [--from DIR]`. The real solution is in place, all of the tests run, and the code is broken.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { alignedState } from "../../dist/lib/align/alignment.js";
import { challenge } from "../../dist/lib/verify/challenge/challenge.js";
import { commitAll, makeTemplate, spread } from "./prepare.mjs";
import { clonePath, SOURCES } from "./sources.mjs";
import { writeFiles } from "./texts.mjs";

const MOST_MS = 120_000;
const { values } = parseArgs({
  options: {
    source: { type: "string", default: "humaneval" },
    tasks: { type: "string", default: "1000" },
    from: { type: "string" },
    cache: { type: "string", default: join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "aot-loop-bench") },
  },
});

/** Null: it cannot be challenged; why is said. */
async function tryTask(task, dir) {
  await makeTemplate(task, dir);
  writeFiles(dir, { ...task.fix, ...task.hidden });
  await commitAll(dir, "the real solution, all tests");
  const state = alignedState({ goal: task.goal, base_case: { type: "command", value: task.check } }, null);
  const asked = { project: dir, set_up: { commands: [], timeout_ms: 0 }, signal: new AbortController().signal };
  const tried = await challenge({ ...asked, state: state.value, time_ms: MOST_MS });
  if (tried.ok) return tried.value;
  console.error(`${task.id}: ${tried.problems[0].message}`);
  return null;
}

const source = SOURCES.find(({ name }) => name === values.source);
const clone = source === undefined ? null : await clonePath(source.repository, values);
if (clone === null) throw new Error(`there is no source ${values.source} here, and it could not be cloned`);
const found = [];
for (const task of spread(source.tasks(clone, source), Number(values.tasks))) {
  const dir = await mkdtemp(join(tmpdir(), "thin-"));
  try {
    const tried = await tryTask(task, dir);
    if (tried !== null) found.push({ id: task.id, ...tried });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
const sum = (of) => found.reduce((total, one) => total + of(one), 0);
for (const { id, survivors, tried } of found)
  if (survivors.length > 0)
    console.log(
      `${id}: ${survivors.length} of ${tried}: ${survivors.map(({ line, change }) => `${line ?? "file"} ${change}`).join("; ")}`,
    );
console.log(
  `${values.source}: ${found.length} tasks, ${sum(({ tried }) => tried)} changes tried, ${sum(({ noticed }) => noticed)} noticed, ${sum(({ unparsable }) => unparsable)} could not be parsed, ${sum(({ survivors }) => survivors.length)} survived; tasks with a survivor: ${found.filter(({ survivors }) => survivors.length > 0).length}`,
);
