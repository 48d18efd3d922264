/**
 * What a person corrected in past sessions, and the rules that would have stopped it (SPEC section 12). An agent reads, code
 * checks: it drops what was read before, counts the readings, builds the rules and tries them on the past. Writes nothing.
 *
 * ANALYZE-1 a rule is proposed only if it catches a call that it was made for, or any where none was named, and not more than one
 *    in WIDE of all others;
 * ANALYZE-2 a message is asked about once, though resumed sessions repeat their history;
 * ANALYZE-3 without an agent only calls that the person refused, with words, are findings.
 */
import type { Result } from "../core/problem.ts";
import { ruleText, type WantedRule } from "./edit.ts";
import { readRule } from "./match/read-rule.ts";
import type { Rule, RuleEvent } from "./match/rule.ts";
import type { Asked } from "./ask-turns.ts";
import { findingsOf, type Agreed, type Finding } from "./analyze/findings.ts";
import type { PastCall } from "./analyze/past-call.ts";
import type { When } from "./analyze/turn-questions.ts";
import { createSession, type LeftOut, type Session, type Turn } from "./analyze/session.ts";
import { createSeen, replayFiles, type Catch } from "./replay.ts";
import { findTranscripts, type TranscriptChoice, type TranscriptFile } from "./replay-sources.ts";
import { noCounts, readTranscript, type ReadCounts } from "./replay-stream.ts";

/** A rule as it would be written, and what it would have caught. */
export interface Proposed {
  readonly rule: WantedRule;
  readonly text: string;
  readonly replay: {
    /** All calls, prompts and stops. */
    readonly tried: number;
    /** Of those that the finding is about. */
    readonly caught: number;
    /** Others, of which nobody complained. */
    readonly harmless: number;
  };
  /** The first of these. */
  readonly harmless: readonly Catch[];
}

export interface AnalyzedFinding {
  readonly finding: Finding;
  /** Null: there is no rule, or it stands in words. */
  readonly proposed: Proposed | null;
}

/** What became of the person's messages. */
export interface Messages extends Record<LeftOut, number> {
  again: number;
  /** Before the newest MOST_ASKED. */
  older: number;
  asked: number;
}

export interface Analysis {
  readonly counts: ReadCounts;
  readonly messages: Readonly<Messages>;
  /** The most severe first. */
  readonly findings: readonly AnalyzedFinding[];
  /** Messages on which an agent's readings differ. */
  readonly differing: number;
}

/** Messages that an agent is asked about. */
const MOST_ASKED = 120;
/** Harmless catches that are told of each rule. */
const EXAMPLES = 3;
/** Of what nobody complained about a rule may catch one in so many; a few it always may. */
const WIDE = 20;
const FEW = 3;
/** Tools of the clients that show a plan or ask the person: who refuses them answers. */
const ASKING = /(?:^|__)(?:ExitPlanMode|AskUserQuestion|ask_user|question|request_user_input)$/;

/** Who reads the messages, oldest first. */
export type Judge = (turns: readonly Turn[]) => Promise<Result<Asked>>;

/** @param signal ends it early: only what was found until then is reported. @param judge absent: ANALYZE-3 */
export async function analyzeTranscripts(
  choice: TranscriptChoice,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  signal?: AbortSignal,
  judge?: Judge,
): Promise<Result<Analysis>> {
  const files = findTranscripts(choice, place.cwd, place.env);
  return files.ok ? await analyzeFiles(files.value, signal, judge) : files;
}

/** The same for transcripts that are at hand; memory is bounded, however long they are. */
export async function analyzeFiles(
  files: readonly TranscriptFile[],
  signal?: AbortSignal,
  judge?: Judge,
): Promise<Result<Analysis>> {
  const { counts, messages, turns, refusals } = await turnsIn(files, signal);
  const asked = judge === undefined || turns.length === 0 ? null : await judge(turns);
  if (asked?.ok === false) return asked;
  const agreed = judge === undefined ? refusals : (asked?.value.agreed ?? []);
  if (judge === undefined) Object.assign(messages, { asked: 0, older: 0 });
  const findings = await withReplays(findingsOf(agreed), files, signal);
  return { ok: true, value: { counts, messages, findings, differing: asked?.value.differing ?? 0 } };
}

interface Found {
  readonly counts: ReadCounts;
  readonly messages: Messages;
  /** The newest. */
  readonly turns: readonly Turn[];
  readonly refusals: readonly Agreed[];
}

