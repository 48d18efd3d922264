/**
 * The live region of a run as rows: the work graph with what is running in it, who waits for what, how far it is. Pure.
 *
 * RUN-ROWS-1 what is running is always shown, whatever else there is no space for;
 * RUN-ROWS-2 no row is wider than the screen, and there are fewer than the screen has.
 */
import { progressOf, resolvedShare, resolvedWords, type Progress } from "../view/standing.ts";
import type { AttemptPart, RunStory } from "../history/run-story.ts";
import { formatDuration, limitsOf, type Limits } from "../core/fuel.ts";
import { idAt } from "../core/graph.ts";
import { at } from "../core/vec.ts";
import { clip, fitting } from "./clip.ts";
import { costWords } from "../view/words.ts";
import { checkRunWords, lastTime } from "./event-text.ts";
import { rowsWithin, treeLine, WAITING } from "./graph-tree.ts";
import type { Snapshot } from "./loop-snapshot.ts";
import type { Painter } from "./paint.ts";
import { NARROW_BAR, progressBar, WIDE_BAR } from "./progress-bar.ts";
import type { Screen } from "./screen.ts";
import { treeRows, type TreeRow } from "./tree-rows.ts";
import { oneLine } from "./verdict-text.ts";
import { isWaiting, seconds, waitText, workNote, type WorkNote } from "./work-note.ts";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** The rest is for the lines above it. */
const SHARE_OF_SCREEN = 2 / 3;
const LEAST_ROWS = 6;
/** The summary below the tree. */
const SUMMARY_ROWS = 2;

export interface Look {
  /** Counts the redraws: the spinner turns by it. */
  readonly turn: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly screen: Screen;
  readonly paint: Painter;
}

/** @param snapshot null: the state file was not read yet */
export function runRows(story: RunStory, snapshot: Snapshot | null, look: Look): readonly string[] {
  const { columns, rows } = look.screen;
  const most = Math.min(rows - 2, Math.max(LEAST_ROWS, Math.floor(rows * SHARE_OF_SCREEN)));
  const reported = [...backgroundRows(story, look), ...summaryRows(story, snapshot, look)].slice(0, Math.max(1, most));
  const tree = treeOf(story, snapshot, look, Math.max(0, most - reported.length));
  return [...tree, ...reported].slice(-Math.max(1, most)).map((row) => clip(row, columns - 1));
}

type LiveRow = TreeRow & { readonly work?: AttemptPart };

/** RUN-ROWS-1. */
function treeOf(story: RunStory, snapshot: Snapshot | null, look: Look, most: number): readonly string[] {
  const live = liveRows(story, snapshot);
  const isOpen = live.some(({ standing }) => standing !== "resolved");
  if (!isOpen || most === 0) return [];
  const shown = rowsWithin(live, most);
  const columns = look.screen.columns - 1;
  const lines = shown.rows.map((row) => {
    const { work } = row;
    const connected = shown.more === null;
    if (work === undefined) return treeLine(row, look.paint, { columns, connected });
    const mark = isWaiting(work.wait, look.now) ? WAITING : spinnerOf(look);
    return treeLine(row, look.paint, { columns, connected, mark, note: noteOf(work, look) });
  });
  return [...lines, ...(shown.more === null ? [] : [look.paint("dim", shown.more)])];
}

/** The region is drawn several times a second, the file read seldom. */
const known = new WeakMap<Snapshot, readonly TreeRow[]>();

function rowsOf(snapshot: Snapshot): readonly TreeRow[] {
  const rows = known.get(snapshot) ?? treeRows(snapshot.state, snapshot.graph, snapshot.ready);
  known.set(snapshot, rows);
  return rows;
}

/** The journal is ahead of the file: what it says is running is, also what the file does not know yet. */
function liveRows({ working, newest: { resolved } }: RunStory, snapshot: Snapshot | null): readonly LiveRow[] {
  const works = new Map(working.map((work) => [work.atom, work]));
  const rows = snapshot === null ? [] : rowsOf(snapshot);
  const live = rows.map((row): LiveRow => {
    const work = row.standing === "group" ? undefined : works.get(row.name);
    if (work === undefined) {
      if (row.standing !== "running") return row;
      return { ...row, standing: resolved.has(row.name) ? "resolved" : "ready" };
    }
    works.delete(row.name);
    return { ...row, standing: "running", work };
  });
  const unknown = [...works.values()].map((work): LiveRow => {
    return { lasts: [true], above: -1, name: work.atom, description: "", note: "", standing: "running", work };
  });
  return [...live, ...unknown];
}

