/** Work graphs as drawings get them: any texts, any shape that a valid state can have. */
import * as fc from "fast-check";
import type { GraphJson } from "../../src/view/graph-text.ts";
import { ORDER } from "../../src/view/standing.ts";

/** Anything a person or a program could have written, markup and control characters among it. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "</title><script>alert(1)</script>",
    "]]>",
    "&amp;&#0;",
    '" onload="x',
    "<!--",
    "説明 👍🏽 \u202e",
    "\u001b[2J\u0000\ufffe\ud800",
  ),
);

export const anyGraph: fc.Arbitrary<GraphJson> = fc
  .array(
    fc.record({
      id: fc.oneof(fc.constantFrom("__proto__", "constructor"), anyText),
      description: anyText,
      standing: fc.constantFrom(...ORDER),
      needs: fc.array(fc.nat(30), { maxLength: 3 }),
      parent: fc.option(fc.nat(30), { freq: 6 }),
      group: fc.option(fc.nat(2), { freq: 4 }),
    }),
    { maxLength: 20 },
  )
  .map((given) => {
    const nodes = given.map(({ id, description, standing, parent, group }, index) => ({
      id: `${id}#${index}`,
      description,
      standing,
      status: "pending",
      parent: parent !== null && parent < index ? `${given[parent]?.id ?? ""}#${parent}` : null,
      or_group: group === null ? null : `g<${group}>`,
    }));
    const edges = given.flatMap(({ needs }, index) =>
      [...new Set(needs)]
        .filter((need) => need < index)
        .map((need) => ({ from: nodes[need]?.id ?? "", to: nodes[index]?.id ?? "" })),
    );
    const names = [...new Set(nodes.flatMap(({ or_group }) => or_group ?? []))];
    const groups = names.map((name) => {
      const choices = nodes.filter(({ or_group }) => or_group === name).map(({ id }) => id);
      return { name, choices, selected: choices[0] ?? "", failed: choices.slice(1, 2), exhausted: false };
    });
    return { nodes, edges, groups };
  });
