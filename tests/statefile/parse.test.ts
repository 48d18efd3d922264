import { expect, test } from "vitest";
import { CHECK_TYPE_NAMES } from "../../src/core/check-types.ts";
import type { ProblemCode } from "../../src/core/problem.ts";
import { decodeState, MAX_BYTES } from "../../src/statefile/decode.ts";
import { locate, parseState } from "../../src/statefile/parse.ts";
import { printState } from "../../src/statefile/print.ts";
import { MAX_DEPTH } from "../../src/statefile/yaml.ts";
import { ATOMS, CONTROL, documentOf, fileWith, OBJECTIVE } from "./samples.ts";

const withBaseCase = (lines: string): string =>
  fileWith({ objective: OBJECTIVE.replace(/base_case:\n.*\n.*/, `base_case:\n${lines.replace(/^/gm, "    ")}`) });
const atom = (id: string, depends: string, more = ""): string =>
  `  - id: ${id}\n    description: "d"\n    status: pending\n    depends_on: [${depends}]${more}`;

/** A file, or what is other in it than in a good one: sections, or one text for another; and the text at the place that the problem names, or its line. */
type Bad = readonly [
  name: string,
  file: string | Readonly<Record<string, string>> | readonly [text: string, by: string],
  says: RegExp,
  at: string | number,
];

