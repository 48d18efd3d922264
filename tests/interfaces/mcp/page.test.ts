/** Laws of an answer's pages. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pageOfDocument, pageOfText } from "../../../src/interfaces/mcp/page.ts";

const documents = fc.dictionary(
  fc.string({ maxLength: 8 }),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(fc.record({ id: fc.string(), text: fc.string({ maxLength: 3_000 }) }), { maxLength: 200 }),
    fc.string({ maxLength: 5_000 }),
  ),
);

test("PAGE-1: never longer than it may be, and left as it is where it fits", () => {
  fc.assert(
    fc.property(
      documents,
      fc.integer({ min: 200, max: 20_000 }),
      fc.integer({ min: 1, max: 9 }),
      (document, most, page) => {
        const shown = pageOfDocument(document, most, page);
        expect(JSON.stringify(shown).length).toBeLessThanOrEqual(most);
        if (JSON.stringify(document).length <= most) expect(shown).toBe(document);
        else expect(shown).toHaveProperty("page.number", page);
      },
    ),
  );
});

test("PAGE-2: the pages of a list are the list, and each says how many there are", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 2_000 }), (count) => {
      const atoms = Array.from({ length: count }, (_, at) => ({ id: `A${at}`, description: "x".repeat(30) }));
      const bindings = Object.fromEntries(atoms.map(({ id }) => [id, "y"]));
      const document = { success: true, graph: { nodes: atoms }, atoms, bindings };
      const read: unknown[] = [];
      let bound = {};
      for (let page = 1, of = 1; page <= of; page++) {
        const shown = Object(pageOfDocument(document, 8_000, page));
        ({ of } = shown.page);
        expect(shown.page.lists).toEqual({ atoms: count, bindings: count, "graph.nodes": count });
        expect(shown.graph.nodes).toEqual(shown.atoms);
        read.push(...shown.atoms);
        bound = { ...bound, ...shown.bindings };
      }
      expect(read).toEqual(atoms);
      expect(bound).toEqual(bindings);
    }),
    { numRuns: 20 },
  );
});

test("PAGE-2: the pages of a text are the text", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3_000, unit: "binary" }), fc.integer({ min: 50, max: 500 }), (text, most) => {
      const pages = Math.max(1, Math.ceil(text.length / most));
      const read = Array.from({ length: pages }, (_, at) => pageOfText(text, most, at + 1));
      expect(read.map((page) => page.replace(/\n\[page \d+ of \d+\]$/, "")).join("")).toBe(text);
    }),
  );
});
