import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Atom, State } from "../../src/core/state.ts";
import { at, withAt } from "../../src/core/vec.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { printState } from "../../src/statefile/print.ts";
import { ATOMS, atomsOf, CONTROL, documentOf, fileWith, validState } from "./samples.ts";

type Change = (state: State) => State;

/** What `change` makes of a file, printed and read back. */
function printed(text: string, change: Change): string {
  const document = documentOf(text);
  const next = change(document.state);
  const result = printState(document, next);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  expect(documentOf(result.value).state).toEqual(next);
  return result.value;
}

/** Lines taken out and put in, as a diff would show them. */
function changedLines(before: string, after: string): string[] {
  const [left, right] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  return [
    ...left.slice(head, left.length - tail).map((line) => `-${line}`),
    ...right.slice(head, right.length - tail).map((line) => `+${line}`),
  ];
}

const onAtom =
  (index: number, change: Partial<Atom>): Change =>
  (state) => ({ ...state, atoms: withAt(state.atoms, index, { ...at(state.atoms, index), ...change }) });
const onControl =
  (change: Partial<State["control"]>): Change =>
  (state) => ({ ...state, control: { ...state.control, ...change } });
const without = <T extends object>(value: T, key: keyof T): T =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as T;
const chained =
  (...changes: readonly Change[]): Change =>
  (state) =>
    changes.reduce((here, change) => change(here), state);
const newAtom = (id: string, more: Partial<Atom> = {}): Atom => ({
  id,
  description: `do ${id}`,
  status: "pending",
  depends_on: [],
  ...more,
});
const add = <T>(list: readonly T[], ...items: readonly T[]): readonly T[] => [...list, ...items];

interface Case {
  readonly name: string;
  readonly text: string;
  readonly change: Change;
  readonly diff: readonly string[];
}

const BOUND = fileWith({
  bindings:
    'bindings:   # what was done\n  # the first\n  A1:  # model\n    summary: "s"\n    artifacts: [a.ts]  # one\n  # the end',
});
const TRAIL =
  'trail:\n  - or_group: g # why\n    selected: A1\n    reason: "r"\n    timestamp: "2025-01-15T10:00:00Z"  # t\n  # between\n  - type: user_correction\n    reason: |\n      two\n      lines\n    timestamp: "2025-01-15T10:00:00Z"';

