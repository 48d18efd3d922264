/**
 * Real bugs of JavaScript projects: `Bug-N-test` is the bug with its failing test, `Bug-N-full` the same with the fix. The
 * check is the project's own runner on the bug's test files: the whole suites have failures from before on today's Node.
 */
import { changed, fileAt, git, has, unpack } from "./git-source.mjs";

/** `_mocha` where the versions are old: what they print by `mocha` itself is lost on today's Node. */
const RUNNERS = {
  express: (tests, { holds }) =>
    `node_modules/.bin/_mocha --reporter spec ${holds("test/support/env.js") ? "--require test/support/env " : ""}--check-leaks ${tests}`,
  hexo: (tests) => `node_modules/.bin/_mocha --reporter spec ${tests}`,
  karma: (tests) =>
    tests.includes(".coffee")
      ? `node_modules/.bin/_mocha --reporter spec --compilers coffee:coffee-script/register test/unit/mocha-globals.coffee ${tests}`
      : `node_modules/.bin/_mocha --reporter spec test/unit/mocha-globals.js ${tests}`,
  "hessian.js": (tests) => `node_modules/.bin/mocha --reporter spec -t 15000 -r should ${tests}`,
  node_redis: (tests) => `node_modules/.bin/_mocha --reporter spec --timeout=8000 ${tests}`,
  shields: (tests) => `node_modules/.bin/_mocha --reporter spec ${tests}`,
};
/** Programs that a project's tests start. */
const NEEDS = { node_redis: "redis-server" };
const TEST_FILE = /^(test\/.*|.*\.spec)\.(js|coffee)$/;
const NO_TEST = /(fixtures|helper\.js$|support\/|e2e\/|mocha-globals)/;

export function bugsTasks(clone, { name }) {
  const numbers = git(clone, "tag", "--list", "Bug-*-full").match(/\d+/g) ?? [];
  return numbers
    .map(Number)
    .sort((a, b) => a - b)
    .map((number) => bugTask(clone, name, number));
}

function bugTask(clone, name, number) {
  const tag = `Bug-${number}`;
  const tests = changed(clone, tag, `${tag}-test`).filter(
    (path) => TEST_FILE.test(path) && !NO_TEST.test(path) && has(clone, `${tag}-full`, path),
  );
  const fixed = changed(clone, `${tag}-test`, `${tag}-full`);
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    fileAt(clone, `${tag}-full`, "package.json").toString(),
  );
  const holds = (path) => has(clone, `${tag}-full`, path);
  const check = RUNNERS[name](tests.join(" "), { holds });
  const fix = fixed.map((path) => [path, has(clone, `${tag}-full`, path) ? fileAt(clone, `${tag}-full`, path) : null]);
  return {
    source: name,
    id: tag,
    goal: `Make the failing test of ${tests.join(", ")} pass`,
    check,
    report: { runner: "mocha", command: check.replace("--reporter spec", "--reporter tap") },
    tests,
    fix: Object.fromEntries(fix),
    half: halfOf(clone, tag),
    needs: NEEDS[name],
    dependencies: { ...dependencies, ...devDependencies },
    seed: (dir) => unpack(clone, `${tag}-test`, dir),
  };
}

/** The first half of the fix's hunks applied, by path; null: there is only one. */
function halfOf(clone, tag) {
  const hunks = changed(clone, `${tag}-test`, `${tag}-full`)
    .filter((path) => path !== "package.json" && has(clone, `${tag}-test`, path))
    .flatMap((path) => hunksOf(clone, tag, path));
  if (hunks.length < 2) return null;
  const half = {};
  for (const { path, at, gone, added } of hunks.slice(0, Math.floor(hunks.length / 2)).toReversed()) {
    const lines = (half[path] ?? fileAt(clone, `${tag}-test`, path).toString()).split("\n");
    lines.splice(at, gone, ...added);
    half[path] = lines.join("\n");
  }
  return half;
}

function hunksOf(clone, tag, path) {
  const patch = git(clone, "diff", "--unified=0", `${tag}-test`, `${tag}-full`, "--", path);
  return patch
    .split(/^(?=@@ )/m)
    .slice(1)
    .map((hunk) => {
      const [, start, count = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(hunk);
      const added = hunk
        .split("\n")
        .filter((line) => line.startsWith("+"))
        .map((line) => line.slice(1));
      const gone = Number(count);
      return { path, at: Number(start) - (gone === 0 ? 0 : 1), gone, added };
    });
}
