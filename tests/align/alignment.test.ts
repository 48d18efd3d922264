import { assert, constantFrom, property, string, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { parseCheck } from "../../src/core/check-text.ts";
import { alignedState, itemOf, parseAtom } from "../../src/align/alignment.ts";
import { readAlignment } from "../../src/align/alignment-file.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { describeCheck } from "../../src/core/verdict.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { parseState } from "../../src/statefile/parse.ts";

const filled = string({ minLength: 1, maxLength: 30 }).map((text) => `x${text.replaceAll(/<-/g, "")}`.trim());

test("a check's words are read back from what it says of itself", () => {
  const types = constantFrom("command", "not_command", "file", "not_file", "assertion", "quality");
  assert(
    property(types, filled, (type, value) => {
      const check = parseCheck(`${type}: ${value}`);
      expect(check.ok && describeCheck(check.value)).toBe(`${type}: ${value}`);
    }),
  );
});

test("without a type it is a command; an empty one is refused", () => {
  expect(parseCheck("npm test")).toEqual({ ok: true, value: { type: "command", value: "npm test" } });
  expect(parseCheck("curl http://x: y")).toMatchObject({ value: { type: "command", value: "curl http://x: y" } });
  for (const empty of ["", "  ", "file:", "quality:  "]) expect(parseCheck(empty).ok).toBe(false);
});

test("a type that is mistyped is refused with what was meant; a command with a colon is a command", () => {
  for (const [text, meant] of [
    ["comand: npm test", "command: npm test"],
    ["Command: npm test", "command: npm test"],
    ["not-file: dist", "not_file: dist"],
    ["asertion:it is nice", "assertion: it is nice"],
  ] as const) {
    const hint = expect.stringContaining(`did you mean \`${meant}\`?`);
    expect(parseCheck(text)).toMatchObject({ ok: false, problems: [{ code: "unknown_check_type", hint }] });
    expect(parseCheck(`command: ${text}`)).toEqual({ ok: true, value: { type: "command", value: text } });
  }
  for (const command of ["npm run x:y", "FOO:=1 make", "fil:=1 make", "C:\\bin\\t.exe", "node: x", "make x: y", ": ok"])
    expect(parseCheck(command)).toEqual({ ok: true, value: { type: "command", value: command } });
});

test("an atom's id and dependencies may be left out", () => {
  expect(parseAtom("A2: Login <- A1, B-3")).toEqual({
    ok: true,
    value: { id: "A2", description: "Login", depends_on: ["A1", "B-3"] },
  });
  expect(parseAtom("Just do it")).toEqual({ ok: true, value: { description: "Just do it" } });
  expect(parseAtom("Use a: b")).toMatchObject({ value: { description: "Use a: b" } });
  expect(parseAtom("A1:  <- A2").ok).toBe(false);
});

test("SPEC 2: whatever is aligned gives a valid state whose file reads back as the same state", () => {
  assert(
    property(filled, filled, uniqueArray(filled, { maxLength: 5 }), (goal, value, descriptions) => {
      const base_case = { checklist: [itemOf({ type: "command", value }, false)] };
      const atoms = descriptions.map((description, index) => ({
        description,
        ...(index > 0 ? { depends_on: ["A1"] } : {}),
      }));
      const aligned = alignedState({ goal, base_case, atoms }, null);
      if (!aligned.ok) throw new Error(aligned.problems[0]?.message);
      expect(checkInvariants(aligned.value)).toEqual([]);
      const read = parseState(createStateText(aligned.value, goal));
      expect(read.ok && read.document.state).toEqual(aligned.value);
    }),
  );
});

test("ids that are left out do not meet those that were given", () => {
  const base_case = { type: "file", value: "x" } as const;
  const atoms = [{ description: "a" }, { id: "A1", description: "b" }, { description: "c" }];
  const aligned = alignedState({ goal: "g", base_case, atoms }, "abc");
  expect(aligned.ok && aligned.value.atoms.map((atom) => atom.id)).toEqual(["A2", "A1", "A3"]);
});

test("an alignment file takes JSON as well, and says what it cannot use", () => {
  expect(readAlignment('{"goal": "g", "base_case": {"type": "file", "value": "x"}}')).toMatchObject({
    ok: true,
    value: { goal: "g", base_case: { type: "file", value: "x" } },
  });
  // As the state file's own example has them.
  const example =
    "goal: g\natoms: [{id: A1, description: d, status: pending, or_group: w}]\nor_groups: {w: {choices: [A1], selected: A1, failed: []}}\n";
  expect(readAlignment(example)).toMatchObject({ ok: true, value: { or_groups: [{ name: "w", failed: [] }] } });
  expect(readAlignment(example.replace("pending", "resolved"))).toMatchObject({ ok: false });
  expect(readAlignment(example.replace("failed: []", "failed: [A1]"))).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("nothing has been tried yet") as string }],
  });
  expect(readAlignment("goal: 3\n")).toMatchObject({ ok: false, problems: [{ code: "wrong_type", at: { line: 1 } }] });
  expect(readAlignment("atoms: [{id: A1}]")).toMatchObject({ ok: false, problems: [{ code: "missing_field" }] });
  expect(readAlignment("a: [")).toMatchObject({ ok: false, problems: [{ code: "yaml_syntax" }] });
});

test("SPEC 10: a key that no field has is refused with the name that was meant, wherever it stands", () => {
  const text = `goal: g
protect: [tests/**]
constraints: {max_iteration: 3}
base_case:
  checklist:
    - item: works
      group:
        - item: builds
          check: {type: command, value: make, timout: 3}
atoms:
  - {description: d, dependson: []}
or_groups:
  any name: {choices: [A1], speculativ: true}
`;
  const read = readAlignment(text);
  expect(read.ok ? [] : read.problems.map(({ found, hint, at }) => [found, hint?.split("?")[0], at?.line])).toEqual([
    ["protect", "did you mean protected", 2],
    ["max_iteration", "did you mean max_iterations", 3],
    ["timout", "did you mean timeout", 9],
    ["dependson", "did you mean depends_on", 11],
    ["speculativ", "did you mean speculative", 13],
  ]);
});