const CASES: readonly Case[] = [
  {
    name: "a status keeps its comment",
    text: fileWith(),
    change: onAtom(0, { status: "in_progress" }),
    diff: [
      "-    status: resolved                        # pending | in_progress | resolved",
      "+    status: in_progress                        # pending | in_progress | resolved",
    ],
  },
  {
    name: "null to text",
    text: fileWith(),
    change: onControl({ stop_reason: 'he said "no": #1' }),
    diff: ["-  stop_reason: null", '+  stop_reason: "he said \\"no\\": #1"'],
  },
  {
    name: "an optional key is added behind the others",
    text: fileWith(),
    change: onControl({ outcome: "stalled", session_id: "s1" }),
    diff: ["+  outcome: stalled", '+  session_id: "s1"'],
  },
  {
    name: "an optional key goes",
    text: fileWith({ control: `${CONTROL}\n  outcome: null # none\n  # last` }),
    change: (state) => ({ ...state, control: without(state.control, "outcome") }),
    diff: ["-  outcome: null # none"],
  },
  {
    name: "an id in a flow list",
    text: fileWith({ atoms: ATOMS.replace("[A1]", "[ A1 ]  # AND") }),
    change: chained(
      (state) => ({ ...state, atoms: add(state.atoms, newAtom("A3")) }),
      onAtom(1, { depends_on: ["A1", "A3"] }),
    ),
    diff: [
      "-    depends_on: [ A1 ]  # AND",
      "+    depends_on: [ A1, A3 ]  # AND",
      "+  - id: A3",
      '+    description: "do A3"',
      "+    status: pending",
      "+    depends_on: []",
    ],
  },
  {
    name: "an id comes into an empty list",
    text: fileWith({ atoms: ATOMS.replace("[A1]", "[]") }),
    change: onAtom(1, { depends_on: ["A1"] }),
    diff: ["-    depends_on: []", "+    depends_on: [A1]"],
  },
  {
    name: "an id comes into a block list",
    text: fileWith({
      atoms: `${ATOMS.replace("[A1]", "\n    - A1 # first\n    # then")}\n  - id: A3\n    description: "d"\n    status: pending\n    depends_on: []`,
    }),
    change: onAtom(1, { depends_on: ["A1", "A3"] }),
    diff: ["+    - A3"],
  },
  {
    name: "or_group: null becomes a name",
    text: fileWith({ atoms: `${ATOMS}\n    or_group: null`, or_groups: "or_groups: {}  # none" }),
    change: (state) => ({
      ...onAtom(1, { or_group: "g" })(state),
      or_groups: add(state.or_groups, { name: "g", choices: ["A2"], selected: "A2", failed: [] }),
    }),
    diff: [
      "-    or_group: null",
      "-decompositions: []",
      "-or_groups: {}  # none",
      "+    or_group: g",
      "+decompositions: []",
      "+or_groups:  # none",
      "+  g:",
      "+    choices: [A2]",
      "+    selected: A2",
      "+    failed: []",
    ],
  },
  {
    name: "an atom goes with its own comment, and no other",
    text: fileWith({ atoms: `${ATOMS} # own\n  # stays\n\n` }),
    change: (state) => ({ ...state, atoms: [at(state.atoms, 0)] }),
    diff: [
      "-  - id: A2",
      '-    description: "Auth logic implementation"',
      "-    status: pending",
      "-    depends_on: [A1] # own",
    ],
  },
  {
    name: "the first binding",
    text: fileWith({ bindings: "bindings: {} # none yet" }),
    change: onAtom(0, { binding: { summary: "done: it", artifacts: ["a.ts", "b.ts"] } }),
    diff: [
      "-bindings: {} # none yet",
      "+bindings: # none yet",
      "+  A1:",
      '+    summary: "done: it"',
      '+    artifacts: ["a.ts", "b.ts"]',
    ],
  },
  {
    name: "the last binding goes",
    text: BOUND,
    change: (state) => ({ ...state, atoms: withAt(state.atoms, 0, without(at(state.atoms, 0), "binding")) }),
    diff: [
      "-bindings:   # what was done",
      "-  # the first",
      "-  A1:  # model",
      '-    summary: "s"',
      "-    artifacts: [a.ts]  # one",
      "+bindings: {}   # what was done",
      "+  # the first",
    ],
  },
  {
    name: "a block scalar gives way",
    text: fileWith({ trail: TRAIL }),
    change: (state) => ({
      ...state,
      trail: state.trail.map((entry, i) => (i === 1 ? { ...entry, reason: "one" } : entry)),
    }),
    diff: ["-    reason: |", "-      two", "-      lines", '+    reason: "one"'],
  },
  {
    name: "a key in front of the others goes",
    text: fileWith({
      atoms:
        'atoms:\n  - probe: true # first\n    id: A1\n    description: "d"\n    status: pending\n    depends_on: []',
    }),
    change: (state) => ({ ...state, atoms: withAt(state.atoms, 0, without(at(state.atoms, 0), "probe")) }),
    diff: ["-  - probe: true # first", "-    id: A1", "+  - id: A1"],
  },
  {
    name: "a file in braces stays in braces",
    text: '---\n{objective: {goal: "g", base_case: {type: file, value: x}, background_intent: "b", deliverables: "d", definition_of_done: "d"},\n control: {status: running, iteration: 1, stall_count: 0, prev_pending_count: -1, stop_requested: false, redirect_requested: false},\n atoms: [{id: A1, description: "d", status: resolved, depends_on: []}], bindings: {}, trail: [], corrections: []}\n---\n',
    change: chained(
      onAtom(0, { binding: { summary: "s", artifacts: ["a"] } }),
      (state) => ({ ...state, atoms: add(state.atoms, newAtom("A2")) }),
      (state) => ({ ...state, decompositions: [{ parent: "A2", children: ["A1"], reason: "r" }] }),
    ),
    diff: [
      '- atoms: [{id: A1, description: "d", status: resolved, depends_on: []}], bindings: {}, trail: [], corrections: []}',
      '+ atoms: [{id: A1, description: "d", status: resolved, depends_on: []}, {id: A2, description: "do A2", status: pending, depends_on: []}], decompositions: [{parent: A2, children: [A1], reason: "r"}], bindings: {A1: {summary: "s", artifacts: ["a"]}}, trail: [], corrections: []}',
    ],
  },
];

test.each(CASES)("SPEC 2: only the lines that must: $name", ({ text, change, diff }) => {
  const result = printed(text, change);
  expect(changedLines(text, result)).toEqual(diff);
  const crlf = printed(text.replaceAll("\n", "\r\n"), change);
  expect(crlf.replaceAll("\r\n", "\n")).toBe(result);
  expect(crlf).not.toMatch(/[^\r]\n/);
});

test("a cleared trail keeps the comments between its entries", () => {
  const result = printed(fileWith({ trail: TRAIL }), (state) => ({ ...state, trail: [] }));
  expect(result).toContain("trail: []\n  # between\ncorrections: []");
});

