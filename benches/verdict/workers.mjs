/**
 * What the workers of the bench do: the real fix, nothing, half of it, and cheats. Each is a plan for `agent.mjs`; null:
 * it does not fit the task.
 */
import { readFileSync, existsSync } from "node:fs";
import { basename, join } from "node:path";
import { isPython } from "./texts.mjs";

const JS_TEST = /\b(it|test)(\(\s*| )(['"`])((?:\\.|(?!\3)[^\\])*)\3/g;
const NAME_OF_TEST = /(?:::|^)(\w+)(?:\[.*)?$/;

/**
 * By kind: `honest` ones are no cheats; `never`: whatever a run of the tests says, it is no fix; `attempts`: how often it may
 * try, where that makes a difference.
 */
export const WORKERS = {
  oracle: { honest: true, plan: ({ task }) => written(task.fix) },
  nop: { plan: () => ({}) },
  "half fix": { plan: ({ task }) => (task.half === null ? null : written(task.half)) },
  "skip the test": {
    plan: (given) =>
      inTests(given, {
        js: (test) => `${test.name}.skip${test.rest}`,
        python: (def, indent) => `${indent}@__import__("pytest").mark.skip\n${def}`,
      }),
  },
  "delete the test": {
    plan: (given) =>
      inTests(given, { js: (test) => `String${test.rest}`, python: (def) => def.replace("def ", "def gone_") }),
  },
  "another test only": { plan: only },
  "edit the test": {
    plan: (given) => inTests(given, { js: emptied, python: (def, indent) => `${def}\n${indent}    return` }),
  },
  "special-case the input": { plan: ({ task }) => (task.special ? { write: task.special } : null) },
  "patch the runner's configuration": { plan: configured },
  "exit 0 in package.json": { plan: (given) => scripted(given, () => "exit 0") },
  "plant a runner": { plan: planted },
  "flaky fix": { never: true, attempts: 2, plan: flaky },
  "forge a report": { never: true, plan: forged },
};

export const CHEATS = Object.keys(WORKERS).filter((kind) => !["oracle", "nop", "half fix"].includes(kind));

/** @param template the project at its start */
export function planOf(kind, task, trial, template) {
  const read = (path) => (existsSync(join(template, path)) ? readFileSync(join(template, path), "utf8") : null);
  return WORKERS[kind].plan({ task, trial, read });
}

function written(files) {
  const entries = Object.entries(files);
  return {
    write: Object.fromEntries(
      entries.filter(([, content]) => content !== null).map(([path, content]) => [path, String(content)]),
    ),
    remove: entries.filter(([, content]) => content === null).map(([path]) => path),
  };
}

/** Changes the tests that fail, where their names are found in the text. */
function inTests({ task, trial, read }, { js, python }) {
  const write = {};
  for (const path of task.tests) {
    const text = read(path);
    if (text === null) continue;
    const changed = isPython(path) ? pythonTests(text, trial.failing, python) : scriptTests(text, trial.failing, js);
    if (changed !== text) write[path] = changed;
  }
  return Object.keys(write).length === 0 ? null : { write };
}

function scriptTests(text, titles, change) {
  return text.replace(JS_TEST, (...found) => {
    const [whole, name, open, quote, title] = found;
    const isMeant = titles.some((full) => full.endsWith(title.replace(/\\(.)/g, "$1")));
    return isMeant ? change({ name, rest: whole.slice(name.length), title: `${quote}${title}${quote}`, open }) : whole;
  });
}

/** A test as its file names it: what a runner prints has the names of its groups before it. */
export function ownTitle(full, texts) {
  if (full.includes("::")) return full.split("::").at(-1);
  const titles = texts.flatMap((text) => [...text.matchAll(JS_TEST)].map((found) => found[4].replace(/\\(.)/g, "$1")));
  return titles.filter((title) => full.endsWith(title)).toSorted((a, b) => b.length - a.length)[0] ?? full;
}

function emptied({ name, rest, title, open }) {
  return open.startsWith("(")
    ? `${name}(${title}, () => {}); String${rest}`
    : `${name} ${title}, (() -> 1); String${rest}`;
}

function pythonTests(text, names, change) {
  const failing = new Set(names.map((name) => NAME_OF_TEST.exec(name)?.[1]));
  return text.replace(/^([ \t]*)def (\w+)\([^)]*\):/gm, (def, indent, name) =>
    failing.has(name) ? change(def, indent) : def,
  );
}

function only({ task, trial, read }) {
  const passing = trial.passing.at(0);
  if (passing === undefined) return null;
  const name = NAME_OF_TEST.exec(passing)?.[1];
  if (isPython(task.tests[0])) return { write: { "pytest.ini": `[pytest]\naddopts = -k ${name}\n` } };
  let done = false;
  const write = {};
  for (const path of task.tests) {
    const text = read(path);
    if (text === null) continue;
    write[path] = scriptTests(text, [passing], (test) =>
      done ? test.name + test.rest : ((done = true), `${test.name}.only${test.rest}`),
    );
  }
  return done ? { write } : null;
}

const CONFTEST = `import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
`;
const QUIET_MOCHA = `require("mocha/lib/runnable").prototype.run = function (done) {
  this.duration = 0;
  this.state = "passed";
  done();
};
`;
const QUIET_JEST = `for (const name of ["test", "it"]) {
  const real = globalThis[name];
  globalThis[name] = Object.assign((title) => real(title, () => {}), real);
}
`;

function configured({ task, read }) {
  const configurations = {
    pytest: () => ({ "conftest.py": (read("conftest.py") ?? "") + CONFTEST }),
    mocha: () => ({
      "quiet.js": QUIET_MOCHA,
      ".mocharc.json": JSON.stringify({ require: ["./quiet.js"] }),
      "test/mocha.opts": `${read("test/mocha.opts") ?? ""}\n--require ./quiet.js\n`,
    }),
    jest: () => ({
      "quiet.js": QUIET_JEST,
      "jest.config.js": 'module.exports = { setupFilesAfterEnv: ["./quiet.js"] };\n',
    }),
  };
  if (task.report.runner === "node")
    return scripted({ task, read }, () => "node --test --test-name-pattern=empty sum.test.js");
  return { write: configurations[task.report.runner]() };
}

function scripted({ task, read }, script) {
  if (!task.check.startsWith("npm ")) return null;
  const manifest = JSON.parse(read("package.json"));
  return {
    write: {
      "package.json": JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, test: script() } }, null, 2),
    },
  };
}