async function turnsIn(files: readonly TranscriptFile[], signal: AbortSignal | undefined): Promise<Found> {
  const counts = noCounts();
  const messages = { again: 0, older: 0, asked: 0, approvals: 0, pasted: 0, without_calls: 0 };
  const turns: Turn[] = [];
  const refusals: Agreed[] = [];
  const seen = createSeen();
  const onTurn = (turn: Turn): void => {
    // ANALYZE-2
    if (seen.has(`${lastCallOf(turn)} ${turn.text}`)) return void messages.again++;
    const { refused: call, text: quote } = turn;
    if (call !== null && !ASKING.test(call.tool)) refusals.push({ turn, quote, call, readings: [] });
    if (refusals.length > MOST_ASKED) refusals.shift();
    messages.asked = Math.min(turns.push(turn), MOST_ASKED);
    if (turns.length <= MOST_ASKED) return;
    turns.shift();
    messages.older++;
  };
  for (const file of files) {
    if (signal?.aborted === true) break;
    const session = createSession(onTurn, (why) => messages[why]++);
    await readInto(session, readTranscript(file, counts), signal);
  }
  return { counts, messages, turns, refusals };
}

async function readInto(
  session: Session,
  transcript: ReturnType<typeof readTranscript>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const entries of transcript) {
    for (const { entry, at, cwd, sidechain } of entries) if (!sidechain) session.take(entry, at, cwd);
    if (signal?.aborted === true) break;
  }
}

function lastCallOf({ lead, moments }: Turn): string {
  const last = [...lead, ...moments].findLast(({ kind }) => kind === "call");
  return last?.kind === "call" ? last.call.id : "";
}

async function withReplays(
  findings: readonly Finding[],
  files: readonly TranscriptFile[],
  signal: AbortSignal | undefined,
): Promise<readonly AnalyzedFinding[]> {
  const trials = findings.flatMap((finding) => {
    const calls = new Set(finding.quotes.flatMap(({ call }) => call?.id ?? []));
    return finding.patterns.flatMap((when) => {
      const made = triable(finding, when);
      return made === null ? [] : [{ finding, calls, ...made, caught: 0, others: 0, harmless: [] as Catch[] }];
    });
  });
  const byRule = new Map(trials.map((trial) => [trial.tried, trial]));
  const onCatch = (rule: Rule, caught: Catch): void => {
    const trial = byRule.get(rule);
    if (trial === undefined) return;
    if (trial.calls.has(caught.call)) trial.caught++;
    else if (trial.others++ < EXAMPLES) trial.harmless.push(caught);
  };
  const rules = [...byRule.keys()];
  const tried = rules.length === 0 ? 0 : await replayFiles(rules, files, { counts: noCounts(), signal, onCatch });
  return findings.map((finding) => {
    // ANALYZE-1
    const [best] = trials
      .filter((one) => one.finding === finding && (one.calls.size === 0 ? one.others : one.caught) > 0)
      .filter(({ others }) => others <= FEW || others * WIDE <= tried)
      .toSorted((one, other) => other.caught - one.caught || one.others - other.others);
    if (best === undefined) return { finding, proposed: null };
    const { rule, text, caught, others, harmless } = best;
    return { finding, proposed: { rule, text, replay: { tried, caught, harmless: others }, harmless } };
  });
}

/** The rule as it would be written, and as it can be tried; null: there is none, or its pattern is none. */
function triable(
  { rule, call, quotes }: Finding,
  when: readonly When[],
): { readonly rule: WantedRule; readonly text: string; readonly tried: Rule } | null {
  if (rule === null) return null;
  const { name, words } = rule;
  const event = eventOf(call, when);
  // A rule on all tools is one on the tool of the call.
  const tool =
    event !== "all" || call === null || when.some(({ field }) => field === "tool_name")
      ? []
      : [{ field: "tool_name", pattern: `^${call.tool}$` }];
  const wanted: WantedRule = {
    name,
    event,
    pattern: "",
    conditions: [...tool, ...when].map((one) => ({ ...one, operator: "regex_match" })),
    action: "warn",
    shadow: false,
    message: `${words} The user said: "${(quotes[0]?.text ?? "").replaceAll(/\s+/g, " ")}"`,
  };
  const text = ruleText(wanted);
  if (!text.ok) return null;
  const read = readRule(text.value, `hookify.${name}.local.md`);
  return read.ok ? { rule: wanted, text: text.value, tried: read.value.rule } : null;
}

function eventOf(call: PastCall | null, when: readonly When[]): RuleEvent {
  if (call !== null) return call.event === "other" ? "all" : call.event;
  if (when.some(({ field }) => field === "command")) return "bash";
  return when.some(({ field }) => /_text$|^file_path$/.test(field)) ? "file" : "all";
}
