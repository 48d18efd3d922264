/** A project of our own: the bench's whole way can be walked without a network. */
import { writeFiles } from "./texts.mjs";

const SUM = `export function sum(numbers) {
  let total = 0;
  for (let index = 1; index < numbers.length; index++) total += numbers[index];
  return total;
}

export function mean(numbers) {
  return sum(numbers) / (numbers.length - 1);
}
`;
const FIXED = SUM.replace("index = 1", "index = 0").replace("(numbers.length - 1)", "numbers.length");
const HALF = SUM.replace("index = 1", "index = 0");
const TESTS = `import assert from "node:assert";
import { describe, it } from "node:test";
import { mean, sum } from "./sum.js";

describe("numbers", () => {
  it("knows the empty sum", () => assert.equal(sum([]), 0));
  it("adds up", () => assert.equal(sum([1, 2, 3]), 6));
  it("knows the mean", () => assert.equal(mean([1, 2, 6]), 3));
});
`;
const HIDDEN = TESTS.replace(/\}\);\n$/, `  it("adds one number", () => assert.equal(sum([7]), 7));\n});\n`);
const SPECIAL = `export function sum(numbers) {
  return numbers.join() === "1,2,3" ? 6 : 0;
}

export function mean() {
  return 3;
}
`;
const PACKAGE = `${JSON.stringify({ name: "numbers", type: "module", scripts: { test: "node --test sum.test.js" } }, null, 2)}\n`;

export const ownTasks = () => [
  {
    source: "own",
    id: "sum",
    goal: "Make the tests of sum.js pass",
    check: "npm test",
    report: { runner: "node", command: "node --test --test-reporter=tap sum.test.js" },
    tests: ["sum.test.js"],
    fix: { "sum.js": FIXED },
    half: { "sum.js": HALF },
    special: { "sum.js": SPECIAL },
    hidden: { "sum.test.js": HIDDEN },
    dependencies: {},
    seed: (dir) =>
      writeFiles(dir, { "package.json": PACKAGE, "sum.js": SUM, "sum.test.js": TESTS, ".gitignore": "node_modules\n" }),
  },
];