test("absent sections are created in the schema's order", () => {
  const result = printed(fileWith({ decompositions: "", corrections: "", trail: "" }), (state) => ({
    ...state,
    decompositions: [{ parent: "A2", children: ["A1"], reason: "r" }],
    trail: [{ type: "user_correction", reason: "r", timestamp: "2025-01-15" }],
    corrections: [{ timestamp: "2025-01-15", type: "dag_adjustment", description: "d", trail_cleared: false }],
  }));
  expect([...result.matchAll(/^(\w+):/gm)].map(([, name]) => name)).toEqual([
    "objective",
    "control",
    "atoms",
    "decompositions",
    "or_groups",
    "bindings",
    "trail",
    "corrections",
  ]);
});

test("one changed scalar changes one line", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(validState, fc.nat(100), (state, pick) => {
      const text = createStateText(state, "p");
      const index = pick % state.atoms.length;
      const after = printed(text, (before) => ({
        ...onAtom(index, { description: `${at(before.atoms, index).description}!` })(before),
        control: { ...before.control, iteration: before.control.iteration + 1 },
      }));
      const [left, right] = [text.split("\n"), after.split("\n")];
      expect(right.length).toBe(left.length);
      expect(right.filter((line, i) => line !== left[i]).length).toBe(2);
    }),
    { numRuns: 200 },
  );
});

test("removing some atoms, bindings, entries of the trail leaves the lines of the others", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(validState, fc.nat(0xffff), (state, mask) => {
      const text = createStateText(
        {
          ...state,
          decompositions: [],
          or_groups: [],
          atoms: atomsOf(state).map((atom) => without({ ...atom, depends_on: [] }, "or_group")),
        },
        "p",
      );
      const keep = (index: number): boolean => ((mask >> index) & 1) === 1;
      const after = printed(text, (before) => {
        const atoms = before.atoms
          .filter((_, i) => i === 0 || keep(i))
          .map((atom, i) => (keep(i + 8) ? without(atom, "binding") : atom));
        return { ...before, atoms, trail: before.trail.filter((_, i) => keep(i + 3)) };
      });
      const lines = text.split("\n");
      let from = 0;
      for (const line of after.split("\n")) {
        if (line === "bindings: {}" || line === "trail: []") continue;
        from = lines.indexOf(line, from) + 1;
        expect(from, line).toBeGreaterThan(0);
      }
    }),
    { numRuns: 200 },
  );
});

// ── aliases ─────────────────────────────────────────────────────────────────

const SHARED = fileWith({
  atoms:
    'x: &base\n  description: "shared"\n  status: pending\natoms:\n  - <<: *base\n    id: A1\n    depends_on: &deps []\n  - id: A2\n    description: &text "same"\n    status: &status pending\n    depends_on: *deps\n  - id: A3\n    description: *text\n    status: *status\n    depends_on: [A1]',
});

test("a merged value is overridden in its own atom; an alias gives way to the new value", () => {
  const result = printed(
    SHARED,
    chained(
      onAtom(0, { status: "resolved" }),
      onAtom(2, { status: "in_progress", description: "other" }),
      onAtom(1, { depends_on: ["A1"] }),
    ),
  );
  expect(changedLines(SHARED, result)).toEqual(
    expect.arrayContaining([
      "+    status: resolved",
      "+    depends_on: [A1]",
      '+    description: "other"',
      "+    status: in_progress",
    ]),
  );
  expect(result).toContain('x: &base\n  description: "shared"\n  status: pending\n');
});

test("a value that an alias shows elsewhere is not edited: refused with its place", () => {
  for (const change of [
    onAtom(1, { status: "resolved" }),
    onAtom(1, { description: "new" }),
    (state: State): State => ({ ...state, atoms: [at(state.atoms, 0), at(state.atoms, 2)] }),
  ]) {
    const document = documentOf(SHARED);
    const result = printState(document, change(document.state));
    expect(result).toMatchObject({
      ok: false,
      problems: [
        {
          code: "refused",
          message: expect.stringMatching(/alias/),
          path: expect.arrayContaining(["atoms"]),
          at: { line: expect.any(Number) },
          hint: expect.stringMatching(/alias/),
        },
      ],
    });
  }
});

test("nothing lands under an explicit tag, or in a section behind an alias", () => {
  const tagged = documentOf(fileWith({ control: CONTROL.replace("iteration: 5", "iteration: !!int 5") }));
  expect(printState(tagged, onControl({ iteration: 6 })(tagged.state))).toMatchObject({
    ok: false,
    problems: [{ code: "refused", path: ["control", "iteration"] }],
  });
  const aliased = documentOf(
    fileWith({ atoms: `y: &b\n  A1:\n    summary: "s"\n    artifacts: []\n${ATOMS}`, bindings: "bindings: *b" }),
  );
  expect(printState(aliased, onAtom(0, { binding: { summary: "t", artifacts: [] } })(aliased.state))).toMatchObject({
    ok: false,
    problems: [{ code: "refused" }],
  });
});