const BAD: Readonly<Partial<Record<ProblemCode, readonly Bad[]>>> = {
  no_frontmatter: [
    ["an empty file", "", /empty/, 1],
    ["blanks only", " \n\n", /empty/, 1],
    ["no frontmatter", "# Notes\n\nhello\n", /first line is not `---`.*# Notes/, 1],
    ["a delimiter with a blank behind it", fileWith().replace("---\n", "--- \n"), /exactly `---`/, 1],
    ["a frontmatter that is never closed", "---\nobjective:\n  goal: x\n", /never closed/, 4],
  ],
  missing_field: [
    ["a frontmatter without content", "---\n---\n\n# Original Prompt\n", /empty/, 2],
    ["an empty id", { atoms: `atoms:\n${atom('""', "")}` }, /atoms\[0\]\.id is empty/, '""'],
    [
      "an atom without depends_on",
      { atoms: 'atoms:\n  - id: A1\n    description: "d"\n    status: pending' },
      /atoms\[0\] has no depends_on.*add `depends_on:` \(list of text\)/,
      "id: A1",
    ],
    ["a control field that is missing", ["  stall_count: 0\n", ""], /control has no stall_count/, "status: running"],
    ["no objective", { objective: "" }, /the frontmatter has no objective/, 2],
    ["no atoms", { atoms: "" }, /has no atoms/, 2],
    ["an item of no kind", withBaseCase('checklist:\n  - item: "a"'), /none of check, group, any_of/, 'item: "a"'],
    ["a base case of no kind", withBaseCase("value: x"), /base_case has no type.*checklist/, "value: x"],
    ["a command that is empty", withBaseCase('type: command\nvalue: ""'), /value is empty/, '""'],
  ],
  wrong_type: [
    ["a list as frontmatter", "---\n- a\n---\n", /not a mapping/, "- a"],
    [
      "a duration of nothing",
      { objective: `${OBJECTIVE}\n    max_duration: "0h0s"` },
      /0h0s.*a duration such as/,
      '"0h0s"',
    ],
    ["a number as id", { atoms: `atoms:\n${atom("1", "")}` }, /in quotes: "1"/, "1\n    desc"],
    ["yes for true", ["stop_requested: false", "stop_requested: yes"], /not true or false/, "yes"],
    ["half an iteration", ["iteration: 5", "iteration: 5.5"], /whole number/, "5.5"],
    ["a duration in words", { objective: `${OBJECTIVE}\n    max_duration: two hours` }, /1h30m/, "two hours"],
    [
      "a time in words",
      {
        corrections:
          'corrections:\n  - timestamp: yesterday\n    type: dag_adjustment\n    description: "d"\n    trail_cleared: false',
      },
      /ISO 8601/,
      "yesterday",
    ],
    [
      "an item of two kinds",
      withBaseCase(
        'checklist:\n  - item: "a"\n    check: { type: file, value: x }\n    group: [{ item: b, check: { type: file, value: x } }]',
      ),
      /check and group/,
      'item: "a"',
    ],
  ],
  yaml_syntax: [
    ["broken YAML", { trail: "trail: [a, b" }, /YAML.*close the quote or bracket/, "corrections"],
    ["a quote that is not closed", { corrections: 'corrections: "abc' }, /close the quote/, "---\n\n# Orig"],
    [
      "items without a comma",
      { corrections: "corrections: [{a: 1} {b: 2}]" },
      /separate the items with commas/,
      "{b: 2}",
    ],
    ["an unquoted colon", ['"User model definition"', "User model: definition"], /indentation/, ": definition"],
    ["tabs as indentation", ["    status: pending", "\tstatus: pending"], /spaces/, "\tstatus: pending"],
    ["a key twice", { control: `${CONTROL}\n  iteration: 6` }, /iteration is defined twice/, "iteration: 6"],
    ["a section twice", { corrections: "corrections: []\ntrail: []" }, /trail is defined twice/, "trail: []\n---"],
    ["a second YAML document", { trail: "trail: []\n--- \na: 1" }, /more than one YAML document/, "--- \na"],
    ["text behind a document end", { trail: "trail: []\n...\na: 1" }, /more than one YAML document/, "...\na: 1"],
    ["an alias of nothing", { trail: "trail: *old" }, /\*old has no anchor/, "*old"],
    ["a value that contains itself", { trail: "trail: &t [*t]" }, /\*t has no anchor before/, "*t]"],
    ["a lone carriage return", { trail: "trail: []\r " }, /carriage return/, "\r "],
  ],
  merge_conflict: [
    [
      "a merge conflict",
      { trail: "<<<<<<< HEAD\ntrail: []\n=======\ntrail: [] # theirs\n>>>>>>> theirs" },
      /conflict.*<<<<<<<.*aot state validate/,
      "<<<<<<< HEAD",
    ],
    ["what is left of a merge conflict", { trail: "trail: []\r\n>>>>>>> theirs\r" }, /conflict/, ">>>>>>> theirs"],
    [
      "a merge conflict around the frontmatter",
      `<<<<<<< HEAD\n${fileWith({})}=======\n${fileWith({})}>>>>>>> theirs\n`,
      /conflict/,
      1,
    ],
  ],
  unknown_value: [
    [
      "an unknown status",
      ["status: pending", "status: pendign"],
      /atoms\[1\]\.status.*pendign.*did you mean pending/,
      "pendign",
    ],
    [
      "an unknown control status",
      ["running  ", "done  "],
      /control\.status.*one of pending, running, stopped, completed/,
      "done ",
    ],
  ],
  no_atoms: [["an empty list of atoms", { atoms: "atoms: []" }, /at least one/, "[]\ndecomp"]],
  out_of_range: [
    ["a negative iteration", ["iteration: 5", "iteration: -5"], /control\.iteration is -5.*at least 0/, "-5"],
    ["no iteration to spend", ["max_iterations: 20", "max_iterations: 0"], /at least 1/, "0\n    max_par"],
    ["a threshold beyond the scale", withBaseCase("type: quality\npass_threshold: 7\ncriteria: x"), /1 to 5/, "7"],
    [
      "weights of nothing",
      withBaseCase("type: quality\npass_threshold: 3\nrubric: [{ criterion: a, weight: 0 }]"),
      /sum to 0/,
      "[{ criterion",
    ],
    [
      "a negative weight",
      withBaseCase("type: quality\npass_threshold: 3\nrubric: [{ criterion: a, weight: -1 }, { criterion: b }]"),
      /weight is -1/,
      "-1",
    ],
  ],
  duplicate_id: [["an id twice", { atoms: `atoms:\n${atom("A1", "")}\n${atom("A1", "")}` }, /A1 is used twice/, 27]],
  cycle: [
    [
      "a cycle",
      { atoms: `atoms:\n${atom("A1", "A3")}\n${atom("A2", "A1")}\n${atom("A3", "A2")}` },
      /A1 -> A3 -> A2 -> A1|A3 -> A2 -> A1 -> A3|A2 -> A1 -> A3 -> A2/,
      "id: A1",
    ],
  ],
  unknown_atom: [
    [
      "a dependency on nothing",
      { atoms: `atoms:\n${atom("A1", "")}\n${atom("A2", "A1, A11")}` },
      /did you mean A1\?/,
      "A11",
    ],
    [
      "a choice that does not exist",
      {
        atoms: `atoms:\n${atom("A1", "", "\n    or_group: g")}`,
        or_groups: "or_groups:\n  g:\n    choices: [A1, A9]\n    selected: A1\n    failed: []",
      },
      /choice A9/,
      "A9",
    ],
    [
      "a binding of nobody",
      { bindings: 'bindings:\n  A7:\n    summary: "s"\n    artifacts: []' },
      /binding for A7/,
      'summary: "s"',
    ],
  ],
  unknown_group: [
    [
      "an OR group that does not exist",
      { atoms: `atoms:\n${atom("A1", "", "\n    or_group: g")}` },
      /OR group g/,
      "g\ndecomp",
    ],
  ],
  binding_of_unresolved: [
    [
      "a binding of a pending atom",
      { bindings: 'bindings:\n  A2:\n    summary: "s"\n    artifacts: []' },
      /A2/,
      'summary: "s"',
    ],
  ],
  empty_list: [
    ["an empty checklist", withBaseCase("checklist: []"), /checklist has no item/, "[]\n  background"],
    [
      "an empty group",
      withBaseCase('checklist:\n  - item: "a"\n    group: []'),
      /checklist\[0\]\.group/,
      "[]\n  background",
    ],
    ["an empty any_of", withBaseCase('checklist:\n  - item: "a"\n    any_of: []'), /any_of/, "[]\n  background"],
    [
      "an empty rubric",
      withBaseCase("type: quality\npass_threshold: 3\nrubric: []"),
      /rubric has no item/,
      "[]\n  background",
    ],
  ],
  unknown_check_type: [
    [
      "an unknown check type",
      withBaseCase("type: comand\nvalue: x"),
      new RegExp(`did you mean command\\?.*one of ${CHECK_TYPE_NAMES.join(", ")}`),
      "comand",
    ],
  ],
  rubric_without_criteria: [
    [
      "quality without anything to score",
      withBaseCase("type: quality\npass_threshold: 3"),
      /neither rubric nor criteria/,
      "type: quality",
    ],
  ],
};

const isPair = (file: Bad[1]): file is readonly [string, string] => Array.isArray(file);

const CASES = Object.entries(BAD).flatMap(([code, rows]) => rows.map((row) => [...row, code] as const));

test.each(CASES)("SPEC 2: %s is refused with its place and what would be right", (_, file, says, at, code) => {
  const text = typeof file === "string" ? file : isPair(file) ? fileWith().replace(...file) : fileWith(file);
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
  const document = documentOf(text);
  expect(locate(document, ["atoms", 1, "status"])).toEqual(placeIn(text, "pending\n    depends_on: [A1]"));
  expect(locate(document, ["atoms", 1, "depends_on", 0])).toEqual(placeIn(text, "A1]"));
  expect(locate(document, ["atoms", 1, "binding"])).toEqual(placeIn(text, "id: A2"));
  expect(locate(document, ["control", "iteration"])).toEqual(placeIn(text, "5\n"));
  expect(locate(document, ["nothing"])).toBeUndefined();
});

const UNDER_ITS_KEY = fileWith({
  atoms: ATOMS.replace("depends_on: [A1]", "depends_on: [ # why\n      A1 # ]\n      # then\n    ]"),
  or_groups: "or_groups: {\n}",
  trail: "trail: [\n]  # none",
});

test("a list whose closing bracket stands under its key is read, its places are those in the text, and it can be edited", () => {
  const document = documentOf(UNDER_ITS_KEY);
  expect(document.state).toStrictEqual(documentOf(fileWith()).state);
  expect(locate(document, ["atoms", 1, "depends_on", 0])).toEqual(placeIn(UNDER_ITS_KEY, "A1 # ]"));
  expect(locate(document, ["bindings"])).toEqual(placeIn(UNDER_ITS_KEY, "{}\ntrail"));
  const changed = {
    ...document.state,
    trail: [{ type: "user_correction", reason: "r", timestamp: "2025-01-15" }],
  } as const;
  const printed = printState(document, changed);
  expect(printed.ok && documentOf(printed.value).state).toStrictEqual(changed);
  expect(parseState(UNDER_ITS_KEY.replace("trail: [\n]", "trail: [\n]]"))).toMatchObject({
    ok: false,
    problems: [{ code: "yaml_syntax", at: { ...placeIn(UNDER_ITS_KEY, "]  # none"), column: 2 } }],
  });
  expect(parseState(UNDER_ITS_KEY.replace("A1 # ]", "A1\n    , A2"))).toMatchObject({
    ok: false,
    problems: [{ code: "yaml_syntax", hint: expect.stringContaining("indent this line") }],
  });
});

test("of many such brackets not all are read, and the one behind is said where it stands", () => {
  const many = fileWith({ control: `${CONTROL}\n  more:\n${"    - [\n    ]\n".repeat(201)}`.trimEnd() });
  const read = parseState(many);
  expect(read).toMatchObject({ ok: false, problems: [{ code: "yaml_syntax", at: { column: 5 } }] });
});