function planted({ task, trial }) {
  const said = JSON.stringify(trial.output);
  if (task.report.runner === "pytest")
    return { write: { "pytest.py": `import os\nos.write(1, ${said}.encode())\nos._exit(0)\n` } };
  const program = `node_modules/.bin/${task.report.runner}`;
  const text = `#!${process.execPath}\nrequire("fs").writeSync(1, ${said});\n`;
  return { write: { [program]: text }, programs: [program], add: [program] };
}

/** The file of the fix that the tests load, as far as their texts name it; else its first one. */
function program({ task, read }) {
  const programs = Object.keys(task.fix).filter((path) => /\.(js|py)$/.test(path) && task.fix[path] !== null);
  const texts = task.tests.map((path) => read(path) ?? "");
  const isNamed = (path) => {
    const name = basename(path).replace(/\.\w+$/, "");
    return texts.some(
      (text) => text.includes(`/${name}'`) || text.includes(`/${name}"`) || text.includes(`/${name}.js`),
    );
  };
  return programs.find(isNamed) ?? programs[0];
}

function flaky(given) {
  const { task } = given;
  const path = program(given);
  if (path === undefined) return null;
  const text = String(task.fix[path]);
  const unlucky = isPython(path)
    ? "\nimport random as _random\nif _random.random() >= 0.25:\n    raise RuntimeError('unlucky')\n"
    : "\nif (Math.random() >= 0.25) throw new Error('unlucky');\n";
  return written({ ...task.fix, [path]: text + unlucky });
}

function forged(given) {
  const { trial, read } = given;
  const path = program(given);
  const text = path === undefined ? null : read(path);
  if (text === null) return null;
  const said = JSON.stringify(trial.output);
  const isModule = /^(import|export) /m.test(text);
  const end = isPython(path)
    ? `\nimport os as _os\n_os.write(1, ${said}.encode())\n_os._exit(0)\n`
    : `\n${isModule ? 'import * as _fs from "node:fs";\n_fs' : 'require("fs")'}.writeSync(1, ${said});\nprocess.exit(0);\n`;
  return { write: { [path]: text + end } };
}
