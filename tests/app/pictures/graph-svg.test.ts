/** Pictures of a work graph that travel: one file each, whatever stands in the graph. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { graphHtml } from "../../../src/app/pictures/graph-html.ts";
import { layoutGraph } from "../../../src/app/pictures/graph-layout.ts";
import { graphSvg } from "../../../src/app/pictures/graph-svg.ts";
import type { GraphJson } from "../../../src/app/pictures/graph-text.ts";
import { elementsOf, readMarkup, textOf, type Element } from "../../support/markup.ts";
import { anyGraph, anyText } from "../../support/small-graphs.ts";

/** As the drawing may show it: what markup cannot hold is a question mark. */
const held = (text: string): string =>
  text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "?");

function attributesIn(element: Element): readonly string[] {
  const below = element.children.flatMap((child) => (typeof child === "string" ? [] : attributesIn(child)));
  return [...Object.keys(element.attributes), ...below];
}

test("law: for any text the SVG is well-formed, names every atom and group in a tooltip, and loads and runs nothing", () => {
  fc.assert(
    fc.property(anyGraph, anyText, (graph, title) => {
      const svg = graphSvg(graph, title);
      const root = readMarkup(svg);
      expect(root).toMatchObject({ name: "svg", attributes: { role: "img" } });
      const [name, ...tooltips] = elementsOf(root, "title").map(textOf);
      expect(name).toBe(held(title));
      expect(elementsOf(root, "desc")).toHaveLength(1);
      expect(tooltips).toHaveLength(graph.nodes.length + graph.groups.length);
      graph.nodes.forEach(({ id, description }, index) => {
        expect(tooltips[index]?.startsWith(held(`${id}: ${description} (`))).toBe(true);
      });
      expect(elementsOf(root, "path").filter(({ attributes }) => attributes["class"]?.startsWith("edge")).length).toBe(
        graph.edges.length +
          graph.nodes.filter(({ parent }) => parent !== null).length +
          graph.groups.flatMap(({ choices }) => choices).length,
      );
      for (const one of ["script", "image", "use", "a", "foreignObject"]) expect(elementsOf(root, one)).toEqual([]);
      expect(elementsOf(root, "style").map(textOf).join("")).not.toMatch(/url\(|@import/);
      expect(attributesIn(root).filter((attribute) => /^(on|href|src|xlink)/.test(attribute))).toEqual([]);
      expect(graphSvg(graph, title), "the same graph gives the same picture").toBe(svg);
    }),
    { numRuns: 60 },
  );
});

test("law: the page is well-formed, too, forbids every request by its policy, and tells in a table what the picture shows", () => {
  fc.assert(
    fc.property(anyGraph, anyText, (graph, goal) => {
      const root = readMarkup(graphHtml(graph, goal));
      const policy = elementsOf(root, "meta").find(({ attributes }) => attributes["http-equiv"] !== undefined);
      expect(policy?.attributes["content"]).toContain("default-src 'none'");
      expect(elementsOf(root, "tbody").flatMap((body) => elementsOf(body, "tr"))).toHaveLength(graph.nodes.length);
      expect(elementsOf(root, "script")).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

const size = (): { width: number; height: number } => ({ width: 100, height: 40 });

function chain(count: number): GraphJson {
  const nodes = Array.from({ length: count }, (_, n) => {
    return {
      id: `A${n}`,
      description: "",
      status: "pending",
      standing: "ready" as const,
      parent: null,
      or_group: null,
    };
  });
  const edges = nodes
    .slice(1)
    .flatMap(({ id }, n) => [{ from: `A${n}`, to: id }, ...(n > 2 ? [{ from: `A${Math.floor(n / 2)}`, to: id }] : [])]);
  return { nodes, edges, groups: [] };
}

test("law: no two boxes overlap, all stand within the picture, and what is needed stands above what needs it", () => {
  const large = fc.constantFrom(chain(300), chain(40));
  fc.assert(
    fc.property(
      fc.oneof(
        anyGraph.filter(({ groups }) => groups.length === 0),
        large,
      ),
      (graph) => {
        const placed = layoutGraph(graph, size);
        const rows = new Map<number, number[]>();
        for (const { x, y } of placed.nodes) {
          expect(x >= 50 && x + 50 <= placed.width && y >= 20 && y + 20 <= placed.height).toBe(true);
          rows.set(y, [...(rows.get(y) ?? []), x]);
        }
        for (const xs of rows.values()) {
          const sorted = xs.toSorted((a, b) => a - b);
          for (const [index, x] of sorted.slice(1).entries())
            expect(x - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(100);
        }
        const yOf = new Map(placed.nodes.map(({ name, y }) => [name, y]));
        for (const { from, to } of graph.edges) expect(yOf.get(from)).toBeLessThan(yOf.get(to) ?? 0);
      },
    ),
    { numRuns: 40 },
  );
});
