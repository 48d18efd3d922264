// What minds are tried on: real repositories at a commit, a goal in a person's words, and how a machine sees that it is reached.
// `truth` is run afterwards in a clean clone, and nobody is told of it. `checks` are flags of `aot run`, or of `aot align`.

const P_LIMIT = { from: "sindresorhus/p-limit", at: "df47604", install: "npm install --no-audit --no-fund" };
const HESSIAN = { from: "BugsJS/hessian.js", install: "npm install --no-audit --no-fund -D mocha@10.8.2" };
const SUITE = "npx mocha --reporter spec";
const ON_IDLE = `import pLimit from './index.js'; const limit = pLimit(1); let done = 0;
for (let n = 0; n < 3; n++) limit(async () => { await new Promise(r => setTimeout(r, 5)); done++; });
await limit.onIdle(); if (done !== 3) process.exit(1); await pLimit(2).onIdle();`;

export const TASKS = {
  "old-failures": {
    ...HESSIAN,
    at: "Bug-1-test",
    goal: "The list that the last commit's new test encodes is encoded as it says",
    checks: [["--no-worse", SUITE, "--must-pass", "v2 list encode should ok"]],
    truth: 'npx mocha --grep "v2 list encode should ok"',
  },
  feature: {
    ...P_LIMIT,
    goal: "Add limit.onIdle(): a promise that resolves once nothing runs and nothing waits, at once if that is so already; with types, tests and a section in the readme",
    checks: [
      ["--check", `node --input-type=module -e "${ON_IDLE.replaceAll("\n", " ")}"`],
      ["--check", "contains: onIdle in readme.md"],
      ["--check", "contains: onIdle in index.d.ts"],
    ],
    truth: `npx ava && node --input-type=module -e "${ON_IDLE.replaceAll("\n", " ")}"`,
  },
  alternative: {
    ...P_LIMIT,
    goal: "`npm run size` prints the gzipped size of index.js in bytes, a number alone",
    // A way that is tried first, and what is done in its place.
    ways: [
      "use the package gzip-size, without any change to package.json's dependencies",
      "use what Node has built in",
    ],
    checks: [["--check", "npm run -s size | grep -Eqx '[0-9]{3,5}'"]],
    truth: "npm run -s size | grep -Eqx '[0-9]{3,5}'",
  },
  rubric: {
    ...P_LIMIT,
    goal: "The readme has a section Troubleshooting that helps somebody whose limited functions never run",
    checks: [
      ["--check", "contains: Troubleshooting in readme.md"],
      ["--check", "quality: the section Troubleshooting is true of the code, complete, and short"],
    ],
    judged: true,
    truth: "grep -q Troubleshooting readme.md",
  },
  misleading: {
    ...HESSIAN,
    at: "Bug-2-test",
    goal: "A map whose key is null keeps that key; I think that the encoder leaves it out",
    checks: [["--no-worse", SUITE, "--must-pass", "should decode successful when key is null"]],
    truth: 'npx mocha --grep "should decode successful when key is null"',
  },
};
