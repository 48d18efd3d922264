/** The picture of a work graph in a report: whatever is in the graph. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { drawingOf } from "../../src/view/drawing.ts";
import { GraphPicture } from "../../src/view/graph-drawing.tsx";
import { markupOf } from "../../src/view/markup.ts";
import { reportHtml } from "../../src/view/report-page.tsx";
import { createReported, sceneOf } from "../../src/view/scene.ts";
import type { State } from "../../src/core/state.ts";
import { anyState } from "../support/loops.ts";
import { elementsOf, readMarkup, textOf, type Element } from "../support/markup.ts";
import { anyText } from "../support/any-text.ts";
import { visible } from "../../src/view/words.ts";

/** As the drawing may show it: what markup cannot hold is a question mark. */
const held = (text: string): string =>
  visible(text).replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "?");

/** Any valid graph, with any texts for names, descriptions and the goal. */
const anyReported: fc.Arbitrary<State> = fc
  .tuple(anyState(10), fc.array(anyText, { minLength: 1, maxLength: 6 }))
  .map(([state, texts]) => {
    const places = new Map(state.atoms.map(({ id }, index) => [id, index]));
    const text = (index: number): string => texts[index % texts.length] ?? "";
    const name = (id: string): string => `${text(places.get(id) ?? 0)}#${places.get(id)}`;
    const group = (id: string): string => `${text(0)}${id}`;
    return {
      ...state,
      objective: { ...state.objective, goal: text(0) },
      atoms: state.atoms.map((atom, index) => ({
        ...atom,
        id: name(atom.id),
        description: text(index + 1),
        depends_on: atom.depends_on.map(name),
        ...(atom.or_group === undefined ? {} : { or_group: group(atom.or_group) }),
      })),
      decompositions: state.decompositions.map((one) => ({
        ...one,
        parent: name(one.parent),
        children: one.children.map(name),
      })),
      or_groups: state.or_groups.map((one) => {
        const { choices, failed, selected } = one;
        return {
          ...one,
          name: group(one.name),
          choices: choices.map(name),
          failed: failed.map(name),
          selected: name(selected),
        };
      }),
    };
  });

function attributesIn(element: Element): readonly string[] {
  const below = element.children.flatMap((child) => (typeof child === "string" ? [] : attributesIn(child)));
  return [...Object.keys(element.attributes), ...below];
}

test("law: for any text the SVG is well-formed, names every atom and group in a tooltip, and loads and runs nothing", () => {
  fc.assert(
    fc.property(anyReported, (state) => {
      const drawing = drawingOf(state);
      const title = `Work graph: ${state.objective.goal}`;
      const svg = markupOf(GraphPicture({ drawing, title }));
      const root = readMarkup(svg);
      expect(root).toMatchObject({ name: "svg", attributes: { role: "img" } });
      const [name, ...tooltips] = elementsOf(root, "title").map(textOf);
      expect(name).toBe(held(title));
      expect(elementsOf(root, "desc")).toHaveLength(1);
      const { atoms, frames, arrows } = drawing;
      for (const { atom } of atoms.values())
        expect(tooltips.some((tip) => tip.startsWith(held(`${atom.id}: ${atom.description} (`)))).toBe(true);
      for (const { title } of frames.values()) expect(tooltips.some((tip) => tip.startsWith(held(title)))).toBe(true);
      const drawn = elementsOf(root, "path").filter(({ attributes }) => attributes["class"]?.startsWith("arrow"));
      expect(drawn).toHaveLength(arrows.length);
      for (const one of ["script", "style", "image", "use", "a", "foreignObject"])
        expect(elementsOf(root, one)).toEqual([]);
      expect(attributesIn(root).filter((attribute) => /^(on|href|src|xlink)/.test(attribute))).toEqual([]);
      expect(
        markupOf(GraphPicture({ drawing: drawingOf(state), title })),
        "the same graph gives the same picture",
      ).toBe(svg);
    }),
    { numRuns: 60 },
  );
});

test("law: the page is well-formed, too, forbids every request by its policy, and tells in a table what the picture shows", () => {
  fc.assert(
    fc.property(anyReported, (state) => {
      const scene = sceneOf(state, createReported().now(), { time: 0, zone: "UTC" });
      const root = readMarkup(reportHtml(scene, "2026-01-01T12:00:00Z"));
      const policy = elementsOf(root, "meta").find(({ attributes }) => attributes["http-equiv"] !== undefined);
      expect(policy?.attributes["content"]).toContain("default-src 'none'");
      const table = elementsOf(root, "table").find(({ attributes }) => attributes["aria-label"] === "Atoms");
      if (table === undefined) throw new Error("no table of atoms");
      expect(elementsOf(table, "tr")).toHaveLength(state.atoms.length + 1);
      expect(elementsOf(root, "style").map(textOf).join("")).not.toMatch(/url\(|@import/);
      expect(elementsOf(root, "script")).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
