/** A work graph as an HTML page: the picture, and the same as a table for those who do not see it. Pure. */
import { graphSvg, STANDING_WORDS } from "./graph-svg.ts";
import type { GraphJson } from "./graph-text.ts";
import { htmlPage, htmlTable } from "./html-page.ts";
import { markupText } from "./markup.ts";

/** @param goal of the loop */
export function graphHtml(graph: GraphJson, goal: string): string {
  const body = [
    `<h1>${markupText(goal)}</h1>`,
    `<p class="soft">The work graph: what is needed stands above what needs it.</p>`,
    graphFigure(graph, goal),
    "<h2>Atoms</h2>",
    atomTable(graph),
  ].join("\n");
  return htmlPage(`Work graph: ${goal}`, body);
}

/** The picture, in a frame that scrolls where it is wider than the page. */
export function graphFigure(graph: GraphJson, goal: string): string {
  return `<div class="wide natural" tabindex="0" role="group" aria-label="Work graph">${graphSvg(graph, `Work graph: ${goal}`)}</div>`;
}

function atomTable({ nodes, edges, groups }: GraphJson): string {
  const needs = new Map<string, string[]>();
  for (const { from, to } of edges) needs.set(to, [...(needs.get(to) ?? []), from]);
  const rows = nodes.map(({ id, description, standing, or_group }) => {
    const [mark, words] = STANDING_WORDS[standing];
    const group = groups.find(({ name }) => name === or_group);
    const place = group === undefined ? "" : `one of ${group.name}`;
    return [
      `<strong>${markupText(id)}</strong>`,
      `${mark} ${words}`,
      markupText(description),
      markupText([...(needs.get(id) ?? []), place].filter((part) => part !== "").join(", ")),
    ];
  });
  return htmlTable("Atoms", ["Atom", "Status", "What", "Needs"], rows);
}
