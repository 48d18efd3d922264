/** `aot align --from FILE` (SPEC section 2): the schema's words, and the shapes that people write. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readAlignment } from "../../src/align/alignment-file.ts";
import { alignedState } from "../../src/align/alignment.ts";
import { FROM_EXAMPLE } from "../../src/align/commands/from-example.ts";

test("SPEC 2: the example of the help and of the docs is an alignment that needs nothing else", () => {
  const read = readAlignment(FROM_EXAMPLE);
  expect(read).toMatchObject({ ok: true });
  expect(read.ok && alignedState(read.value, null)).toMatchObject({ ok: true });
  expect(readFileSync("docs/configuration.md", "utf8")).toContain(`\`\`\`yaml\n${FROM_EXAMPLE}\`\`\``);
});

const NPM_TEST = { item: "npm test", check: { type: "command", value: "npm test" } };
const CHECKLIST = { checklist: [NPM_TEST] };

test.each([
  ["a list", "base_case: [npm test]", CHECKLIST],
  ["a list of checks", "base_case:\n  - type: command\n    value: npm test", CHECKLIST],
  ["a type as the key", "base_case: [{command: npm test}]", CHECKLIST],
  ["checks alone in a checklist", "base_case: {checklist: [npm test]}", CHECKLIST],
  [
    "checks alone in a group",
    "base_case: [{item: i, any_of: [npm test]}]",
    { checklist: [{ item: "i", any_of: [NPM_TEST] }] },
  ],
  ["one check in words", 'base_case: "command: npm test"', NPM_TEST.check],
  [
    "criteria alone",
    "base_case: [{quality: clear, pass_threshold: 3}]",
    { checklist: [{ item: "clear", check: { type: "quality", criteria: "clear", pass_threshold: 3 } }] },
  ],
  [
    "what the schema says",
    "base_case: {checklist: [{item: npm test, check: {type: command, value: npm test}}]}",
    CHECKLIST,
  ],
])("SPEC 2: a base case as people write it: %s", (_, text, base_case) => {
  expect(readAlignment(`goal: g\n${text}\n`)).toMatchObject({ ok: true, value: { goal: "g", base_case } });
  const nested = `objective:\n  goal: g\n${text.replaceAll(/^/gm, "  ")}\n`;
  expect(readAlignment(nested)).toMatchObject({ ok: true, value: { goal: "g", base_case } });
});

test("SPEC 2: a group that names its choices alone is theirs, whether they name it or not", () => {
  const atoms = "atoms: [{id: A2, description: d}, {id: A3, description: e, or_group: way}]";
  expect(readAlignment(`or_groups: {way: [A2, A3]}\n${atoms}`)).toMatchObject({
    ok: true,
    value: {
      atoms: [{ or_group: "way" }, { or_group: "way" }],
      or_groups: [{ name: "way", choices: ["A2", "A3"], selected: "A2", failed: [] }],
    },
  });
});

test("SPEC 2: what fits no shape is answered with its line, and what would be right", () => {
  expect(
    readAlignment("objective:\n  goal: g\n  base_case:\n    - npm test\n    - {type: comand, value: x}"),
  ).toMatchObject({
    ok: false,
    problems: [{ at: { line: 5 }, hint: expect.stringContaining("did you mean command?") }],
  });
  expect(readAlignment("or_groups:\n  way: A2")).toMatchObject({ ok: false, problems: [{ at: { line: 2 } }] });
});

test("SPEC 2: an atom's criteria may be a check", () => {
  const atoms = "atoms: [{id: A1, description: d, criteria: {type: file, value: x.txt}}]";
  expect(readAlignment(atoms)).toMatchObject({ ok: true, value: { atoms: [{ criteria: "file: x.txt" }] } });
  expect(readAlignment(atoms.replace("file, ", "fil, "))).toMatchObject({ ok: false, problems: [{ found: "fil" }] });
});
