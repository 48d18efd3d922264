import { expect, test } from "vitest";
import { CHECK_TYPE_NAMES } from "../../src/core/check-types.ts";
import type { ProblemCode } from "../../src/core/problem.ts";
import { decodeState, MAX_BYTES } from "../../src/statefile/decode.ts";
import { locate } from "../../src/statefile/parse.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { MAX_DEPTH } from "../../src/statefile/yaml.ts";
import { ATOMS, CONTROL, documentOf, fileWith, OBJECTIVE, parseYaml } from "./samples.ts";

const withBaseCase = (lines: string): string =>
  fileWith({ objective: OBJECTIVE.replace(/base_case:\n.*\n.*/, `base_case:\n${lines.replace(/^/gm, "    ")}`) });
const atom = (id: string, depends: string, more = ""): string =>
  `  - id: ${id}\n    description: "d"\n    status: pending\n    depends_on: [${depends}]${more}`;

interface Bad {
  readonly name: string;
  readonly text: string;
  readonly code: ProblemCode;
  readonly says: RegExp;
  /** Text that is at the place that the problem names, or its line. */
  readonly at: string | number;
}

const BAD: readonly Bad[] = [
  { name: "an empty file", text: "", code: "no_frontmatter", says: /empty/, at: 1 },
  { name: "blanks only", text: " \n\n", code: "no_frontmatter", says: /empty/, at: 1 },
  {
    name: "no frontmatter",
    text: "# Notes\n\nhello\n",
    code: "no_frontmatter",
    says: /first line is not `---`.*# Notes/,
    at: 1,
  },
  {
    name: "a delimiter with a blank behind it",
    text: fileWith().replace("---\n", "--- \n"),
    code: "no_frontmatter",
    says: /exactly `---`/,
    at: 1,
  },
  {
    name: "a frontmatter that is never closed",
    text: "---\nobjective:\n  goal: x\n",
    code: "no_frontmatter",
    says: /never closed/,
    at: 4,
  },
  {
    name: "a frontmatter without content",
    text: "---\n---\n\n# Original Prompt\n",
    code: "missing_field",
    says: /empty/,
    at: 2,
  },
  { name: "a list as frontmatter", text: "---\n- a\n---\n", code: "wrong_type", says: /not a mapping/, at: "- a" },
  {
    name: "broken YAML",
    text: fileWith({ trail: "trail: [a, b" }),
    code: "yaml_syntax",
    says: /YAML.*close the quote or bracket/,
    at: "corrections",
  },
  {
    name: "a merge conflict",
    text: fileWith({ trail: "<<<<<<< HEAD\ntrail: []\n=======\ntrail: [] # theirs\n>>>>>>> theirs" }),
    code: "merge_conflict",
    says: /conflict.*<<<<<<<.*aot state validate/,
    at: "<<<<<<< HEAD",
  },
  {
    name: "what is left of a merge conflict",
    text: fileWith({ trail: "trail: []\r\n>>>>>>> theirs\r" }),
    code: "merge_conflict",
    says: /conflict/,
    at: ">>>>>>> theirs",
  },
  {
    name: "a merge conflict around the frontmatter",
    text: `<<<<<<< HEAD\n${fileWith({})}=======\n${fileWith({})}>>>>>>> theirs\n`,
    code: "merge_conflict",
    says: /conflict/,
    at: 1,
  },
  {
    name: "a duration of nothing",
    text: fileWith({ objective: `${OBJECTIVE}\n    max_duration: "0h0s"` }),
    code: "wrong_type",
    says: /0h0s.*a duration such as/,
    at: '"0h0s"',
  },
  {
    name: "a quote that is not closed",
    text: fileWith({ corrections: 'corrections: "abc' }),
    code: "yaml_syntax",
    says: /close the quote/,
    at: "---\n\n# Orig",
  },
  {
    name: "items without a comma",
    text: fileWith({ corrections: "corrections: [{a: 1} {b: 2}]" }),
    code: "yaml_syntax",
    says: /separate the items with commas/,
    at: "{b: 2}",
  },
  {
    name: "an unquoted colon",
    text: fileWith({ atoms: ATOMS.replace('"User model definition"', "User model: definition") }),
    code: "yaml_syntax",
    says: /indentation/,
    at: ": definition",
  },
  {
    name: "tabs as indentation",
    text: fileWith({ atoms: ATOMS.replace("    status: pending", "\tstatus: pending") }),
    code: "yaml_syntax",
    says: /spaces/,
    at: "\tstatus: pending",
  },
  {
    name: "a key twice",
    text: fileWith({ control: `${CONTROL}\n  iteration: 6` }),
    code: "yaml_syntax",
    says: /iteration is defined twice/,
    at: "iteration: 6",
  },
  {
    name: "a section twice",
    text: fileWith({ corrections: "corrections: []\ntrail: []" }),
    code: "yaml_syntax",
    says: /trail is defined twice/,
    at: "trail: []\n---",
  },
  {
    name: "a second YAML document",
    text: fileWith({ trail: "trail: []\n--- \na: 1" }),
    code: "yaml_syntax",
    says: /more than one YAML document/,
    at: "--- \na",
  },
  {
    name: "text behind a document end",
    text: fileWith({ trail: "trail: []\n...\na: 1" }),
    code: "yaml_syntax",
    says: /more than one YAML document/,
    at: "...\na: 1",
  },
  {
    name: "an alias of nothing",
    text: fileWith({ trail: "trail: *old" }),
    code: "yaml_syntax",
    says: /\*old has no anchor/,
    at: "*old",
  },
  {
    name: "a value that contains itself",
    text: fileWith({ trail: "trail: &t [*t]" }),
    code: "yaml_syntax",
    says: /\*t has no anchor before/,
    at: "*t]",
  },
  {
    name: "a lone carriage return",
    text: fileWith({ trail: "trail: []\r " }),
    code: "yaml_syntax",
    says: /carriage return/,
    at: "\r ",
  },
  {
    name: "an unknown status",
    text: fileWith({ atoms: ATOMS.replace("status: pending", "status: pendign") }),
    code: "unknown_value",
    says: /atoms\[1\]\.status.*pendign.*did you mean pending/,
    at: "pendign",
  },
  {
    name: "an unknown control status",
    text: fileWith({ control: CONTROL.replace("running  ", "done  ") }),
    code: "unknown_value",
    says: /control\.status.*one of pending, running, stopped, completed/,
    at: "done ",
  },
  {
    name: "a number as id",
    text: fileWith({ atoms: `atoms:\n${atom("1", "")}` }),
    code: "wrong_type",
    says: /in quotes: "1"/,
    at: "1\n    desc",
  },
  {
    name: "an empty id",
    text: fileWith({ atoms: `atoms:\n${atom('""', "")}` }),
    code: "missing_field",
    says: /atoms\[0\]\.id is empty/,
    at: '""',
  },
  {
    name: "an atom without depends_on",
    text: fileWith({ atoms: 'atoms:\n  - id: A1\n    description: "d"\n    status: pending' }),
    code: "missing_field",
    says: /atoms\[0\] has no depends_on.*add `depends_on:` \(list of text\)/,
    at: "id: A1",
  },
  {
    name: "a control field that is missing",
    text: fileWith({ control: CONTROL.replace("  stall_count: 0\n", "") }),
    code: "missing_field",
    says: /control has no stall_count/,
    at: "status: running",
  },
  {
    name: "no objective",
    text: fileWith({ objective: "" }),
    code: "missing_field",
    says: /the frontmatter has no objective/,
    at: 2,
  },
  { name: "no atoms", text: fileWith({ atoms: "" }), code: "missing_field", says: /has no atoms/, at: 2 },
  {
    name: "an empty list of atoms",
    text: fileWith({ atoms: "atoms: []" }),
    code: "no_atoms",
    says: /at least one/,
    at: "[]\ndecomp",
  },
  {
    name: "yes for true",
    text: fileWith({ control: CONTROL.replace("stop_requested: false", "stop_requested: yes") }),
    code: "wrong_type",
    says: /not true or false/,
    at: "yes",
  },
  {
    name: "a negative iteration",
    text: fileWith({ control: CONTROL.replace("iteration: 5", "iteration: -5") }),
    code: "out_of_range",
    says: /control\.iteration is -5.*at least 0/,
    at: "-5",
  },
  {
    name: "half an iteration",
    text: fileWith({ control: CONTROL.replace("iteration: 5", "iteration: 5.5") }),
    code: "wrong_type",
    says: /whole number/,
    at: "5.5",
  },
  {
    name: "no iteration to spend",
    text: fileWith({ objective: OBJECTIVE.replace("max_iterations: 20", "max_iterations: 0") }),
    code: "out_of_range",
    says: /at least 1/,
    at: "0\n    max_par",
  },
  {
    name: "a duration in words",
    text: fileWith({ objective: `${OBJECTIVE}\n    max_duration: two hours` }),
    code: "wrong_type",
    says: /1h30m/,
    at: "two hours",
  },
  {
    name: "a time in words",
    text: fileWith({
      corrections:
        'corrections:\n  - timestamp: yesterday\n    type: dag_adjustment\n    description: "d"\n    trail_cleared: false',
    }),
    code: "wrong_type",
    says: /ISO 8601/,
    at: "yesterday",
  },
  {
    name: "an id twice",
    text: fileWith({ atoms: `atoms:\n${atom("A1", "")}\n${atom("A1", "")}` }),
    code: "duplicate_id",
    says: /A1 is used twice/,
    at: 27,
  },
  {
    name: "a cycle",
    text: fileWith({ atoms: `atoms:\n${atom("A1", "A3")}\n${atom("A2", "A1")}\n${atom("A3", "A2")}` }),
    code: "cycle",
    says: /A1 -> A3 -> A2 -> A1|A3 -> A2 -> A1 -> A3|A2 -> A1 -> A3 -> A2/,
    at: "id: A1",
  },
  {
    name: "a dependency on nothing",
    text: fileWith({ atoms: `atoms:\n${atom("A1", "")}\n${atom("A2", "A1, A11")}` }),
    code: "unknown_atom",
    says: /did you mean A1\?/,
    at: "A11",
  },
  {
    name: "an OR group that does not exist",
    text: fileWith({ atoms: `atoms:\n${atom("A1", "", "\n    or_group: g")}` }),
    code: "unknown_group",
    says: /OR group g/,
    at: "g\ndecomp",
  },
  {
    name: "a choice that does not exist",
    text: fileWith({
      atoms: `atoms:\n${atom("A1", "", "\n    or_group: g")}`,
      or_groups: "or_groups:\n  g:\n    choices: [A1, A9]\n    selected: A1\n    failed: []",
    }),
    code: "unknown_atom",
    says: /choice A9/,
    at: "A9",
  },
  {
    name: "a binding of nobody",
    text: fileWith({ bindings: 'bindings:\n  A7:\n    summary: "s"\n    artifacts: []' }),
    code: "unknown_atom",
    says: /binding for A7/,
    at: 'summary: "s"',
  },
  {
    name: "a binding of a pending atom",
    text: fileWith({ bindings: 'bindings:\n  A2:\n    summary: "s"\n    artifacts: []' }),
    code: "binding_of_unresolved",
    says: /A2/,
    at: 'summary: "s"',
  },
  {
    name: "an empty checklist",
    text: withBaseCase("checklist: []"),
    code: "empty_list",
    says: /checklist has no item/,
    at: "[]\n  background",
  },
  {
    name: "an empty group",
    text: withBaseCase('checklist:\n  - item: "a"\n    group: []'),
    code: "empty_list",
    says: /checklist\[0\]\.group/,
    at: "[]\n  background",
  },
  {
    name: "an empty any_of",
    text: withBaseCase('checklist:\n  - item: "a"\n    any_of: []'),
    code: "empty_list",
    says: /any_of/,
    at: "[]\n  background",
  },
  {
    name: "an item of no kind",
    text: withBaseCase('checklist:\n  - item: "a"'),
    code: "missing_field",
    says: /none of check, group, any_of/,
    at: 'item: "a"',
  },
  {
    name: "an item of two kinds",
    text: withBaseCase(
      'checklist:\n  - item: "a"\n    check: { type: file, value: x }\n    group: [{ item: b, check: { type: file, value: x } }]',
    ),
    code: "wrong_type",
    says: /check and group/,
    at: 'item: "a"',
  },
  {
    name: "an unknown check type",
    text: withBaseCase("type: comand\nvalue: x"),
    code: "unknown_check_type",
    says: new RegExp(`did you mean command\\?.*one of ${CHECK_TYPE_NAMES.join(", ")}`),
    at: "comand",
  },
  {
    name: "a base case of no kind",
    text: withBaseCase("value: x"),
    code: "missing_field",
    says: /base_case has no type.*checklist/,
    at: "value: x",
  },
  {
    name: "a command that is empty",
    text: withBaseCase('type: command\nvalue: ""'),
    code: "missing_field",
    says: /value is empty/,
    at: '""',
  },
  {
    name: "quality without anything to score",
    text: withBaseCase("type: quality\npass_threshold: 3"),
    code: "rubric_without_criteria",
    says: /neither rubric nor criteria/,
    at: "type: quality",
  },
  {
    name: "an empty rubric",
    text: withBaseCase("type: quality\npass_threshold: 3\nrubric: []"),
    code: "empty_list",
    says: /rubric has no item/,
    at: "[]\n  background",
  },
  {
    name: "a threshold beyond the scale",
    text: withBaseCase("type: quality\npass_threshold: 7\ncriteria: x"),
    code: "out_of_range",
    says: /1 to 5/,
    at: "7",
  },
  {
    name: "weights of nothing",
    text: withBaseCase("type: quality\npass_threshold: 3\nrubric: [{ criterion: a, weight: 0 }]"),
    code: "out_of_range",
    says: /sum to 0/,
    at: "[{ criterion",
  },
  {
    name: "a negative weight",
    text: withBaseCase("type: quality\npass_threshold: 3\nrubric: [{ criterion: a, weight: -1 }, { criterion: b }]"),
    code: "out_of_range",
    says: /weight is -1/,
    at: "-1",
  },
];

