import * as fc from "fast-check";
import { expect, test } from "vitest";
import { at, withAt } from "../../src/core/vec.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { printState } from "../../src/statefile/print.ts";
import { scanState } from "../../src/statefile/scan.ts";
import { ATOMS, fileWith, FULL_EXAMPLE, SOME_STATE, validState, yamlDocumentOf } from "./samples.ts";

/** Single edits that a person, an agent or a merge makes, harmless and harmful. */
const TOKENS = [
  "#",
  " #c",
  "  # c\n",
  "\n",
  "\n\n",
  "\r\n",
  "\t",
  " ",
  "  ",
  "-",
  "- ",
  ":",
  ": ",
  '"',
  "'",
  "\\",
  "[",
  "]",
  "{}",
  "[]",
  ",",
  "null",
  "true",
  "~",
  "*a",
  "&a ",
  "!t ",
  "|",
  ">",
  "---\n",
  "...\n",
  "<<: ",
  "  note: x\n",
  "    note: yes\n",
  "A1",
  "1",
  "-0",
  "0x1",
  "1e3",
  "é",
  "\ufeff",
  "\u2028",
  "\0",
  "%",
  "@",
  "?",
  "? ",
];

const mutation = fc.record({
  kind: fc.constantFrom("insert", "delete", "swap lines", "repeat line", "line token"),
  at: fc.nat(100_000),
  length: fc.integer({ min: 1, max: 4 }),
  token: fc.constantFrom(...TOKENS),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutated(text: string, { kind, at: place, length, token }: Mutation): string {
  const offset = place % (text.length + 1);
  if (kind === "insert") return text.slice(0, offset) + token + text.slice(offset);
  if (kind === "delete") return text.slice(0, offset) + text.slice(offset + length);
  const lines = text.split("\n");
  const line = place % lines.length;
  const here = lines[line] ?? "";
  if (kind === "repeat line") lines.splice(line, 0, here);
  else if (kind === "line token") lines[line] = length % 2 === 0 ? here + token : here.replace(/: .*/, `: ${token}`);
  else if (line > 0) lines.splice(line - 1, 2, here, lines[line - 1] ?? "");
  return lines.join("\n");
}

test("whatever the scanner reads, YAML reads the same, and both print the same", { timeout: 60_000 }, () => {
  let scannedTexts = 0;
  fc.assert(
    fc.property(
      validState,
      fc.array(mutation, { minLength: 0, maxLength: 3 }),
      validState,
      (state, mutations, next) => {
        const text = mutations.reduce(mutated, createStateText(state, "p"));
        const scanned = scanState(text);
        if (scanned === "not canonical") return;
        scannedTexts++;
        const parsed = yamlDocumentOf(text);
        expect(scanned.state).toStrictEqual(parsed.state);
        expect(scanned.body).toEqual(parsed.body);
        expect(printState(scanned, next)).toEqual(printState(parsed, next));
      },
    ),
    { numRuns: 1000 },
  );
  expect(scannedTexts).toBeGreaterThan(100);
});

test("what create writes is canonical", () => {
  expect(scanState(createStateText(SOME_STATE, "p"))).not.toBe("not canonical");
});

const CANONICAL: readonly (readonly [string, string])[] = [
  ["the full example", FULL_EXAMPLE],
  ["comments, blank lines", fileWith({ atoms: `# === Work Graph ===\n${ATOMS}\n\n  # the end` })],
  ["CRLF", fileWith().replaceAll("\n", "\r\n")],
  ["a byte order mark", `\ufeff${fileWith()}`],
  [
    "unknown keys anywhere",
    fileWith({
      control: `control:\n  owner: "me"\n  status: running\n  iteration: 5\n  stall_count: 0\n  prev_pending_count: 3\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false`,
      atoms: `atoms:\n  - id: A1\n    description: "d"\n    status: pending\n    depends_on: []\n    priority: 3\nextra:\n  nested:\n    - a\n    - b: 1`,
    }),
  ],
  [
    "keys of an atom in another order",
    fileWith({ atoms: 'atoms:\n  - status: pending\n    id: A1\n    depends_on: []\n    description: "d"' }),
  ],
  [
    "a list of items without indent",
    fileWith({
      atoms:
        'atoms:\n- id: A1\n  description: "d"\n  status: pending\n  depends_on:\n  - A2\n- id: A2\n  description: plain words, that need no quotes\n  status: pending\n  depends_on: []',
    }),
  ],
  [
    "an or_group that is null",
    fileWith({
      atoms: 'atoms:\n  - id: A1\n    description: "d"\n    status: pending\n    depends_on: []\n    or_group: null',
    }),
  ],
  [
    "escapes",
    fileWith({
      atoms:
        'atoms:\n  - id: A1\n    description: "a \\"b\\" \\\\ \\n \\u00e9"\n    status: resolved\n    depends_on: []\n    touches: ["a\\"b", "c"]',
      bindings: 'bindings:\n  A1:\n    summary: "\\t"\n    artifacts: ["x\\\\y", "z"]',
    }),
  ],
];

test.each(CANONICAL)("canonical, and the same in YAML: %s", (_name, text) => {
  const scanned = scanState(text);
  if (scanned === "not canonical") throw new Error("not canonical");
  const parsed = yamlDocumentOf(text);
  expect(scanned.state).toStrictEqual(parsed.state);
  const atom = at(scanned.state.atoms, 0);
  const next = { ...scanned.state, atoms: withAt(scanned.state.atoms, 0, { ...atom, description: "changed" }) };
  expect(printState(scanned, next)).toEqual(printState(parsed, next));
});

const LEFT_TO_YAML: readonly (readonly [string, string])[] = [
  ["a document marker", fileWith({ trail: "trail: []\n..." })],
  ["an anchor", fileWith({ trail: "trail: &t []" })],
  [
    "a block scalar",
    fileWith({
      control:
        fileWith()
          .match(/control:[^]*?redirect_requested: false/)?.[0]
          .replace("stop_reason: null", "stop_reason: |\n    text") ?? "",
    }),
  ],
  ["a missing section", fileWith({ trail: "" })],
  ["a second section of the same name", fileWith({ trail: "trail: []\ntrail: []" })],
  ["a key twice", fileWith({ atoms: `${ATOMS}\n    status: pending` })],
  ["a cycle", fileWith({ atoms: ATOMS.replace("depends_on: []", "depends_on: [A2]") })],
  ["a binding of nobody", fileWith({ bindings: 'bindings:\n  B:\n    summary: "s"\n    artifacts: []' })],
  ["a tab", fileWith({ trail: "trail:\t[]" })],
  ["NUL in a comment", fileWith({ trail: "trail: [] # \0" })],
  ["a YAML escape that JSON does not have", fileWith({ atoms: ATOMS.replace("User model", "\\x41") })],
  ["a name that YAML takes for a constant", fileWith({ atoms: ATOMS.replace("id: A2", "id: True") })],
];

test.each(LEFT_TO_YAML)("not canonical: %s", (_name, text) => {
  expect(scanState(text)).toBe("not canonical");
});
