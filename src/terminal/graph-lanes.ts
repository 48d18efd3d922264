/**
 * The work graph as a picture in text: one row for each atom and group, what is needed above what needs it, lines
 * between them. Pure.
 *
 * A group is below its choices and above what needs one of them, a container below its parts: as it is met.
 */
import type { GraphJson } from "../view/graph-text.ts";
import { groupWords } from "../view/standing.ts";
import { clip, padded } from "./clip.ts";
import { legend, markOf } from "./graph-tree.ts";
import type { Painter } from "./paint.ts";
import type { TreeRow } from "./tree-rows.ts";
import { oneLine } from "./verdict-text.ts";

interface Item {
  readonly name: string;
  readonly text: string;
  readonly standing: TreeRow["standing"];
  /** Indices of the items that it waits for. */
  readonly needs: readonly number[];
}

/** @param columns of the screen */
export function graphLanes(graph: GraphJson, paint: Painter, columns = Infinity): string {
  const items = itemsOf(graph);
  const drawn = drawLanes(orderOf(items), items);
  const wide = Math.max(0, ...drawn.map(({ lanes }) => lanes.length));
  const room = Number.isFinite(columns) ? Math.max(8, Math.floor(columns / 2)) : Infinity;
  const lines = drawn.map(({ item, lanes, at }) => {
    const { name, text, standing } = item;
    const painted = `${paint("dim", lanes.slice(0, at))}${markOf(standing, paint)}${paint("dim", lanes.slice(at + 1))}`;
    const left = wide > room ? clip(painted, room) : padded(painted, wide);
    const words = `${paint("bold", oneLine(name))}${text === "" ? "" : `  ${oneLine(text, 200)}`}`;
    return clip(`${left}  ${words}`, columns);
  });
  return [...lines, "", legend(new Set(items.map(({ standing }) => standing)), paint)].join("\n");
}

function itemsOf({ nodes, edges, groups }: GraphJson): readonly Item[] {
  const atomOf = new Map(nodes.map(({ id }, index) => [id, index]));
  const groupAt = new Map(groups.map(({ name }, index) => [name, nodes.length + index]));
  /** A choice is needed by way of its group. */
  const source = (id: string, by: string | null): number | undefined => {
    const group = nodes[atomOf.get(id) ?? -1]?.or_group ?? null;
    return group === null || group === by ? atomOf.get(id) : groupAt.get(group);
  };
  const needs = nodes.map((): number[] => []);
  for (const { from, to } of edges) {
    const at = atomOf.get(to);
    const need = at === undefined ? undefined : source(from, nodes[at]?.or_group ?? null);
    if (at !== undefined && need !== undefined) needs[at]?.push(need);
  }
  for (const { id, parent, or_group } of nodes) {
    const own = or_group === null ? atomOf.get(id) : groupAt.get(or_group);
    const above = parent === null ? undefined : atomOf.get(parent);
    if (above !== undefined && own !== undefined) needs[above]?.push(own);
  }
  return [
    ...nodes.map(({ id, description, standing }, index): Item => {
      return { name: id, text: description, standing, needs: [...new Set(needs[index])] };
    }),
    ...groups.map((group): Item => {
      const { name, choices, selected, exhausted } = group;
      const text = exhausted ? "no alternative is left" : `${groupWords(group)}: ${selected}`;
      return { name, text, standing: "group", needs: choices.flatMap((choice) => atomOf.get(choice) ?? []) };
    }),
  ];
}

/** What is needed first; among those that could come next the one whose needs stand nearest, so that lines are short. */
function orderOf(items: readonly Item[]): readonly number[] {
  const row = new Map<number, number>();
  const left = new Set(items.map((_, index) => index));
  while (left.size > 0) {
    const open = [...left].filter((index) => items[index]?.needs.every((need) => row.has(need)) ?? true);
    // A group whose choice needs another choice of it goes in a circle here: it is broken anywhere.
    const candidates = open.length > 0 ? open : [...left].slice(0, 1);
    const nearness = (index: number): number =>
      Math.max(-1, ...(items[index]?.needs ?? []).map((need) => row.get(need) ?? -1));
    const next = candidates.reduce((best, index) => (nearness(index) > nearness(best) ? index : best));
    row.set(next, row.size);
    left.delete(next);
  }
  return [...row.keys()];
}

interface Drawn {
  readonly item: Item;
  /** With a blank where the mark goes. */
  readonly lanes: string;
  /** Where the mark is in it. */
  readonly at: number;
}

/**
 * A lane leads from an item down to all that need it. What needs the item of the rightmost lane, as the last one to do
 * so, takes that lane over; other items open one to the right of what they need. A lane that ended rests for one row,
 * so that what is below each other belongs together.
 */
function drawLanes(order: readonly number[], items: readonly Item[]): readonly Drawn[] {
  const users = items.map(() => 0);
  const placed = new Set<number>();
  for (const index of order) {
    for (const need of items[index]?.needs ?? []) if (placed.has(need)) users[need] = (users[need] ?? 0) + 1;
    placed.add(index);
  }
  const lanes: (number | null)[] = [];
  let resting = new Set<number>();
  return order.flatMap((index): Drawn[] => {
    const item = items[index];
    if (item === undefined) return [];
    const joined = lanes.flatMap((from, lane) => (from !== null && item.needs.includes(from) ? [lane] : []));
    for (const lane of joined) {
      const from = lanes[lane] ?? 0;
      users[from] = (users[from] ?? 1) - 1;
    }
    const ended = joined.filter((lane) => (users[lanes[lane] ?? 0] ?? 0) === 0);
    const last = joined.at(-1) ?? -1;
    const own = last >= 0 && ended.includes(last) ? last : freeLane(lanes, last + 1, resting);
    const text = laneText(lanes, own, joined, ended);
    resting = new Set(ended.filter((lane) => lane !== own));
    for (const lane of ended) lanes[lane] = null;
    lanes[own] = (users[index] ?? 0) > 0 ? index : null;
    if (lanes[own] === null) resting.add(own);
    while (lanes.length > 0 && lanes.at(-1) === null) lanes.pop();
    return [{ item, lanes: text, at: 2 * own }];
  });
}

function freeLane(lanes: readonly (number | null)[], from: number, resting: ReadonlySet<number>): number {
  for (let lane = from; ; lane++) if ((lanes[lane] ?? null) === null && !resting.has(lane)) return lane;
}

function laneText(
  lanes: readonly (number | null)[],
  own: number,
  joined: readonly number[],
  ended: readonly number[],
): string {
  const first = Math.min(own, ...joined);
  let text = "";
  for (let lane = 0; lane < Math.max(lanes.length, own + 1); lane++) {
    const isCrossed = lane > first && lane < own;
    if (lane === own) text += " ";
    else if (joined.includes(lane)) {
      const isFirst = lane === first;
      if (ended.includes(lane)) text += isFirst ? "╰" : "┴";
      else text += isFirst ? "├" : "┿";
    } else if ((lanes[lane] ?? null) !== null) text += isCrossed ? "┼" : "│";
    else text += isCrossed ? "─" : " ";
    text += lane >= first && lane < own ? "─" : " ";
  }
  return text.trimEnd().padEnd(2 * own + 1);
}