function noteOf(work: AttemptPart, { now }: Look): WorkNote {
  if (work.end === null) return workNote(work, now);
  return { text: `${seconds(now - work.from)} integrating`, style: "dim" };
}

/** What goes on beside the attempts. */
function backgroundRows({ working, newest, measures }: RunStory, look: Look): readonly string[] {
  const { checking, waiting, base_case, redirecting, stopping } = newest;
  const { paint } = look;
  const rows = [...waiting].flatMap(([who, wait]) =>
    isWaiting(wait, look.now) ? [paint("yellow", `${WAITING} ${oneLine(who)}  ${waitText(wait, look.now)}`)] : [],
  );
  if (redirecting)
    rows.push(paint("yellow", `${spinnerOf(look)} redirect  waits for work that is being integrated or taken out`));
  if (checking !== null) {
    const words = `${seconds(look.now - checking.from)}${lastTime(checking)}`;
    return [...rows, `${paint("blue", spinnerOf(look))} check  ${checkRunWords(checking)}  ${words}`];
  }
  if (working.length > 0 || stopping !== null) return rows;
  if (base_case === "failed") rows.push(`${paint("blue", spinnerOf(look))} base case  failed: more work is planned`);
  if (base_case === "not" && measures.at(-1)?.measure === 0)
    rows.push(`${paint("blue", spinnerOf(look))} base case  checked in a clean checkout`);
  return rows;
}

function summaryRows(story: RunStory, snapshot: Snapshot | null, look: Look): readonly string[] {
  const { columns } = look.screen;
  const { working, measures, newest } = story;
  const { stopping } = newest;
  const busy = working.filter(({ end }) => end === null).length;
  const width = columns >= 70 ? WIDE_BAR : columns >= 36 ? NARROW_BAR : 0;
  const done = snapshot === null ? null : doneIn(snapshot, story);
  const bar = done === null || width === 0 ? "" : `${progressBar(resolvedShare(done), width, look.paint)} `;
  const left = done?.left ?? measures.at(-1)?.measure ?? null;
  const first = [
    ...(done === null ? [] : [resolvedWords(done)]),
    ...(left === null ? [] : [`${left} left`]),
    `${busy} running`,
  ];
  const stop = working.length === 0 ? "stopping" : "stopping when these are done, Ctrl-C again kills them";
  const second = [...(stopping === null ? [] : [stop]), ...fuelParts(story, snapshot, look)];
  const room = columns - 1 - (width === 0 || done === null ? 0 : width + 1);
  return [
    `${bar}${look.paint("dim", fitting(first, room))}`,
    look.paint(stopping === null ? "dim" : "yellow", fitting(second, columns - 1)),
  ].slice(0, SUMMARY_ROWS);
}

/** The journal is ahead of the file: what it says is resolved is. */
function doneIn({ state, graph }: Snapshot, { measures, newest: { resolved: reported } }: RunStory): Progress {
  const isDone = (index: number): boolean =>
    reported.has(idAt(graph, index)) || at(state.atoms, index).status === "resolved";
  const { resolved, left } = progressOf(state, graph, isDone);
  return { resolved, left: measures.at(-1)?.measure ?? left };
}

function fuelParts(story: RunStory, snapshot: Snapshot | null, { now }: Look): readonly string[] {
  const { iteration, cost_usd, runs, newest } = story;
  const run = runs.at(-1);
  const limits: Limits | null =
    snapshot === null ? null : limitsOf(snapshot.state.objective.constraints, newest.settings ?? {});
  const of = (limit: number | undefined, show: (value: number) => string): string =>
    limit === undefined || !Number.isFinite(limit) ? "" : ` of ${show(limit)}`;
  return [
    `iteration ${iteration}${of(limits?.max_iterations, String)}`,
    ...(run === undefined
      ? []
      : [`${seconds(newest.earlier_ms + now - run.from)}${of(limits?.max_duration_ms, formatDuration)}`]),
    costWords(cost_usd, limits?.max_cost_usd),
  ];
}

function spinnerOf({ turn }: Look): string {
  return SPINNER[turn % SPINNER.length] ?? "";
}
