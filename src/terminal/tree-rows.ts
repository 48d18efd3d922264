/** The work graph as rows of a tree: containers above their parts, OR groups above their choices. Pure. */
import { groupWords, standingOf, type Standing } from "../view/standing.ts";
import { isContainer, listAt, NONE, numberAt, type Graph } from "../core/graph.ts";
import type { State } from "../core/state.ts";
import { at } from "../core/vec.ts";
import { waitsFor } from "../core/schedule.ts";

export interface TreeRow {
  /** Which of its parents are the last of their kind, outermost first; the last entry is about the row itself. */
  readonly lasts: readonly boolean[];
  /** The atom's id, or the group's name. */
  readonly name: string;
  readonly description: string;
  /** What an atom waits for, how much of a container is done. */
  readonly note: string;
  readonly standing: Standing | "group";
  /** Index of the row that it is below; -1: none. */
  readonly above: number;
}

interface RowPosition {
  readonly lasts: readonly boolean[];
  readonly above: number;
}

type Entry = { readonly group: number } | { readonly atom: number };

/** @param ready indices of the executable atoms */
export function treeRows(state: State, graph: Graph, ready: readonly number[]): readonly TreeRow[] {
  const executable = new Set(ready);
  const rows: TreeRow[] = [];
  const shownGroups = new Set<number>();

  const entriesOf = (indices: readonly number[]): Entry[] =>
    indices.flatMap((atom): Entry[] => {
      const group = numberAt(graph.groupOf, atom);
      if (group === NONE) return [{ atom }];
      if (shownGroups.has(group)) return [];
      shownGroups.add(group);
      return [{ group }];
    });
  const showAtom = (index: number, { lasts, above }: RowPosition): void => {
    const standing = standingOf(state, graph, index, executable);
    const { id, description } = at(state.atoms, index);
    rows.push({ lasts, above, standing, description, name: id, note: noteOf(state, graph, index, standing) });
    showAll(entriesOf(listAt(graph.children, index)), lasts, rows.length - 1);
  };
  const showGroup = (group: number, { lasts, above }: RowPosition): void => {
    const { name, ...rest } = at(state.or_groups, group);
    rows.push({ lasts, above, standing: "group", description: "", name, note: groupWords(rest) });
    const own = rows.length - 1;
    const inside = listAt(graph.choices, group);
    inside.forEach((choice, nth) => showAtom(choice, { lasts: [...lasts, nth === inside.length - 1], above: own }));
  };
  const showAll = (entries: readonly Entry[], lasts: readonly boolean[], above: number): void => {
    entries.forEach((entry, nth) => {
      const place = { lasts: [...lasts, nth === entries.length - 1], above };
      if ("group" in entry) showGroup(entry.group, place);
      else showAtom(entry.atom, place);
    });
  };
  const roots = graph.ids.flatMap((_, index) => (numberAt(graph.parent, index) === NONE ? [index] : []));
  showAll(entriesOf(roots), [], -1);
  return rows;
}

function noteOf(state: State, graph: Graph, index: number, standing: Standing): string {
  if (standing === "waiting") {
    const waits = waitsFor(state, graph, index);
    return waits.length === 0 ? "" : `waits for ${waits.join(", ")}`;
  }
  if (!isContainer(graph, index) || standing === "resolved") return "";
  const children = listAt(graph.children, index);
  const done = children.filter((child) => at(state.atoms, child).status === "resolved").length;
  return `${done} of ${children.length} parts`;
}

/** What is seen first where there is no space for all. */
const RANKS: Readonly<Record<TreeRow["standing"], number>> = {
  running: 0,
  ready: 2,
  waiting: 3,
  split: 4,
  group: 4,
  resolved: 5,
  failed: 6,
  not_selected: 7,
};
/** What is above something running says where it belongs. */
const ABOVE_WORK = 1;

export interface Choice {
  /** Indices of the rows to show, in their order. */
  readonly shown: readonly number[];
  /** How many rows of each standing are not shown. */
  readonly left: ReadonlyMap<TreeRow["standing"], number>;
}

/** The rows that matter most, at most `room` of them; what is running comes first. */
export function chooseRows(rows: readonly Pick<TreeRow, "standing" | "above">[], room: number): Choice {
  if (rows.length <= room) return { shown: rows.map((_, index) => index), left: new Map() };
  const ranks = rows.map(({ standing }) => RANKS[standing]);
  rows.forEach(({ standing }, index) => {
    if (standing !== "running") return;
    for (let above = rows[index]?.above ?? -1; above >= 0; above = rows[above]?.above ?? -1)
      ranks[above] = Math.min(ranks[above] ?? ABOVE_WORK, ABOVE_WORK);
  });
  const best = rows.map((_, index) => index).sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b);
  const shown = best.slice(0, Math.max(0, room)).sort((a, b) => a - b);
  const left = new Map<TreeRow["standing"], number>();
  for (const index of best.slice(shown.length)) {
    const standing = rows[index]?.standing ?? "waiting";
    left.set(standing, (left.get(standing) ?? 0) + 1);
  }
  return { shown, left };
}
