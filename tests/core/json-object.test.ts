import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lastJsonObject } from "../../src/core/json-object.ts";

const object = fc.dictionary(fc.string(), fc.jsonValue());
const prose = fc.string().map((text) => text.replaceAll("{", "("));
/** What JSON itself makes of the value: -0 becomes 0. */
const reported = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("SPEC 10: a JSON object between any prose without an opening brace is given back", () => {
  fc.assert(
    fc.property(prose, object, prose, fc.constantFrom(undefined, 2), (before, value, after, indent) => {
      expect(lastJsonObject(before + JSON.stringify(value, null, indent) + after)).toEqual(reported(value));
    }),
  );
});

test("SPEC 10: of several objects the last one counts", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(prose, object), { minLength: 1 }), (parts) => {
      const text = parts.map(([words, value]) => words + JSON.stringify(value)).join("");
      expect(lastJsonObject(text)).toEqual(reported(parts.at(-1)?.[1]));
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

const TOKENS = '{|}|[|]|,|:|"|"a"|\\|\\u00e9|1|-|0.5e3|01|true|nul| |\n'.split("|");

test("law JSON-OBJECT-3: the scan accepts exactly what JSON.parse accepts", () => {
  const damaged = fc.tuple(object, fc.nat(), fc.constantFrom(...TOKENS)).map(([value, at, token]) => {
    const whole = JSON.stringify(value);
    const place = at % whole.length;
    return whole.slice(0, place) + token + whole.slice(place);
  });
  const soup = fc.array(fc.constantFrom(...TOKENS)).map((parts) => `{${parts.join("")}}`);
  fc.assert(
    fc.property(fc.oneof(damaged, soup), (text) => {
      // It throws if it takes for an object what JSON.parse refuses.
      const found = lastJsonObject(text);
      const parsed = parsedObject(text);
      if (parsed !== undefined) expect(found).toEqual(parsed);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  [
    "code fence",
    'Here:\n```json\n{"success": true, "summary": "a } b"}\n```\nBye',
    { success: true, summary: "a } b" },
  ],
  ["logs with braces", 'set {a, b} {"cfg": ...}\n[x] {"success":false}\nfn() { return 1 }', { success: false }],
  ["an unclosed brace of a log line", '{"a": 1\n{"success":true}', { success: true }],
  ["a quote that opens before it", 'say "hi {"success":true}', { success: true }],
  ["inside a list", '[{"a":1},{"b":2}]', { b: 2 }],
  ["empty", "{}", {}],
  ["a key that objects inherit", '{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
])("SPEC 10: %s", (_name, text, expected) => {
  expect(lastJsonObject(text)).toEqual(expected);
});

test.each(["", "no object", "[1, 2]", '{"a": 1', "{'a': 1}", '{"a": 01}', '{"a": "\n"}', "{,}", '{"a":1,}'])(
  "SPEC 10: %j holds none",
  (text) => {
    expect(lastJsonObject(text)).toBe(undefined);
  },
);

test("law JSON-OBJECT-2: work is linear in the text, for texts made to provoke rescans", () => {
  // A quadratic scan of 4 MB would read 10^13 characters: it would not come back within the test's limit.
  const size = 4_000_000;
  for (const unit of '{|{"|{"a":|{"a":[|{"{":|{"{":":",|{"\\"|{" |"{" |{}|{"a":{}}|\\|"'.split("|")) {
    lastJsonObject(unit.repeat(size / unit.length));
    expect(lastJsonObject(`${unit.repeat(size / unit.length)}\n"\n{"ok":1}`)).toSatisfy(
      (v) => v === undefined || JSON.stringify(v) === '{"ok":1}',
    );
  }
}, 60_000);

function parsedObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
