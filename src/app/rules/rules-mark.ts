/**
 * The mark: what the hooks' quick front has to know of a folder's rules, in one line: `1 NUMBER EVENTS`. NUMBER is how
 * many rule files there were, EVENTS the kinds of event that a rule could fire on, between commas.
 *
 * It is no copy of the rules but a superset of what they could do, and it is dated: the front takes it for true only if
 * there are as many files as it says and it is younger than each of them and than their folder. Its date is the moment
 * before the files were looked at, and two seconds earlier, so that a file that was changed meanwhile, on a file system
 * that counts whole seconds too, is younger.
 */
import { utimesSync } from "node:fs";
import { writeFileAtomicSync } from "../../host/atomic-write.ts";
import { isAboutResult } from "../../rules/match.ts";
import type { Rule } from "../../rules/rule.ts";
import type { RuleFile } from "./rules-file.ts";

/** `post`: after a tool's call. `bad`: there is a file to be named when a session starts. */
export type MarkedEvent = "bash" | "file" | "read" | "other" | "post" | "stop" | "prompt" | "bad";

const MARGIN_MS = 2000;
const TOOL_EVENTS = ["bash", "file", "read", "other"] as const;

/** @param asked when the files were begun to be looked at, milliseconds */
export function writeMark(mark: string, files: readonly RuleFile[], asked: number): void {
  const events = new Set(files.flatMap(({ rule }) => (rule === null ? ["bad" as const] : eventsOf(rule))));
  const written = writeFileAtomicSync(mark, `1 ${files.length} ,${[...events].sort().join(",")},\n`, {
    durable: false,
  });
  if (!written.ok) return;
  const date = (asked - MARGIN_MS) / 1000;
  utimesSync(mark, date, date);
}

function eventsOf(rule: Rule): readonly MarkedEvent[] {
  if (!rule.enabled) return [];
  const events = rule.events.flatMap((event): readonly MarkedEvent[] =>
    event === "all" ? [...TOOL_EVENTS, "stop", "prompt"] : [event],
  );
  return isAboutResult(rule) ? [...events.filter((event) => event === "stop" || event === "prompt"), "post"] : events;
}
