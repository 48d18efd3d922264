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
import { rulePaths, type RuleFolder } from "./place.ts";

/** `tried`: it would have been enforced, but it is in shadow. */
export type FiredAs = "warned" | "blocked" | "tried" | "let_go";

export interface Firing {
  readonly time: string;
  readonly rule: string;
  readonly as: FiredAs;
  readonly event: string;
  readonly tool?: string;
  readonly session?: string;
  /** The client's name for the tool call. */
  readonly call?: string;
}

export interface FiredCount {
  readonly times: number;
  /** Of them while in shadow. */
  readonly tried: number;
  readonly last: string;
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
    const { times, tried } = counts.get(firing.rule) ?? { times: 0, tried: 0 };
    counts.set(firing.rule, {
      times: times + 1,
      tried: tried + (firing.as === "tried" ? 1 : 0),
      last: firing.time,
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
