// What minds are tried on: real repositories at a commit, a goal in a person's words, and how a machine sees that it is reached.
// `checks` are those of `aot align --from`. `truth` is run afterwards in a clean clone, and nobody is told of it. `first` is a
// recorded first attempt, wrong in a way that is easily believed: both loops begin with it.

const INSTALL = "npm install --no-audit --no-fund";
const HESSIAN = { from: "BugsJS/hessian.js", install: `${INSTALL} -D mocha@10.8.2` };
const SUITE = { type: "command", value: "npx mocha --reporter spec -t 15000", expect: "no_worse" };
// Without the test that measures time: it fails on a busy machine.
const AVA = "npx ava --match '!concurrency: 1'";
const ON_IDLE = `import pLimit from './index.js'; const limit = pLimit(1); let done = 0;
for (let n = 0; n < 3; n++) limit(async () => { await new Promise(r => setTimeout(r, 5)); done++; });
await limit.onIdle(); if (done !== 3) process.exit(1); await pLimit(2).onIdle();`.replaceAll("\n", " ");

export const TASKS = {
  "old-failures": {
    ...HESSIAN,
    at: "Bug-1-test",
    goal: "The list that the last commit's new test encodes is encoded as it says",
    checks: [{ ...SUITE, must_pass: ["v2 list encode should ok"] }],
    truth: 'npx mocha --grep "v2 list encode should ok"',
  },
  feature: {
    from: "sindresorhus/p-limit",
    at: "df47604",
    install: INSTALL,
    goal: "Add limit.onIdle(): a promise that resolves once nothing runs and nothing waits, at once if that is so already; with types, tests and a section in the readme",
    checks: [
      { type: "command", value: `node --input-type=module -e "${ON_IDLE}"` },
      { type: "contains", value: "onIdle in readme.md" },
      { type: "contains", value: "onIdle in index.d.ts" },
      { type: "command", value: AVA, baseline: "pass" },
    ],
    truth: `${AVA} && node --input-type=module -e "${ON_IDLE}"`,
  },
  alternative: {
    from: "sindresorhus/slugify",
    at: "d572cba",
    install: INSTALL,
    goal: "index.js needs the package escape-string-regexp no more, on any Node that package.json names",
    // The first is a dead end: the language has it since Node 24.
    ways: ["escape by RegExp.escape, and nothing else", "escape by a function of a few lines in index.js"],
    checks: [
      { type: "not_command", value: "grep -q escape-string-regexp index.js package.json" },
      { type: "command", value: "npx ava", baseline: "pass" },
    ],
    truth: "npx ava && ! grep -q escape-string-regexp index.js package.json",
  },
  rubric: {
    from: "lukeed/mri",
    at: "62b9ce4",
    install: INSTALL,
    goal: "The readme has a section Pitfalls for somebody who gets other values from mri than they typed",
    checks: [
      { type: "contains", value: "## Pitfalls in readme.md" },
      {
        type: "quality",
        scope: "readme.md",
        pass_threshold: 4,
        rubric: [
          {
            criterion: "true",
            description: "the section says what src/index.js does",
            weight: 2,
            levels: {
              1: "a statement or an output is wrong",
              3: "right, but vague",
              5: "each has an example, and it is right",
            },
          },
          {
            criterion: "complete",
            description: "numbers, a word after a flag, --no-, groups of short flags, a flag that comes twice",
            levels: { 1: "one or two of them", 3: "three or four", 5: "all of them" },
          },
          { criterion: "short", levels: { 1: "more than 120 lines", 3: "about 80", 5: "at most 60" } },
        ],
      },
      { type: "command", value: "npm test", baseline: "pass" },
    ],
    truth: "npm test && grep -q '^## Pitfalls' readme.md",
  },
  "wrong-first": {
    ...HESSIAN,
    at: "Bug-2-test",
    goal: "A decoded map keeps entries whose key is neither a string nor a number, as the last commit's tests say",
    checks: [{ ...SUITE, must_pass: ["should decode successful when key is null", "should read java.util.HashMap"] }],
    first: {
      file: "lib/v2/decoder.js",
      from: "    if (t === 'string' || t === 'number') {\n      map[k] = v;\n    }\n",
      to: "    map[k] = v;\n",
      answer: {
        success: true,
        summary: "The decoder kept string and number keys only; it keeps every key now.",
        artifacts: ["lib/v2/decoder.js"],
        subject: "keep map entries of any key",
      },
    },
    truth: 'npx mocha test/map.test.js --grep "key is null|should read java.util.HashMap"',
  },
};
