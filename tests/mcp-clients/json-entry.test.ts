/** A client's JSON file: the entry is put in, everything else stays. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withJsonEntry } from "../../src/mcp-clients/json-entry.ts";
import * as tree from "../../src/core/json-tree.ts";

const ENTRY = { command: "aot", args: ["mcp"] };

function valueOf(text: string): unknown {
  const read = tree.readJson(text, true);
  if (!read.ok) throw new Error(`${JSON.stringify(read.problems)} of ${text}`);
  return tree.valueOf(read.root);
}

function edited(text: string, wanted: object = ENTRY): string {
  const edit = withJsonEntry(text, "mcpServers", "aot", wanted);
  if (!edit.ok) throw new Error(`${edit.message} in ${text}`);
  return edit.text;
}

/** What is between two words of a file that people write. */
const gap = fc.constantFrom("", " ", "\n", "\n  ", "\r\n\t", ' // note, {"\n', "/* [a] \n */ ", "\n    // last\n  ");

/** A value as somebody might have written it, with comments and trailing commas. */
function written(value: unknown): fc.Arbitrary<string> {
  if (Array.isArray(value)) return listOf("[", "]", value.map(written));
  if (typeof value !== "object" || value === null) return fc.constant(JSON.stringify(value));
  const members = Object.entries(value).map(([key, item]) =>
    fc.tuple(gap, gap, written(item)).map(([a, b, text]) => `${JSON.stringify(key)}${a}:${b}${text}`),
  );
  return listOf("{", "}", members);
}

function listOf(open: string, close: string, items: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  const spaced = items.map((item) => fc.tuple(gap, item, gap).map((parts) => parts.join("")));
  return fc
    .tuple(fc.tuple(...spaced), gap, fc.boolean())
    .map(
      ([texts, end, trailing]) => `${open}${texts.join(",")}${trailing && texts.length > 0 ? "," : ""}${end}${close}`,
    );
}

const key = fc.constantFrom("mcpServers", "aot", "a", "b c", "théme", "x");
const files = fc
  .dictionary(key, fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }))))
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

function holds(text: string, part: string): boolean {
  let at = 0;
  for (const unit of part) {
    const next = text.indexOf(unit, at);
    if (next < 0) return false;
    at = next + unit.length;
  }
  return true;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

test("law: afterwards the file says the entry and everything that it said before; doing it again changes nothing", () => {
  fc.assert(
    fc.property(
      files.chain((value) => fc.tuple(fc.constant(value), gap, written(value), gap)),
      ([value, before, text, behind]) => {
        const whole = `${before}${text}${behind}`;
        expect(valueOf(whole)).toEqual(value);
        const { mcpServers } = value;
        if (mcpServers !== undefined && !isObject(mcpServers)) {
          expect(withJsonEntry(whole, "mcpServers", "aot", ENTRY)).toMatchObject({ ok: false });
          return;
        }
        const old = mcpServers?.["aot"];
        const after = edited(whole);
        expect(valueOf(after)).toEqual({
          ...value,
          mcpServers: { ...mcpServers, aot: { ...(isObject(old) ? old : {}), ...ENTRY } },
        });
        expect(edited(after)).toBe(after);
        if (old === undefined) expect(holds(after, whole)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("law: strict JSON is read as JSON.parse reads it, and what it refuses is refused", () => {
  const texts = fc.tuple(fc.json(), fc.nat(40), fc.constantFrom("", "}", "]", '"', ":", "x", "-", "0", "\\", "\u0001"));
  fc.assert(
    fc.property(texts, ([json, at, put]) => {
      const text = json.slice(0, at) + put + json.slice(put === "" ? at : at + 1);
      let strict: unknown;
      try {
        strict = { value: JSON.parse(text) as unknown };
      } catch {
        strict = null;
      }
      const read = tree.readJson(text, true);
      // What JSON.parse refuses and is read all the same has a comma too many.
      if (strict === null) expect(read.ok && !/,\s*[\]}]/.test(text)).toBe(false);
      else expect(read.ok ? { value: tree.valueOf(read.root) } : null).toEqual(strict);
    }),
    { numRuns: 2_000 },
  );
});

describe("files as people have them", () => {
  test("none yet", () => {
    expect(edited("")).toBe(`${JSON.stringify({ mcpServers: { aot: ENTRY } }, null, 2)}\n`);
  });

  test("comments, tabs and a trailing comma stay, the new entry is written like its neighbours", () => {
    const text = `{\n\t// mine\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"git": { "command": "uvx" }, // git\n\t},\n}\n`;
    expect(edited(text)).toBe(
      `{\n\t// mine\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"git": { "command": "uvx" }, // git\n\t\t"aot": {\n\t\t\t"command": "aot",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t},\n}\n`,
    );
  });

  test("an entry that is there keeps what is yours in it", () => {
    const text = `{"mcpServers": {"aot": {"command": "old", "env": {"A": "1"}}, "b": {}}}`;
    expect(valueOf(edited(text))).toEqual({ mcpServers: { aot: { ...ENTRY, env: { A: "1" } }, b: {} } });
  });

  test("line ends and a byte order mark stay", () => {
    const after = edited('\uFEFF{\r\n  "a": 1\r\n}\r\n');
    expect(after.startsWith("\uFEFF{\r\n")).toBe(true);
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  });

  const BROKEN: readonly (readonly [text: string, line: number, column: number])[] = [
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ["[]", 1, 1],
    ['{"mcpServers": []}', 1, 16],
    ['{"a": tru}', 1, 7],
    ['{"a": "', 1, 7],
    ["{} {}", 1, 4],
    ["[".repeat(100_000), 1, 202],
  ];
  for (const [text, line, column] of BROKEN)
    test(`refused with its place: ${text.slice(0, 30)}`, () => {
      expect(withJsonEntry(text, "mcpServers", "aot", ENTRY)).toMatchObject({ ok: false, at: { line, column } });
    });
});
