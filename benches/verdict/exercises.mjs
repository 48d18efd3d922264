/** Exercises whose stub is the start and whose reference is the fix, with their own tests. */
import { fileAt, git } from "./git-source.mjs";
import { lastReturnGone, writeFiles } from "./texts.mjs";

const PRACTICE = "exercises/practice";

export function exerciseTasks(clone, { name }) {
  const language = name === "polyglot-python" ? "python" : "javascript";
  const ids = git(clone, "ls-tree", "--name-only", `HEAD:${language}/${PRACTICE}`).trim().split("\n");
  return ids.map((id) => exercise(clone, { name, language, id }));
}

function exercise(clone, { name, language, id }) {
  const folder = `${language}/${PRACTICE}/${id}`;
  const read = (path) => fileAt(clone, "HEAD", `${folder}/${path}`).toString();
  const { files } = JSON.parse(read(".meta/config.json"));
  const paths = git(clone, "ls-tree", "-r", "--name-only", `HEAD:${folder}`).trim().split("\n");
  const seeded = Object.fromEntries(paths.filter((path) => !path.startsWith(".")).map((path) => [path, read(path)]));
  const [solution] = files.solution;
  const reference = read(files.example[0]);
  const half = lastReturnGone(reference, solution);
  const common = {
    source: name,
    id,
    goal: `Implement ${solution} so that its tests pass`,
    tests: files.test,
    fix: { [solution]: reference },
    half: half === null ? null : { [solution]: half },
  };
  return language === "python" ? pythonTask(common, seeded) : scriptTask(common, seeded);
}

const pythonTask = (common, seeded) => {
  const check = `python3 -m pytest -v ${common.tests.join(" ")}`;
  return {
    ...common,
    check,
    report: { runner: "pytest", command: `${check} -rA -p no:cacheprovider` },
    dependencies: {},
    seed: (dir) => writeFiles(dir, seeded),
  };
};

/** All but the first test of an exercise are skipped as published: here all of them count. */
const scriptTask = (common, seeded) => {
  const { devDependencies } = JSON.parse(seeded["package.json"]);
  const wanted = Object.entries(devDependencies).filter(([name]) => !name.includes("eslint"));
  for (const path of common.tests) seeded[path] = seeded[path].replace(/\bx(?=(?:test|it|describe)\()/g, "");
  return {
    ...common,
    check: "npm test",
    report: { runner: "jest", command: "npx jest --json" },
    dependencies: Object.fromEntries(wanted),
    seed: (dir) => writeFiles(dir, seeded),
  };
};
