/** A client's TOML file: the entry is put in, everything else stays. */
import * as fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { withTomlEntry } from "../../src/mcp-clients/toml-entry.ts";

const ENTRY = { command: "npx", args: ["-y", "aot-loop", "mcp"] };
const BLOCK = `[mcp_servers.aot]\ncommand = "npx"\nargs = ["-y", "aot-loop", "mcp"]\n`;

function edited(text: string, entry = ENTRY): string {
  const edit = withTomlEntry(text, "mcp_servers", "aot", entry);
  if (!edit.ok) throw new Error(`${edit.message} in ${text}`);
  return edit.text;
}

const LINES: readonly string[] = [
  "# a comment [x] = 1",
  'model = "o4" # best',
  "path = 'C:\\dir' ",
  'a.b."c d" = 1_000',
  "when = 2026-11-21T10:00:00Z",
  "list = [\n  1, # one\n  2,\n]",
  'inline = { a = "}", b = [ "x" ] }',
  'long = """\n[mcp_servers.aot]\n"quoted" \\\n"""',
  "raw = '''\n[not.a.table]\n'''",
  "float = -1.5e3",
  "flag = true",
  "",
];
const TABLES: readonly string[] = [
  "[profiles.fast]",
  "[[history]]",
  '["quoted.name"]',
  "[mcp_servers.git]",
  "[ mcp_servers . git . env ]",
];

const files = fc
  .tuple(
    fc.subarray([...LINES]),
    fc.uniqueArray(fc.tuple(fc.constantFrom(...TABLES), fc.subarray([...LINES])), {
      maxLength: 3,
      selector: ([head]) => head,
    }),
    fc.constantFrom("\n", "\r\n"),
    fc.boolean(),
  )
  .map(([top, tables, eol, ended]) => {
    const lines = [...top, ...tables.flatMap(([head, body]) => [head, ...body])];
    const text = lines.join("\n").replaceAll("\n", eol);
    return ended && text !== "" ? text + eol : text;
  });

test("law: what stood there is there, the entry is a table behind it, and doing it again changes nothing", () => {
  fc.assert(
    fc.property(files, (text) => {
      const after = edited(text);
      expect(after.startsWith(text.trim() === "" ? "" : text)).toBe(true);
      const before = parse(text);
      expect(parse(after)).toEqual({
        ...before,
        mcp_servers: { ...Object(before["mcp_servers"]), aot: ENTRY },
      });
      expect(edited(after)).toBe(after);
    }),
    { numRuns: 1_000 },
  );
});

test("law: any text is written so that it is read as itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.string({ unit: "grapheme" })), (command, args) => {
      expect(parse(edited("", { command, args }))).toEqual({ mcp_servers: { aot: { command, args } } });
    }),
    { numRuns: 1_000, examples: [["\u00000", ["\u007fa"]]] },
  );
});

describe("an entry that is there", () => {
  test("is changed where it differs, and keeps comments and what is yours in it", () => {
    const text = `model = "x"\n\n[mcp_servers.aot] # loop\ncommand = "old" # was\nenabled = true\n\n[mcp_servers.aot.env]\nA = "1"\n`;
    expect(edited(text)).toBe(
      `model = "x"\n\n[mcp_servers.aot] # loop\nargs = ["-y", "aot-loop", "mcp"]\ncommand = "npx" # was\nenabled = true\n\n[mcp_servers.aot.env]\nA = "1"\n`,
    );
  });

  test("that says it already is left byte for byte, whatever its spelling", () => {
    const text = `[mcp_servers."aot"]\nargs = [ '-y',\n  "aot-loop", # us\n  "mcp" ]\ncommand='npx'`;
    expect(edited(text)).toBe(text);
  });

  for (const text of [
    'mcp_servers = { git = { command = "x" } }\n',
    'mcp_servers.aot.command = "x"\n',
    '[mcp_servers]\naot = { command = "x" }\n',
    '[mcp_servers]\naot.command = "x"\n',
  ])
    test(`written as a key is refused: ${text.replaceAll("\n", " ")}`, () => {
      expect(withTomlEntry(text, "mcp_servers", "aot", ENTRY)).toMatchObject({ ok: false });
    });

  test("is not mistaken for the same words in a text of several lines", () => {
    const note = `note = """\n[mcp_servers.aot]\ncommand = "old"\n"""\n`;
    const entry = (command: string): string => `[mcp_servers.aot]\nargs = ["-y", "aot-loop", "mcp"]\n${command}`;
    expect(edited(note + entry(`command = """\nold # not a comment\n""" # was\n`))).toBe(
      note + entry(`command = "npx" # was\n`),
    );
    expect(edited(note + entry(`command = 12 # was`))).toBe(note + entry(`command = "npx" # was`));
    expect(edited(`${note}[mcp_servers.aot]`)).toBe(`${note}${BLOCK}`);
  });

  test("an entry of its own beside [mcp_servers] with other keys", () => {
    expect(edited("[mcp_servers]\ngit.command = 'x'\n")).toBe(`[mcp_servers]\ngit.command = 'x'\n\n${BLOCK}`);
  });
});

describe("what is not TOML is refused with its place", () => {
  const BROKEN: readonly (readonly [text: string, line: number, column: number])[] = [
    ["a = ", 1, 5],
    ["a = 1\nb 2\n", 2, 3],
    ["[x\n", 1, 3],
    ["a = 1 b = 2", 1, 7],
    ['a = "open\n', 1, 10],
    ["a = [1 2]", 1, 8],
    ["{}", 1, 1],
    ["a = tru", 1, 5],
    [`a = ${"[".repeat(100_000)}`, 1, 1005],
  ];
  for (const [text, line, column] of BROKEN)
    test(text.slice(0, 20).replaceAll("\n", " "), () => {
      expect(withTomlEntry(text, "mcp_servers", "aot", ENTRY)).toMatchObject({ ok: false, at: { line, column } });
    });
});
