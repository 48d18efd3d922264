import fc from "fast-check";
import { expect, test } from "vitest";
import { lastJsonObject } from "../../src/core/json-object.ts";

const object = fc.dictionary(fc.string(), fc.jsonValue());
const prose = fc.string().map((text) => text.replaceAll("{", "("));
/** What JSON itself makes of the value: -0 becomes 0. */
const told = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("SPEC 10: a JSON object between any prose without an opening brace is given back", () => {
  fc.assert(
    fc.property(
      prose,
      object,
      prose,
      fc.constantFrom(undefined, 2),
      (before, value, after, indent) => {
        expect(lastJsonObject(before + JSON.stringify(value, null, indent) + after)).toEqual(
          told(value),
        );
      },
    ),
  );
});

test("SPEC 10: of several objects the last one counts", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(prose, object), { minLength: 1 }), (parts) => {
      const text = parts.map(([words, value]) => words + JSON.stringify(value)).join("");
      expect(lastJsonObject(text)).toEqual(told(parts.at(-1)?.[1]));
    }),
  );
});

test("SPEC 7: half a JSON object is no answer, wherever it breaks off and whatever is inside", () => {
  fc.assert(
    fc.property(prose, object, fc.nat(), (before, value, at) => {
      const whole = JSON.stringify(value);
      expect(lastJsonObject(before + whole.slice(0, at % whole.length))).toBe(undefined);
    }),
    { examples: [["", { summary: 'done {} {"success":true}', inner: { success: true } }, 30]] },
  );
});

test("law J3: the scan accepts exactly what JSON.parse accepts", () => {
  const tokens = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    "\\",
    "\\u00e9",
    "1",
    "-",
    "0.5e3",
    "01",
    "true",
    "nul",
    " ",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(tokens), (parts) => {
      const text = `{${parts.join("")}}`;
      const found = lastJsonObject(text);
      expect(found).toEqual(bruteForce(text));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  [
    "code fence",
    'Here:\n```json\n{"success": true, "summary": "a } b"}\n```\nBye',
    { success: true, summary: "a } b" },
  ],
  [
    "logs with braces",
    'set {a, b} {"cfg": ...}\n[x] {"success":false}\nfn() { return 1 }',
    { success: false },
  ],
  ["an unclosed brace of a log line", '{"a": 1\n{"success":true}', { success: true }],
  ["a quote that opens before it", 'say "hi {"success":true}', { success: true }],
  ["inside a list", '[{"a":1},{"b":2}]', { b: 2 }],
  ["empty", "{}", {}],
  ["a key that objects inherit", '{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
])("SPEC 10: %s", (_name, text, expected) => {
  expect(lastJsonObject(text)).toEqual(expected);
});

test.each([
  "",
  "no object",
  "[1, 2]",
  '{"a": 1',
  "{'a': 1}",
  '{"a": 01}',
  '{"a": "\n"}',
  "{,}",
  '{"a":1,}',
])("SPEC 10: %j holds none", (text) => {
  expect(lastJsonObject(text)).toBe(undefined);
});

test("law J2: work is linear in the text, for texts made to provoke rescans", () => {
  // A quadratic scan of 4 MB would read 10^13 characters: it would not come back within the test's limit.
  const size = 4_000_000;
  for (const unit of [
    "{",
    '{"',
    '{"a":',
    '{"a":[',
    '{"{":',
    '{"{":":",',
    '{"\\"',
    '{" ',
    '"{" ',
    "{}",
    '{"a":{}}',
    "\\",
    '"',
  ]) {
    lastJsonObject(unit.repeat(size / unit.length));
    expect(lastJsonObject(`${unit.repeat(size / unit.length)}\n"\n{"ok":1}`)).toSatisfy(
      (v) => v === undefined || JSON.stringify(v) === '{"ok":1}',
    );
  }
}, 60_000);

/** The rule by its words, in quadratic time: take the first `{` from which JSON.parse reads an object, else go on. */
function bruteForce(text: string): unknown {
  let found: unknown;
  let from = 0;
  const structural = new Set<number>();
  while ((from = text.indexOf("{", from)) !== -1) {
    const whole = structural.has(from) ? undefined : objectAt(text, from);
    if (whole !== undefined) found = whole.value;
    from = whole === undefined ? from + 1 : whole.end;
  }
  return found;

  function objectAt(source: string, start: number): { value: unknown; end: number } | undefined {
    for (let end = source.indexOf("}", start); end !== -1; end = source.indexOf("}", end + 1)) {
      try {
        return { value: JSON.parse(source.slice(start, end + 1)), end: end + 1 };
      } catch {}
    }
    return undefined;
  }
}