test.each(BAD)("SPEC 2: $name is refused with its place and what would be right", ({ text, code, says, at }) => {
  const result = parseState(text);
  if (result.ok) throw new Error("it was accepted");
  const problem = result.problems.find((candidate) => candidate.code === code);
  expect(problem, JSON.stringify(result.problems)).toBeDefined();
  expect(`${problem?.message}. ${problem?.found ?? ""}. ${problem?.hint}`).toMatch(says);
  expect(problem?.hint).toBeTruthy();
  const place = typeof at === "number" ? { line: at } : placeIn(text, at);
  expect(problem?.at).toMatchObject(place);
});

function placeIn(text: string, part: string): { line: number; column: number } {
  const offset = text.indexOf(part);
  if (offset < 0) throw new Error(`the sample does not hold ${part}`);
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

test("every problem of a file is reported, up to fifty", () => {
  const two = parseState(
    fileWith({ control: CONTROL.replace("iteration: 5", "iteration: x").replace("stall_count: 0", "stall_count: -1") }),
  );
  expect(!two.ok && two.problems.map(({ code, path }) => [code, path])).toEqual([
    ["wrong_type", ["control", "iteration"]],
    ["out_of_range", ["control", "stall_count"]],
  ]);
  const many = parseState(
    fileWith({
      atoms: `atoms:\n${Array.from({ length: 80 }, (_, i) => atom(`B${i}`, "").replace("pending", "what")).join("\n")}`,
    }),
  );
  expect(!many.ok && many.problems.length).toBe(50);
});

test("a checklist that is nested too deep is a problem, not a stack overflow", () => {
  const nested = (depth: number): string => {
    const lines: string[] = [];
    for (let level = 0; level < depth; level++)
      lines.push(`${"  ".repeat(2 * level + 3)}- item: "i"`, `${"  ".repeat(2 * level + 4)}group:`);
    lines.push(
      `${"  ".repeat(2 * depth + 3)}- item: "leaf"`,
      `${"  ".repeat(2 * depth + 4)}check: { type: file, value: x }`,
    );
    return fileWith({
      objective: OBJECTIVE.replace(/base_case:\n.*\n.*/, `base_case:\n    checklist:\n${lines.join("\n")}`),
    });
  };
  expect(parseState(nested(10)).ok).toBe(true);
  expect(parseState(nested(40)).ok).toBe(true);
  for (const depth of [MAX_DEPTH, 1000]) {
    const result = parseState(nested(depth));
    expect(!result.ok && result.problems[0]?.code).toBe("too_deep");
  }
});

test("aliases that stand for billions of values are refused", () => {
  const levels = Array.from(
    { length: 30 },
    (_, i) => `b${i}: &b${i} [${i === 0 ? "x" : Array.from({ length: 10 }, () => `*b${i - 1}`).join(", ")}]`,
  );
  const result = parseState(fileWith({ trail: `${levels.join("\n")}\ntrail: []` }));
  expect(!result.ok && result.problems[0]?.code).toBe("too_deep");
});

// ── what is accepted ────────────────────────────────────────────────────────

test("SPEC 2: a byte order mark, CRLF, a body without end, and `---` in the body or inside a value are no obstacle", () => {
  const plain = documentOf(fileWith()).state;
  expect(documentOf(`\ufeff${fileWith()}`).state).toEqual(plain);
  expect(documentOf(fileWith().replaceAll("\n", "\r\n")).state).toEqual(plain);
  expect(documentOf(fileWith().trimEnd()).state).toEqual(plain);
  expect(documentOf(`${fileWith()}\n---\nmore\n`).state).toEqual({
    ...plain,
    objective: { ...plain.objective, original_prompt: "Do it.\n\n---\nmore" },
  });
  expect(documentOf(fileWith().replace(/\n---\n[^]*$/, "\n---")).body).toMatchObject({ start: expect.any(Number) });
  const inBlock = documentOf(
    fileWith({ objective: OBJECTIVE.replace('"Login API"', "|\n    ---\n    a\n    ---\n    ...") }),
  );
  expect(inBlock.state.objective.deliverables).toBe("---\na\n---\n...\n");
  expect(documentOf(fileWith({ corrections: "corrections: []\n..." })).state).toEqual(plain);
});

test("sections that may be absent are empty; what the seed wants is warned of", () => {
  const result = parseState(
    fileWith({ decompositions: "", or_groups: "", bindings: "", trail: "trail:", corrections: "" }),
  );
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  expect(result.document.state).toEqual(documentOf(fileWith()).state);
  expect(result.warnings.map(({ path }) => path)).toEqual([["bindings"], ["trail"], ["corrections"]]);
  expect(parseState(fileWith())).toMatchObject({ ok: true, warnings: [] });
});

test("limits and the stop reason have defaults", () => {
  const { state } = documentOf(
    fileWith({
      objective: OBJECTIVE.replace(/\n {2}constraints:[^]*/, ""),
      control: CONTROL.replace("\n  stop_reason: null", ""),
    }),
  );
  expect(state.objective.constraints).toEqual({ max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3 });
  expect(state.control.stop_reason).toBe(null);
  expect(
    documentOf(
      fileWith({
        objective: OBJECTIVE.replace("max_iterations: 20\n", "max_iterations: 7\n").replace(
          "\n    max_stall_count: 3",
          "",
        ),
      }),
    ).state.objective.constraints,
  ).toEqual({ max_iterations: 7, max_parallel_agents: 3, max_stall_count: 3 });
});

test("anchors, aliases and merge keys are read", () => {
  const text = fileWith({
    atoms:
      'x-base: &base\n  description: &text "shared"\n  status: pending\n  depends_on: []\natoms:\n  - <<: *base\n    id: A1\n  - <<: [*base]\n    id: A2\n    status: resolved\n    depends_on: [A1]\n  - id: A3\n    description: *text\n    status: pending\n    depends_on: &deps [A1, A2]\n  - { id: A4, description: "d", status: pending, depends_on: *deps }',
  });
  expect(documentOf(text).state.atoms).toEqual([
    { id: "A1", description: "shared", status: "pending", depends_on: [] },
    { id: "A2", description: "shared", status: "resolved", depends_on: ["A1"] },
    { id: "A3", description: "shared", status: "pending", depends_on: ["A1", "A2"] },
    { id: "A4", description: "d", status: "pending", depends_on: ["A1", "A2"] },
  ]);
});

test("names that JavaScript knows are names like any other", () => {
  const { state } = documentOf(
    fileWith({
      atoms:
        'atoms:\n  - id: __proto__\n    description: "d"\n    status: resolved\n    depends_on: []\n  - id: constructor\n    description: "d"\n    status: pending\n    depends_on: [__proto__]',
      bindings: 'bindings:\n  __proto__:\n    summary: "s"\n    artifacts: []',
    }),
  );
  expect(state.atoms[0]?.binding).toEqual({ summary: "s", artifacts: [] });
});

// ── bytes, places ───────────────────────────────────────────────────────────

test("SPEC 2: bytes that are not text are refused; a byte order mark is kept", () => {
  const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);
  expect(decodeState(bytes(0x2d, 0x00))).toMatchObject({ ok: false, problems: [{ code: "not_text" }] });
  expect(decodeState(bytes(0xff, 0xfe))).toMatchObject({ ok: false, problems: [{ code: "not_text" }] });
  expect(decodeState(new Uint8Array(MAX_BYTES + 1).fill(32))).toMatchObject({
    ok: false,
    problems: [{ code: "file_too_large", message: expect.stringContaining("67108865") }],
  });
  expect(decodeState(bytes(0xef, 0xbb, 0xbf, 0x41))).toEqual({ ok: true, value: "\ufeffA" });
});

test("a path leads to its place, and past what is written to its nearest ancestor", () => {
  const text = fileWith();
  for (const document of [documentOf(text), yaml(text)]) {
    expect(locate(document, ["atoms", 1, "status"])).toEqual(placeIn(text, "pending\n    depends_on: [A1]"));
    expect(locate(document, ["atoms", 1, "depends_on", 0])).toEqual(placeIn(text, "A1]"));
    expect(locate(document, ["atoms", 1, "binding"])).toEqual(placeIn(text, "id: A2"));
    expect(locate(document, ["control", "iteration"])).toEqual(placeIn(text, "5\n"));
    expect(locate(document, ["nothing"])).toBeUndefined();
  }
});

function yaml(text: string) {
  const result = parseYaml(text);
  if (!result.ok) throw new Error("bad sample");
  return result.document;
}
