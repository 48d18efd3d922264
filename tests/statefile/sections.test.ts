import * as fc from "fast-check";
import { expect, test } from "vitest";
import { at, withAt } from "../../src/core/vec.ts";
import { createStateText } from "../../src/statefile/create.ts";
import type { StateDocument } from "../../src/statefile/document.ts";
import type { Node } from "../../src/statefile/node.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { printState } from "../../src/statefile/print.ts";
import { ATOMS, documentOf, fileWith, parseYaml, SOME_STATE, validState, yamlDocumentOf } from "./samples.ts";

/** Single edits that a person, an agent or a merge makes, harmless and harmful. */
const TOKENS = (
  "#¦ #c¦  # c\n¦\n¦\n\n¦\r\n¦\t¦ ¦  ¦-¦- ¦:¦: ¦\"¦'¦\\¦[¦]¦{}¦[]¦,¦null¦true¦~¦*a¦&a ¦!t ¦|¦>¦---\n¦" +
  "...\n¦<<: ¦  note: x\n¦    note: yes\n¦A1¦1¦-0¦0x1¦1e3¦é¦\ufeff¦\u2028¦\0¦%¦@¦?¦? "
).split("¦");

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

/** Whether the atoms were read by their pattern. */
function isByPattern({ root }: StateDocument): boolean {
  const { value } = root.entry(root.indexOf("atoms"));
  return value.kind === "sequence" && value.values !== undefined;
}

/** Where everything stands, as far as anybody can ask. */
function spread(node: Node): unknown {
  const { kind, start, end } = node;
  if (node.kind === "mapping")
    return {
      kind,
      start,
      end,
      entries: Array.from({ length: node.size }, (_, i) => {
        const { value, ...entry } = node.entry(i);
        expect(entry.name === null || node.indexOf(entry.name) === i).toBe(true);
        return [entry.name, entry.start, entry.keyEnd, entry.end, spread(value)];
      }),
    };
  if (node.kind === "sequence")
    return { kind, start, end, items: Array.from({ length: node.size }, (_, i) => spread(node.item(i))) };
  return node;
}

test(
  "SECTIONS-1: whatever a file holds, patterns and YAML read the same in the same places, refuse the same, and print the same",
  { timeout: 60_000 },
  () => {
    let byPattern = 0;
    fc.assert(
      fc.property(
        validState,
        fc.array(mutation, { minLength: 0, maxLength: 3 }),
        validState,
        (state, mutations, next) => {
          const text = mutations.reduce(mutated, createStateText(state, "p"));
          const [read, parsed] = [parseState(text), parseYaml(text)];
          if (!read.ok || !parsed.ok) {
            expect(read).toEqual(parsed);
            return;
          }
          if (isByPattern(read.document)) byPattern++;
          expect(read.document.state).toStrictEqual(parsed.document.state);
          expect(read.warnings).toEqual(parsed.warnings);
          expect(read.document.body).toEqual(parsed.document.body);
          expect(spread(read.document.root)).toEqual(spread(parsed.document.root));
          expect(printState(read.document, next)).toEqual(printState(parsed.document, next));
        },
      ),
      { numRuns: 1000 },
    );
    expect(byPattern).toBeGreaterThan(100);
  },
);

const BY_PATTERN: readonly (readonly [string, string])[] = [
  ["what create writes", createStateText(SOME_STATE, "p")],
  ["comments, blank lines", fileWith({ atoms: `# === Work Graph ===\n${ATOMS}\n\n  # the end` })],
  ["CRLF", fileWith().replaceAll("\n", "\r\n")],
  ["a byte order mark", `\ufeff${fileWith()}`],
  [
    "escapes",
    fileWith({
      atoms:
        'atoms:\n  - id: A1\n    description: "a \\"b\\" \\\\ \\n \\u00e9"\n    status: resolved\n    depends_on: []\n    touches: ["a\\"b", "c"]\n    criteria: "x \\"y\\""',
      bindings: 'bindings:\n  A1:\n    summary: "\\t"\n    artifacts: ["x\\\\y", "z"]',
    }),
  ],
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
];

test.each(BY_PATTERN)("read by the patterns, and the same in YAML: %s", (_name, text) => {
  const [read, parsed] = [documentOf(text), yamlDocumentOf(text)];
  expect(isByPattern(read)).toBe(true);
  expect(read.state).toStrictEqual(parsed.state);
  const atom = at(read.state.atoms, 0);
  const next = { ...read.state, atoms: withAt(read.state.atoms, 0, { ...atom, description: "changed" }) };
  expect(printState(read, next)).toEqual(printState(parsed, next));
});

const AS_A_WHOLE: readonly (readonly [string, string])[] = [
  ["a document marker", fileWith({ trail: "trail: []\n..." })],
  ["a second section of the same name", fileWith({ trail: "trail: []\ntrail: []" })],
  ["a key twice", fileWith({ atoms: `${ATOMS}\n    status: pending` })],
  ["a cycle", fileWith({ atoms: ATOMS.replace("depends_on: []", "depends_on: [A2]") })],
  ["a binding of nobody", fileWith({ bindings: 'bindings:\n  B:\n    summary: "s"\n    artifacts: []' })],
  ["an anchor between two sections", fileWith({ atoms: `${ATOMS}\n&a ` })],
  ["a tab", fileWith({ trail: "trail:\t[]" })],
  ["NUL in a comment", fileWith({ trail: "trail: [] # \0" })],
  ["a YAML escape that JSON does not have", fileWith({ atoms: ATOMS.replace("User model", "\\x41") })],
  ["a name that YAML takes for a constant", fileWith({ atoms: ATOMS.replace("id: A2", "id: True") })],
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
];

test.each(AS_A_WHOLE)("YAML's as a whole: %s", (_name, text) => {
  const [read, parsed] = [parseState(text), parseYaml(text)];
  if (read.ok) expect(isByPattern(read.document)).toBe(false);
  expect(JSON.stringify(read)).toBe(JSON.stringify(parsed));
});
