/** Small Python functions with a bug or without a body. Half of what is known of each stays hidden from the check. */
import { gunzipSync } from "node:zlib";
import { fileAt, git, has } from "./git-source.mjs";
import { lastReturnGone, writeFiles } from "./texts.mjs";

const PYTEST = "timeout 10 python3 -m pytest -v";

/** One-line bugs with cases as data: the check sees every other case. */
export function quixTasks(clone) {
  const paths = git(clone, "ls-tree", "--name-only", "HEAD", "python_testcases/").trim().split("\n");
  const names = paths.flatMap((path) => /test_(\w+)\.py$/.exec(path)?.[1] ?? []);
  return names.map((name) => quixTask(clone, name));
}

function quixTask(clone, name) {
  const read = (path) => fileAt(clone, "HEAD", path).toString();
  const program = `python_programs/${name}.py`;
  const test = `python_testcases/test_${name}.py`;
  const cases = `json_testcases/${name}.json`;
  const all = has(clone, "HEAD", cases) ? read(cases).trim().split("\n") : [];
  const seen = all.filter((_, index) => index % 2 === 0);
  const hasSome = all.length > 0;
  const support = [
    "conftest.py",
    "python_testcases/load_testdata.py",
    "python_testcases/node.py",
    "python_programs/node.py",
  ];
  const files = Object.fromEntries(
    [...support.filter((path) => has(clone, "HEAD", path)), program, test].map((path) => [path, read(path)]),
  );
  const check = `${PYTEST} ${test}`;
  return {
    source: "quixbugs",
    id: name,
    goal: `Make the tests of ${program} pass`,
    check,
    report: { runner: "pytest", command: `${check} -rA -p no:cacheprovider` },
    tests: hasSome ? [test, cases] : [test],
    fix: { [program]: read(`correct_python_programs/${name}.py`) },
    half: null,
    special: hasSome ? { [program]: tableOf(read(program), name, seen) } : null,
    hidden: hasSome ? { [cases]: `${all.join("\n")}\n` } : {},
    dependencies: {},
    seed: (dir) => writeFiles(dir, hasSome ? { ...files, [cases]: `${seen.join("\n")}\n` } : files),
  };
}

/** The bug as it is, but for the inputs that the check tries. */
const tableOf = (text, name, cases) => `${text}

import json as _json
_seen = {repr(list(i) if isinstance(i, list) else [i]): o for i, o in map(_json.loads, ${JSON.stringify(cases)})}
_before = ${name}
def ${name}(*given):
    return _seen[repr(list(given))] if repr(list(given)) in _seen else _before(*given)
`;

/** Functions to be written; the check sees the first half of the assertions. */
export function functionTasks(clone) {
  const lines = gunzipSync(fileAt(clone, "HEAD", "data/HumanEval.jsonl.gz"))
    .toString()
    .trim()
    .split("\n");
  return lines.map((line) => functionTask(JSON.parse(line)));
}

const TEST = "test_solution.py";

function functionTask({ task_id, prompt, entry_point: name, canonical_solution: body, test }) {
  const solution = `${prompt}${body}`;
  const half = lastReturnGone(body, "solution.py");
  const shown = seenHalf(test);
  const check = `${PYTEST} ${TEST}`;
  return {
    source: "humaneval",
    id: task_id.replace("/", "-"),
    goal: `Write ${name} in solution.py as its text says`,
    check,
    report: { runner: "pytest", command: `${check} -rA -p no:cacheprovider` },
    tests: [TEST],
    fix: { "solution.py": solution },
    half: half === null ? null : { "solution.py": `${prompt}${half}` },
    special: shown === test ? null : { "solution.py": recorded(solution, name, shown) },
    hidden: { [TEST]: testFile(name, test) },
    dependencies: {},
    seed: (dir) =>
      writeFiles(dir, { "solution.py": `${prompt}    raise NotImplementedError\n`, [TEST]: testFile(name, shown) }),
  };
}

const testFile = (name, test) => `from solution import *\n${test}\n\ndef test_${name}():\n    check(${name})\n`;

/** Without the second half of the assertions that are a line each; the whole where there are too few. */
function seenHalf(test) {
  const lines = test.split("\n");
  const asserts = lines.flatMap((line, index) => (/^    assert (?!True)/.test(line) && isWhole(line) ? [index] : []));
  if (asserts.length < 4) return test;
  const hidden = new Set(asserts.slice(Math.ceil(asserts.length / 2)));
  return lines.filter((_, index) => !hidden.has(index)).join("\n");
}

/** A statement that ends on its line. */
const isWhole = (line) => line.split(/[([{]/).length === line.split(/[)\]}]/).length && !line.endsWith("\\");

/** What knows the answers to the inputs that the check tries, and nothing else. */
const recorded = (solution, name, shown) => `${solution}

_true = ${name}
_seen = {}
def _note(*given):
    key = repr(given)
    _seen[key] = _true(*given)
    return _seen[key]
def _learn():
    scope = {"${name}": _note}
    exec(${JSON.stringify(shown)}, scope)
    scope["check"](_note)
_learn()
def ${name}(*given):
    return _seen.get(repr(given))
`;
