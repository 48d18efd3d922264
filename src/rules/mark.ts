/**
 * The mark: what the hooks' quick front has to know of a folder's rules, in one line: `4 NUMBER STAMP EVENTS`. NUMBER is how
 * many rule files there were, STAMP names the cache in which they stand as they were then (`load.ts`), EVENTS the
 * kinds of event that a rule could fire on, between commas.
 *
 * It is no copy of the rules but a superset of what they could do, and it is dated: the front takes it for true only if
 * there are as many files as it says and it is younger than each of them and than their folder. Its date is one second
 * behind the youngest of them, so that a clock that was wrong for a while makes it no younger than it must be; and no later
 * than two seconds before the files were looked at, so that a file that was changed meanwhile, on a file system that counts
 * whole seconds too, is younger. A file that takes an older date with it (`cp -p`) is seen when a session begins. It has its
 * date from the moment on that it is there: whoever writes it may die or hang at any other.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeOwnFolder, writeOwnFile } from "../host/own-file.ts";
import { isAboutResult } from "./match/match.ts";
import type { Rule } from "./match/rule.ts";
import { toolEvent, type ToolEvent } from "./match/subject.ts";
import type { Kept, RuleFile } from "./file.ts";

/** `after_bash`: when the call of such a tool is over. */
export type MarkedEvent = ToolEvent | `after_${ToolEvent}` | "stop" | "prompt";

const MARGIN_MS = 2000;
const BEHIND_MS = 1000;
const TOOL_EVENTS: readonly ToolEvent[] = ["bash", "file", "read", "other"];

export interface Look {
  /** When the files were begun to be looked at, milliseconds. */
  readonly asked: number;
  /** Date of the youngest of them and their folder, milliseconds. */
  readonly youngest: number;
  /** Of the cache that says what was found. */
  readonly stamp: string;
}

/** A folder that nobody commits. */
export function makeRulesFolder(dir: string): void {
  if (existsSync(dir)) return makeOwnFolder(dir);
  makeOwnFolder(dir);
  writeOwnFile(join(dir, ".gitignore"), "*\n");
}

/** Keeps what was read, for `load.ts`. @returns its stamp; null: it could not be written */
export function writeCache(path: string, kept: readonly (readonly [string, Kept])[]): string | null {
  const body = JSON.stringify(kept);
  const stamp = createHash("sha256").update(body).digest("hex").slice(0, 32);
  return writeOwnFile(path, `aot-rules 9 ${stamp} ${body.length}\n${body}`, { durable: false }).ok ? stamp : null;
}

export function writeMark(mark: string, files: readonly RuleFile[], { asked, youngest, stamp }: Look): void {
  const events = new Set(files.flatMap(({ rule }) => (rule === null ? [] : markedEvents(rule))));
  const line = `4 ${files.length} ${stamp} ,${[...events].sort().join(",")},\n`;
  const date = new Date(Math.min(asked - MARGIN_MS, youngest + BEHIND_MS));
  writeOwnFile(mark, line, { durable: false, date });
}

/** What a rule could fire on; none: it is disabled, or about tools that its events do not have. */
export function markedEvents(rule: Rule): readonly MarkedEvent[] {
  if (!rule.enabled) return [];
  const events = new Set(rule.events.flatMap((event) => (event === "all" ? EVERY_EVENT : [event])));
  // A rule that is narrowed to tools is for no prompt and no stop.
  const narrowed = rule.tools === null || rule.tools.includes("*") ? null : new Set<string>(rule.tools.map(toolEvent));
  const about = isAboutResult(rule);
  return [...events].flatMap((event): readonly MarkedEvent[] => {
    if (narrowed !== null && !narrowed.has(event)) return [];
    if (event === "stop" || event === "prompt") return [event];
    return [about ? `after_${event}` : event];
  });
}

const EVERY_EVENT = [...TOOL_EVENTS, "stop", "prompt"] as const;
