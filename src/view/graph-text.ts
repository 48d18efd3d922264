/** A work graph for other programs: Mermaid and JSON. Pure. */
import { isExhausted } from "../core/fate.ts";
import { graphOf, idAt, listAt, NONE, numberAt } from "../core/graph.ts";
import type { State } from "../core/state.ts";
import { executableOf } from "../core/view.ts";
import { standingOf, type Standing } from "./standing.ts";

export interface GraphJson {
  readonly nodes: readonly {
    readonly id: string;
    readonly description: string;
    readonly status: string;
    readonly standing: Standing;
    readonly parent: string | null;
    readonly or_group: string | null;
  }[];
  /** `from` has to be met before `to`. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly groups: readonly {
    readonly name: string;
    readonly choices: readonly string[];
    readonly selected: string;
    readonly failed: readonly string[];
    readonly exhausted: boolean;
  }[];
}

export function graphJson(state: State): GraphJson {
  const graph = graphOf(state);
  const ready = new Set(executableOf(state, graph));
  const nodes = state.atoms.map((atom, index) => {
    const parent = numberAt(graph.parent, index);
    return {
      id: atom.id,
      description: atom.description,
      status: atom.status,
      standing: standingOf(state, graph, index, ready),
      parent: parent === NONE ? null : idAt(graph, parent),
      or_group: atom.or_group ?? null,
    };
  });
  const edges = nodes.flatMap((node, index) =>
    listAt(graph.dependencies, index).map((from) => ({ from: idAt(graph, from), to: node.id })),
  );
  const groups = state.or_groups.map((group) => ({
    name: group.name,
    choices: group.choices,
    selected: group.selected,
    failed: group.failed,
    exhausted: isExhausted(group),
  }));
  return { nodes, edges, groups };
}

const COLOURS: Readonly<Record<Standing, string>> = {
  resolved: "#c8e6c9",
  running: "#bbdefb",
  ready: "#fff9c4",
  waiting: "#f5f5f5",
  failed: "#ffcdd2",
  not_selected: "#eeeeee",
  split: "#e1bee7",
};

/** A Mermaid flowchart; node names are numbers, so that no id can break its syntax. */
export function mermaidText(state: State): string {
  const { nodes, edges, groups } = graphJson(state);
  const name = namer(nodes);
  const lines = ["flowchart TD"];
  for (const node of nodes)
    lines.push(`  ${name(node.id)}["${mermaidLabel(`${node.id}: ${node.description}`)}"]:::${node.standing}`);
  for (const edge of edges) lines.push(`  ${name(edge.from)} --> ${name(edge.to)}`);
  for (const node of nodes) if (node.parent !== null) lines.push(`  ${name(node.parent)} -.- ${name(node.id)}`);
  groups.forEach((group, index) => {
    lines.push(`  g${index}{{"${mermaidLabel(`${group.name}: one of`)}"}}`);
    for (const choice of group.choices)
      lines.push(`  g${index} ${choice === group.selected ? "==>" : "-.->"} ${name(choice)}`);
  });
  const used = new Set(nodes.map((node) => node.standing));
  for (const standing of used) lines.push(`  classDef ${standing} fill:${COLOURS[standing]},color:#000`);
  return `${lines.join("\n")}\n`;
}

function namer(nodes: GraphJson["nodes"]): (id: string) => string {
  const names = new Map(nodes.map((node, index) => [node.id, `n${index}`]));
  return (id) => names.get(id) ?? "n";
}

function mermaidLabel(text: string): string {
  return oneLine(text)
    .replaceAll("#", "#35;")
    .replaceAll('"', "#quot;")
    .replaceAll("<", "#lt;")
    .replaceAll(">", "#gt;");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
