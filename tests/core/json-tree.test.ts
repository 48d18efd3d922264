/** The reader of JSON with places takes what JSON.parse takes, and gives the same. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { placeOf, readJson, valueOf, type JsonNode } from "../../src/core/json-tree.ts";

function nodesOf(node: JsonNode): readonly JsonNode[] {
  if (node.kind === "scalar") return [node];
  const children = node.kind === "list" ? node.items : node.entries.map(({ value }) => value);
  return [node, ...children.flatMap(nodesOf)];
}

const texts = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, 2, "\t"), fc.constantFrom("\n", "\r\n"))
  .map(([value, indent, eol]) => JSON.stringify(value, null, indent).replaceAll("\n", eol));

test("any JSON: the same value, and each value stands where it is said to stand", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const read = readJson(text);
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      expect(valueOf(read.root)).toEqual(JSON.parse(text));
      for (const node of nodesOf(read.root))
        expect(valueOf(node)).toEqual(JSON.parse(text.slice(node.start, node.end)));
    }),
  );
});

test("any text that is almost JSON: taken exactly when JSON.parse takes it, and else a place inside the text is named", () => {
  const cut = fc.tuple(
    texts,
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.constantFrom("", ",", '"', "}", "]", "\\", "0", "-", " ", "\n", "\u0001", "tru", "/*"),
  );
  fc.assert(
    fc.property(cut, ([text, at, count, put]) => {
      const place = at % (text.length + 1);
      const broken = text.slice(0, place) + put + text.slice(place + count);
      const read = readJson(broken);
      let parsed = true;
      try {
        JSON.parse(broken);
      } catch {
        parsed = false;
      }
      // JSON-TREE-1 is stricter than JSON.parse.
      if (!read.ok && read.problems[0]?.code === "duplicate_key") return;
      expect(read.ok).toBe(parsed);
      if (read.ok) return;
      const [problem] = read.problems;
      expect(problem?.hint ?? "").not.toBe("");
      expect(problem?.at?.line).toBeLessThanOrEqual(broken.split(/\r\n|\n|\r/).length);
    }),
    { numRuns: 1_000 },
  );
});

test("JSON-TREE-1: a key that is twice is refused, at its second place", () => {
  expect(readJson('{"a": 1,\n  "b": 2,\n  "a": 3}')).toMatchObject({
    ok: false,
    problems: [{ code: "duplicate_key", at: { line: 3, column: 3 } }],
  });
});

test("a byte order mark is no column", () => {
  expect(placeOf("\ufeff{}", 1)).toEqual({ line: 1, column: 1 });
  expect(readJson("\ufeff[1]").ok).toBe(true);
});
