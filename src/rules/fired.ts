/**
 * How often each rule fired (SPEC section 12): one line each time, beside the rules, for `aot rules list`.
 *
 * FIRED-1 a rule fires once on a tool call, however many hooks were asked about it: a worker of `aot run` is asked by the
 *    run's own hooks and by those of an installed plugin.
 */
import { closeSync, lstatSync, renameSync, writeSync } from "node:fs";
import { openToAppend } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";
import { makeRulesFolder } from "./mark.ts";
import { WHOLE, type Subject } from "./match/subject.ts";
import { rulePaths, type RuleFolder } from "./place.ts";

/** `tried`: it would have been enforced, but it is in shadow. `overruled`: a person switched it off after it had fired. */
export type FiredAs = "warned" | "blocked" | "tried" | "let_go" | "overruled";

export interface Firing {
  readonly time: string;
  readonly rule: string;
  readonly as: FiredAs;
  readonly event: string;
  readonly tool?: string;
  readonly session?: string;
  /** The client's name for the tool call. */
  readonly call?: string;
  /** What it was, in one short line. */
  readonly what?: string;
}

export interface FiredCount {
  readonly times: number;
  /** Of them while in shadow. */
  readonly tried: number;
  readonly last: string;
  /** How often a person did not let it hold: a stop that was let go, a rule that was switched off after it had fired. */
  readonly overruled: number;
  /** What it caught last, the newest first. */
  readonly caught: readonly { readonly time: string; readonly what: string }[];
}

/** Characters, and how many are known of each rule. */
const LONGEST_WHAT = 120;
const MOST_CAUGHT = 3;

/** An action as its firing tells it: the command, the path, or the first words. */
export function caughtText({ valuesOf }: Subject): string {
  const [text = ""] = valuesOf("command") ?? valuesOf("file_path") ?? valuesOf(WHOLE) ?? [];
  const line = text
    .slice(0, 4 * LONGEST_WHAT)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > LONGEST_WHAT ? `${line.slice(0, LONGEST_WHAT - 1)}…` : line;
}

/** Then a new file is begun; the one before it is kept, those before that are not. */
const LONGEST = 512 * 1024;

/** Never fails: a rule holds whether or not it is counted. */
export function recordFirings(folder: RuleFolder, firings: readonly Firing[]): void {
  if (firings.length === 0) return;
  const { dir, fired } = rulePaths(folder);
  try {
    makeRulesFolder(dir);
    if ((lstatSync(fired, { throwIfNoEntry: false })?.size ?? 0) > LONGEST) renameSync(fired, olderOf(fired));
    const file = openToAppend(fired);
    writeSync(file, firings.map((firing) => `${JSON.stringify(firing)}\n`).join(""));
    closeSync(file);
  } catch {
    // A folder that cannot be written.
  }
}

/** By the rule's name; `since`: the time of the oldest that is still known. */
export function countFirings(folder: RuleFolder): {
  readonly since: string | null;
  readonly counts: ReadonlyMap<string, FiredCount>;
} {
  const { fired } = rulePaths(folder);
  const counts = new Map<string, FiredCount>();
  const calls = new Set<string>();
  let since: string | null = null;
  for (const line of [olderOf(fired), fired].flatMap(linesOf)) {
    const firing = readLine(line);
    if (firing === null) continue;
    if (firing.call !== undefined) {
      const once = JSON.stringify([firing.rule, firing.session, firing.call]);
      // FIRED-1
      if (calls.has(once)) continue;
      calls.add(once);
    }
    since ??= firing.time;
    const known = counts.get(firing.rule) ?? { times: 0, tried: 0, last: firing.time, overruled: 0, caught: [] };
    const fired = firing.as !== "overruled";
    const { time, what = "" } = firing;
    counts.set(firing.rule, {
      times: known.times + (fired ? 1 : 0),
      tried: known.tried + (firing.as === "tried" ? 1 : 0),
      last: fired ? time : known.last,
      overruled: known.overruled + (firing.as === "let_go" || !fired ? 1 : 0),
      caught: what === "" ? known.caught : [{ time, what }, ...known.caught].slice(0, MOST_CAUGHT),
    });
  }
  return { since, counts };
}

function olderOf(fired: string): string {
  return fired.replace(/\.jsonl$/, ".older.jsonl");
}

function linesOf(file: string): readonly string[] {
  return (readOwnFile(file) ?? "").split("\n");
}

function readLine(line: string): Firing | null {
  try {
    const value = JSON.parse(line) as Partial<Firing> | null;
    return typeof value?.rule === "string" && typeof value.time === "string" ? (value as Firing) : null;
  } catch {
    // Half a line.
    return null;
  }
}
