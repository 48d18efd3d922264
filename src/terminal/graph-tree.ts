/** The work graph as an indented tree of lines: `aot status`, `aot align` and the live region of a run. Pure. */
import { ORDER, STANDINGS, type Standing } from "../view/standing.ts";
import type { Graph } from "../core/graph.ts";
import type { State } from "../core/state.ts";
import { clip, widthOf } from "./clip.ts";
import type { Painter, Style } from "./paint.ts";
import { chooseRows, treeRows, type TreeRow } from "./tree-rows.ts";
import { oneLine } from "./verdict-text.ts";
import { isWaiting, workNote, type NotedWork } from "./work-note.ts";

const STYLES: Readonly<Record<Standing | "group", Style>> = {
  running: "blue",
  ready: "bold",
  waiting: "dim",
  resolved: "green",
  failed: "red",
  not_selected: "dim",
  split: "magenta",
  group: "cyan",
};

/** The mark of a row in its colour. @param mark in place of its own */
function markOf(standing: TreeRow["standing"], paint: Painter, mark?: string): string {
  return paint(STYLES[standing], mark ?? (standing === "group" ? "⎇" : STANDINGS[standing].mark));
}

/** What the marks mean, for those that occur. */
export function legend(standings: ReadonlySet<TreeRow["standing"]>, paint: Painter): string {
  const parts = ORDER.filter((standing) => standings.has(standing)).map((standing) => STANDINGS[standing]);
  return paint("dim", parts.map(({ mark, words }) => `${mark} ${words}`).join("   "));
}

/** In place of the mark of an atom running whose agent is waited for, or was cut off. */
export const WAITING = "◌";

export interface Tree {
  readonly lines: readonly string[];
  readonly standings: ReadonlySet<TreeRow["standing"]>;
}

export interface TreeSize {
  /** Width of the screen: a description makes space for the note behind it. */
  readonly columns: number;
  /** Lines at most: what is running is always among them, the rest is counted. */
  readonly rows: number;
  /** What is known of an atom running beside its row. */
  readonly work?: (atom: string) => (NotedWork & { readonly now: number }) | undefined;
  /** Nobody is running: what is in progress was cut off. */
  readonly cut_off?: boolean;
}

/** @param ready indices of the executable atoms */
export function graphTree(
  { state, graph, ready }: { readonly state: State; readonly graph: Graph; readonly ready: readonly number[] },
  paint: Painter,
  { columns, rows: most, work, cut_off = false }: TreeSize = { columns: Infinity, rows: Infinity },
): Tree {
  const rows = treeRows(state, graph, ready);
  const shown = rowsWithin(rows, most);
  const lines = shown.rows.map((row) => {
    const look = { columns, connected: shown.more === null };
    const known = row.standing === "running" ? work?.(row.name) : undefined;
    if (known === undefined && cut_off && row.standing === "running")
      return treeLine(row, paint, { ...look, mark: WAITING, note: { text: "cut off", style: "yellow" } });
    if (known === undefined) return treeLine(row, paint, look);
    const mark = isWaiting(known.wait, known.now) ? { mark: WAITING } : {};
    return treeLine(row, paint, { ...look, ...mark, note: workNote(known, known.now) });
  });
  const more = shown.more === null ? [] : [paint("dim", clip(shown.more, columns))];
  const standings = rows.map(({ standing }) => standing).filter((standing) => !cut_off || standing !== "running");
  return { lines: [...lines, ...more], standings: new Set(standings) };
}

/** The rows for so many lines; `more`: the line about those that are left out, null: none are. */
export function rowsWithin<T extends Pick<TreeRow, "standing" | "above">>(
  rows: readonly T[],
  most: number,
): { readonly rows: readonly T[]; readonly more: string | null } {
  if (rows.length <= most) return { rows, more: null };
  const { shown, left } = chooseRows(rows, most - 1);
  const counts = [...left].map(
    ([standing, count]) => `${count} ${standing === "group" ? "groups" : STANDINGS[standing].words}`,
  );
  const sum = rows.length - shown.length;
  return {
    rows: shown.flatMap((index) => rows[index] ?? []),
    more: `... ${sum} more${left.size > 1 ? `: ${counts.join(", ")}` : ` ${counts.join("").replace(/^\d+ /, "")}`}`,
  };
}

/** A description is never made shorter than this for the sake of the screen. */
const LEAST_DESCRIPTION = 16;
const MOST_DESCRIPTION = 80;
/** A note takes half of the row at most, if that is not less than this. */
const LEAST_NOTE = 24;
/** Narrower than this there is no space for lines between parents and children. */
const CONNECTED_FROM = 60;

export interface LineLook {
  readonly columns: number;
  /** Its neighbours are there, too: lines lead to them. */
  readonly connected: boolean;
  /** In place of its own: a spinner. */
  readonly mark?: string;
  /** In place of its own. */
  readonly note?: { readonly text: string; readonly style: Style };
}

/** One row as a line: branch, mark, name, description, note. */
export function treeLine(row: TreeRow, paint: Painter, look: LineLook): string {
  const branch = branchOf(row.lasts, look.connected && look.columns >= CONNECTED_FROM);
  const name = oneLine(row.name);
  const words = oneLine(row.description, MOST_DESCRIPTION);
  const front = widthOf(branch) + 2 + widthOf(name) + 2;
  const given = look.note ?? { text: row.note, style: "dim" as const };
  const beside = look.columns - front - widthOf(words) - 2;
  const note = { ...given, text: clip(given.text, Math.max(LEAST_NOTE, Math.floor(look.columns / 2), beside)) };
  const left = look.columns - front - (note.text === "" ? 0 : 2 + widthOf(note.text));
  const shown = clip(words, Math.max(LEAST_DESCRIPTION, Math.min(MOST_DESCRIPTION, left)));
  const behind = note.text === "" ? "" : paint(note.style, `  ${note.text}`);
  const lead = branch === "" ? "" : paint("dim", branch);
  const mark = markOf(row.standing, paint, look.mark);
  if (row.standing === "group") return `${lead}${mark} ${paint(STYLES.group, name)}${behind}`;
  const text = shown === "" ? name : `${name}  ${shown}`;
  const faded = row.standing === "not_selected" || row.standing === "failed" || row.standing === "resolved";
  return `${lead}${mark} ${faded ? paint("dim", text) : text}${behind}`;
}

function branchOf(lasts: readonly boolean[], connected: boolean): string {
  const inner = lasts.slice(1);
  if (!connected) return "  ".repeat(inner.length);
  return inner
    .map((last, depth) => (depth < inner.length - 1 ? (last ? "   " : "│  ") : last ? "└─ " : "├─ "))
    .join("");
}
