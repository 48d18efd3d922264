/** A work graph for other programs: Mermaid, Graphviz, JSON. Pure. */
import { deadGroupOf, isExhausted } from "../../core/fate.ts";
import { graphOf, idAt, isContainer, listAt, NONE, numberAt, type Graph } from "../../core/graph.ts";
import type { State } from "../../core/state.ts";
import { executableOf } from "../../core/view.ts";
import { at, toArray } from "../../core/vec.ts";

/** What an atom stands at, for a person: its status, and its fate among alternatives. */
export type Standing = "resolved" | "running" | "ready" | "waiting" | "given_up" | "untried" | "container";

/** @param ready indices of the executable atoms */
export function standingOf(state: State, graph: Graph, index: number, ready: ReadonlySet<number>): Standing {
  const atom = at(state.atoms, index);
  if (atom.status === "resolved") return "resolved";
  if (atom.status === "in_progress") return "running";
  const dead = deadGroupOf(state, graph, index);
  if (dead !== NONE) return isGivenUp(state, graph, index) ? "given_up" : "untried";
  if (isContainer(graph, index)) return "container";
  return ready.has(index) ? "ready" : "waiting";
}

function isGivenUp(state: State, graph: Graph, index: number): boolean {
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    const group = numberAt(graph.groupOf, here);
    if (group !== NONE && at(state.or_groups, group).failed.includes(idAt(graph, here))) return true;
  }
  return false;
}

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
  const nodes = toArray(state.atoms).map((atom, index) => {
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
  const groups = toArray(state.or_groups).map((group) => ({
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
  given_up: "#ffcdd2",
  untried: "#eeeeee",
  container: "#e1bee7",
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

/** A Graphviz digraph. */
export function dotText(state: State): string {
  const { nodes, edges, groups } = graphJson(state);
  const lines = ["digraph loop {", '  rankdir="TB"; node [shape="box", style="filled"];'];
  for (const node of nodes)
    lines.push(
      `  ${dotString(node.id)} [label=${dotString(`${node.id}: ${node.description}`)}, fillcolor="${COLOURS[node.standing]}"];`,
    );
  for (const edge of edges) lines.push(`  ${dotString(edge.from)} -> ${dotString(edge.to)};`);
  for (const node of nodes)
    if (node.parent !== null)
      lines.push(`  ${dotString(node.parent)} -> ${dotString(node.id)} [style="dotted", arrowhead="none"];`);
  for (const group of groups) {
    const own = dotString(`or: ${group.name}`);
    lines.push(`  ${own} [shape="diamond", label=${dotString(`${group.name}: one of`)}];`);
    for (const choice of group.choices)
      lines.push(`  ${own} -> ${dotString(choice)} [style="${choice === group.selected ? "bold" : "dashed"}"];`);
  }
  return `${lines.join("\n")}\n}\n`;
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

function dotString(text: string): string {
  return `"${oneLine(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
