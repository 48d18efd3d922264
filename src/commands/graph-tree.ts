/** The work graph as an indented tree: containers above their children, OR groups above their choices. Pure. */
import { standingOf, type Standing } from "../app/graph-text.ts";
import { idAt, isContainer, listAt, NONE, numberAt, type Graph } from "../core/graph.ts";
import type { State } from "../core/state.ts";
import { waitsFor } from "../core/waiting.ts";
import { at } from "../core/vec.ts";
import { clip, widthOf } from "./clip.ts";
import type { Painter, Style } from "./paint.ts";
import { oneLine } from "./verdict-text.ts";

const MARKS: Readonly<Record<Standing, readonly [mark: string, style: Style]>> = {
  resolved: ["✓", "green"],
  running: ["▶", "blue"],
  ready: ["○", "bold"],
  waiting: ["·", "dim"],
  given_up: ["✗", "red"],
  untried: ["-", "dim"],
  container: ["▾", "magenta"],
};

/** What the marks mean, for those that occur. */
export function legend(standings: ReadonlySet<Standing>, paint: Painter): string {
  const named: readonly (readonly [Standing, string])[] = [
    ["resolved", "resolved"],
    ["running", "running"],
    ["ready", "ready"],
    ["waiting", "waiting"],
    ["given_up", "given up"],
    ["untried", "untried"],
    ["container", "split"],
  ];
  const parts = named
    .filter(([standing]) => standings.has(standing))
    .map(([standing, name]) => `${MARKS[standing][0]} ${name}`);
  return paint("dim", parts.join("   "));
}

export interface Tree {
  readonly lines: readonly string[];
  readonly standings: ReadonlySet<Standing>;
  /** Index of the first line about something that runs or is ready; 0 if there is none. */
  readonly firstOpen: number;
}

/** A description is never made shorter than this for the sake of the screen. */
const LEAST_DESCRIPTION = 16;
const MOST_DESCRIPTION = 80;

/**
 * @param ready indices of the executable atoms
 * @param columns width of the screen: a description makes room for the note behind it
 */
export function graphTree(
  state: State,
  graph: Graph,
  ready: readonly number[],
  paint: Painter,
  columns = Infinity,
): Tree {
  const executable = new Set(ready);
  const lines: string[] = [];
  const standings = new Set<Standing>();
  const shownGroups = new Set<number>();
  let firstOpen = -1;

  const showAtom = (index: number, depth: number): void => {
    const standing = standingOf(state, graph, index, executable);
    standings.add(standing);
    const [mark, style] = MARKS[standing];
    const note = noteOf(state, graph, index, standing);
    const taken = 2 * depth + 2 + widthOf(idAt(graph, index)) + 2 + (note === "" ? 0 : 2 + widthOf(note));
    const room = Math.max(LEAST_DESCRIPTION, Math.min(MOST_DESCRIPTION, columns - taken));
    const text = `${idAt(graph, index)}  ${clip(oneLine(at(state.atoms, index).description, MOST_DESCRIPTION), room)}`;
    if (firstOpen < 0 && (standing === "running" || standing === "ready")) firstOpen = lines.length;
    const faded = standing === "untried" || standing === "given_up" || standing === "resolved";
    lines.push(
      `${"  ".repeat(depth)}${paint(style, mark)} ${faded ? paint("dim", text) : text}${note === "" ? "" : paint("dim", `  ${note}`)}`,
    );
    showAll(listAt(graph.children, index), depth + 1);
  };
  const showAll = (indices: readonly number[], depth: number): void => {
    for (const index of indices) {
      const group = numberAt(graph.groupOf, index);
      if (group === NONE) showAtom(index, depth);
      else if (!shownGroups.has(group)) {
        shownGroups.add(group);
        const { name, failed, choices } = at(state.or_groups, group);
        const left = choices.length - failed.length;
        lines.push(
          `${"  ".repeat(depth)}${paint("cyan", `⎇ ${name}`)}${paint("dim", `  one of ${choices.length}, ${left} not given up`)}`,
        );
        for (const choice of listAt(graph.choices, group)) showAtom(choice, depth + 1);
      }
    }
  };
  showAll(
    graph.ids.flatMap((_, index) => (numberAt(graph.parent, index) === NONE ? [index] : [])),
    0,
  );
  return { lines, standings, firstOpen: Math.max(0, firstOpen) };
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
