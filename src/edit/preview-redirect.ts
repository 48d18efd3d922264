/** What a redirect would change and end, before it is made (SPEC section 8). */
import { ownerOf } from "../adapters/store/owner.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { applyRedirect } from "../core/apply-redirect.ts";
import { formatDuration } from "../core/fuel.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { Redirect } from "../core/redirect.ts";
import type { FieldChange, State } from "../core/state.ts";
import { isoNow } from "../host/clock.ts";
import { spentBefore } from "./redirect-loop.ts";
import { journalFiles } from "../history/follow.ts";
import { journalOf } from "../history/loop-log.ts";
import { createStory, type AttemptPart } from "../history/run-story.ts";

export interface RedirectPreview {
  readonly before: State;
  readonly changes: readonly FieldChange[];
  /** Attempts of a run here that it ends. */
  readonly ended: readonly AttemptPart[];
}

/** Tries the redirect on the state file; nothing is written. */
export async function previewRedirect(stateFile: string, redirect: Redirect): Promise<Result<RedirectPreview>> {
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const { state } = read.value;
  const tried = applyRedirect(state, redirect, isoNow(), await spentBefore(stateFile, redirect));
  const isWorked = runnerOf(stateFile) !== null;
  // While a run works the loop its file may be a little behind: the run decides.
  if (!tried.ok)
    return isWorked || ownerOf(state) !== null ? accepted({ before: state, changes: [], ended: [] }) : tried;
  const { touched, state: after } = tried.value;
  const { changes = [] } = after.corrections.at(-1) ?? {};
  if (touched.atoms.length === 0 || !isWorked) return accepted({ before: state, changes, ended: [] });
  const working = await attemptsAtWork(stateFile);
  return accepted({ before: state, changes, ended: working.filter(({ atom }) => touched.atoms.includes(atom)) });
}

async function attemptsAtWork(stateFile: string): Promise<readonly AttemptPart[]> {
  const source = journalFiles(journalOf(stateFile));
  const story = createStory("newest_run");
  try {
    for await (const batch of source.read(true)) for (const line of batch.lines) story.read(line);
  } finally {
    source.close();
  }
  return story.now().working;
}

/** @param now milliseconds since 1970 */
export function endedLines(ended: readonly AttemptPart[], now: number): readonly string[] {
  return ended.map(({ attempt, agent, from, cost_usd, tokens }) => {
    const cost = cost_usd === null ? [] : [`$${cost_usd.toFixed(2)}`];
    const used = tokens === 0 ? [] : [`${tokens} tokens`];
    const spent = [formatDuration(Math.max(0, now - from)), ...cost, ...used].join(", ");
    return `${attempt}${agent === "" ? "" : ` (${agent})`}, running for ${spent}`;
  });
}

const LONGEST_VALUE = 160;
/** Characters of the common beginning that are shown before the difference. */
const SHARED = 60;

/** One line a field: `- old`, `+ new`. What is too long is shown from where it differs. */
export function changeLines(changes: readonly FieldChange[]): readonly string[] {
  return changes.flatMap(({ field, old, new: value }) => {
    const [from, to] = [old, value].map((text) => text?.replace(/\s+/g, " "));
    const isLong = Math.max(from?.length ?? 0, to?.length ?? 0) > LONGEST_VALUE;
    const start = isLong && from !== undefined && to !== undefined ? Math.max(0, sharedLength(from, to) - SHARED) : 0;
    const short = (text: string): string => {
      const end = start + LONGEST_VALUE;
      return `${start > 0 ? "... " : ""}${text.slice(start, end)}${text.length > end ? " ..." : ""}`;
    };
    return [
      field,
      ...(from === undefined ? [] : [`  - ${short(from)}`]),
      ...(to === undefined ? [] : [`  + ${short(to)}`]),
    ];
  });
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
