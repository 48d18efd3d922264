/**
 * Rules tried on what is past: which calls, prompts and stops each would have caught (SPEC section 12).
 *
 * REPLAY-1 nothing is written and no rule is enforced;
 * REPLAY-2 a call is tried once, though resumed sessions repeat their history;
 * REPLAY-3 memory is bounded, however long the transcripts are.
 */
import type { Result } from "../core/problem.ts";
import { isAboutResult, matchRules } from "./match/match.ts";
import type { Rule } from "./match/rule.ts";
import { promptSubject, stopSubject, toolSubject, type Subject } from "./match/subject.ts";
import type { Entry } from "./analyze/read/entry.ts";
import type { Position } from "./analyze/past-call.ts";
import { findTranscripts, type TranscriptChoice, type TranscriptFile } from "./replay-sources.ts";
import { noCounts, readTranscript, type PlacedEntry, type ReadCounts } from "./replay-stream.ts";

/** One past action that a rule would have caught. */
export interface Catch {
  readonly at: Position;
  /** Name of the tool; `prompt` or `stop`. */
  readonly tool: string;
  /** Id of the call; empty: it is none. */
  readonly call: string;
  /** What it was, in one line. */
  readonly text: string;
  /** False: it could not be decided in time, so that a rule that blocks would have blocked. */
  readonly decided: boolean;
}

export interface RuleReplay {
  readonly rule: Rule;
  readonly caught: number;
  /** The first ones. */
  readonly catches: readonly Catch[];
}

export interface Replayed {
  readonly counts: ReadCounts;
  /** Calls, prompts and stops that were tried. */
  readonly tried: number;
  readonly rules: readonly RuleReplay[];
}

/**
 * @param keep how many catches of each rule are reported
 * @param signal ends it early, with what was found until then
 */
export async function replayRules(
  rules: readonly Rule[],
  choice: TranscriptChoice,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  { keep, signal }: { readonly keep: number; readonly signal?: AbortSignal },
): Promise<Result<Replayed>> {
  const files = findTranscripts(choice, place.cwd, place.env);
  if (!files.ok) return files;
  const counts = noCounts();
  const found = rules.map((rule) => ({ rule, caught: 0, catches: [] as Catch[] }));
  const byRule = new Map(found.map((one) => [one.rule, one]));
  const tried = await replayFiles(rules, files.value, {
    counts,
    signal,
    onCatch: (rule, caught) => {
      const one = byRule.get(rule);
      if (one === undefined) return;
      one.caught++;
      if (one.catches.length < keep) one.catches.push(caught);
    },
  });
  return { ok: true, value: { counts, tried, rules: found } };
}

/**
 * @param onCatch called for each action that a rule matches, in the order of the files
 * @returns how many actions were tried
 */
export async function replayFiles(
  rules: readonly Rule[],
  files: readonly TranscriptFile[],
  {
    counts,
    signal,
    onCatch,
  }: {
    readonly counts: ReadCounts;
    readonly signal: AbortSignal | undefined;
    readonly onCatch: (rule: Rule, caught: Catch) => void;
  },
): Promise<number> {
  const tries = createTries(rules, onCatch);
  for (const file of files) {
    const session = tries.session();
    for await (const entries of readTranscript(file, counts)) {
      for (const placed of entries) await session.take(placed);
      if (signal?.aborted === true) return tries.count();
    }
    await session.end();
  }
  return tries.count();
}

/** Calls whose answer is awaited by a rule; a session has few at a time. */
const MOST_OPEN = 100;
/** Ids of calls that were seen; half of them are forgotten at a time. */
const MOST_SEEN = 200_000;

interface Tries {
  session(): { take(placed: PlacedEntry): Promise<void>; end(): Promise<void> };
  count(): number;
}

function createTries(rules: readonly Rule[], onCatch: (rule: Rule, caught: Catch) => void): Tries {
  const before = rules.filter((rule) => !isAboutResult(rule));
  const after = rules.filter(isAboutResult);
  const seen = createSeen();
  let count = 0;
  const attempt = async (tried: readonly Rule[], subject: Subject, action: Omit<Catch, "decided">): Promise<void> => {
    for (const { rule, decided } of await matchRules(tried, subject)) onCatch(rule, { ...action, decided });
  };
  const session = (): ReturnType<Tries["session"]> => {
    const open = new Map<string, { readonly call: Extract<Entry, { kind: "call" }>; readonly at: Position }>();
    let said: { readonly text: string; readonly at: Position } | null = null;
    const stopped = async (): Promise<void> => {
      if (said === null) return;
      const { text, at } = said;
      said = null;
      count++;
      await attempt(before, stopSubject(text), { at, tool: "stop", call: "", text: oneLine(text) });
    };
    return {
      async take({ entry, at, sidechain }) {
        if (entry.kind === "reply" && !sidechain) said = { text: entry.text, at };
        if (entry.kind === "message") {
          await stopped();
          count++;
          await attempt(before, promptSubject(entry.text), { at, tool: "prompt", call: "", text: oneLine(entry.text) });
        }
        if (entry.kind === "call" && !seen.has(entry.id)) {
          const { id, tool, input } = entry;
          count++;
          said = null;
          if (after.length > 0) open.set(id, { call: entry, at });
          if (open.size > MOST_OPEN) open.delete(open.keys().next().value ?? "");
          await attempt(before, toolSubject(tool, input), { at, tool, call: id, text: actionText(entry) });
        }
        const answered = entry.kind === "result" ? open.get(entry.id) : undefined;
        if (entry.kind === "result" && answered !== undefined) {
          const { call } = answered;
          open.delete(entry.id);
          const action = { at: answered.at, tool: call.tool, call: call.id, text: actionText(call) };
          await attempt(after, toolSubject(call.tool, call.input, entry.text), action);
        }
      },
      end: stopped,
    };
  };
  return { session, count: () => count };
}

/** Whether an id was seen before; it is now. Of very many the oldest are forgotten. */
export function createSeen(): { has(id: string): boolean } {
  let young = new Set<string>();
  let old = new Set<string>();
  return {
    has(id) {
      if (young.has(id) || old.has(id)) return true;
      young.add(id);
      if (young.size > MOST_SEEN / 2) {
        old = young;
        young = new Set();
      }
      return false;
    },
  };
}

function actionText({ input }: Extract<Entry, { kind: "call" }>): string {
  for (const field of ["command", "file_path", "notebook_path"]) {
    const value = input[field];
    if (typeof value === "string") return oneLine(value);
  }
  return oneLine(JSON.stringify(input));
}

function oneLine(text: string): string {
  const line = text.slice(0, 400).replaceAll(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
