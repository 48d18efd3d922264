/**
 * What went wrong in past sessions, and the rules that would have stopped it (SPEC section 12). Reads every transcript twice:
 * for the findings, and to try the rules that they propose. Writes nothing.
 *
 * ANALYZE-1 no rule is proposed that would have caught more calls that nobody complained about than bad ones.
 */
import type { Result } from "../core/problem.ts";
import { ruleText, type WantedRule } from "./edit.ts";
import { readRule } from "./match/read-rule.ts";
import type { Rule } from "./match/rule.ts";
import { confidenceOf, createFindings, type Finding, type Findings, type Replay } from "./analyze/findings.ts";
import type { Proposal } from "./analyze/proposal.ts";
import type { Position } from "./analyze/past-call.ts";
import {
  createSession,
  type DoubtfulMessage,
  type Occurrence,
  type OnDoubtful,
  type Session,
} from "./analyze/session.ts";
import type { Turn } from "./analyze/turn.ts";
import { replayFiles, type Catch } from "./replay.ts";
import { findTranscripts, type TranscriptChoice, type TranscriptFile } from "./replay-sources.ts";
import { noCounts, readTranscript, type ReadCounts } from "./replay-stream.ts";

export interface AnalyzedFinding {
  readonly finding: Finding;
  /** The rule as a file, and what became of the past calls with it; null: there is none. */
  readonly proposed: {
    readonly proposal: Proposal;
    readonly text: string;
    readonly replay: Replay;
    /** Of those caught that nobody complained about, the first ones. */
    readonly harmless: readonly Catch[];
  } | null;
  /** 0 to 1. */
  readonly confidence: number;
}

export interface Analysis {
  readonly counts: ReadCounts;
  /** The most severe and surest first. */
  readonly findings: readonly AnalyzedFinding[];
  /** What the person's messages were, the first MOST_TURNS. */
  readonly turns: readonly { readonly turn: Turn; readonly at: Position }[];
  /** Occurrences that found no space. */
  readonly left_out: number;
}

const MOST_TURNS = 20_000;
/** Messages that an agent is asked about. */
const MOST_DOUBTFUL = 240;
/** Harmless catches that are informed of each rule. */
const EXAMPLES = 3;

/** Who judges the doubtful messages, the newest last. @returns what of them is a finding */
export type Judge = (messages: readonly DoubtfulMessage[]) => Promise<Result<readonly Occurrence[]>>;

/** @param signal ends it early: only what was found until then is reported */
export async function analyzeTranscripts(
  choice: TranscriptChoice,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  signal?: AbortSignal,
  judge?: Judge,
): Promise<Result<Analysis>> {
  const files = findTranscripts(choice, place.cwd, place.env);
  if (!files.ok) return files;
  const doubtful = judge === undefined ? undefined : createDoubtful();
  const found = await findingsIn(files.value, signal, doubtful?.add);
  const judged = await judge?.(doubtful?.messages ?? []);
  if (judged?.ok === false) return judged;
  for (const occurrence of [...(judged?.value ?? []), ...(doubtful?.unasked ?? [])]) found.findings.add(occurrence);
  return { ok: true, value: await analysisOf(found, files.value, signal) };
}

/** The same for transcripts that are at hand; memory is bounded, however long they are. */
export async function analyzeFiles(files: readonly TranscriptFile[], signal?: AbortSignal): Promise<Analysis> {
  return await analysisOf(await findingsIn(files, signal, undefined), files, signal);
}

async function analysisOf(
  { counts, findings, turns }: Found,
  files: readonly TranscriptFile[],
  signal: AbortSignal | undefined,
): Promise<Analysis> {
  const { left_out } = findings;
  return { counts, turns, left_out, findings: await withReplays(findings.list(), files, signal) };
}

/** The newest MOST_DOUBTFUL; of older ones what their words alone make of them. */
function createDoubtful(): {
  readonly add: OnDoubtful;
  readonly messages: readonly DoubtfulMessage[];
  readonly unasked: readonly Occurrence[];
} {
  const messages: DoubtfulMessage[] = [];
  const unasked: Occurrence[] = [];
  const add: OnDoubtful = (message) => {
    messages.push(message);
    if (messages.length <= MOST_DOUBTFUL) return;
    const plain = messages.findIndex(({ occurrence }) => occurrence === null);
    const [{ occurrence } = message] = messages.splice(Math.max(plain, 0), 1);
    if (occurrence !== null) unasked.push(occurrence);
  };
  return { add, messages, unasked };
}

interface Found extends Pick<Analysis, "counts" | "turns"> {
  readonly findings: Findings;
}

async function findingsIn(
  files: readonly TranscriptFile[],
  signal: AbortSignal | undefined,
  onDoubtful: OnDoubtful | undefined,
): Promise<Found> {
  const counts = noCounts();
  const findings = createFindings();
  const turns: { readonly turn: Turn; readonly at: Position }[] = [];
  const onTurn = (turn: Turn, at: Position): void => {
    if (turns.length < MOST_TURNS) turns.push({ turn, at });
  };
  for (const file of files) {
    if (signal?.aborted === true) break;
    await analyzeFile(file, counts, createSession(findings.add, onTurn, onDoubtful), signal);
  }
  return { counts, findings, turns };
}

async function analyzeFile(
  file: TranscriptFile,
  counts: ReadCounts,
  session: Session,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const entries of readTranscript(file, counts)) {
    for (const { entry, at, cwd, sidechain } of entries) if (!sidechain) session.take(entry, at, cwd);
    if (signal?.aborted === true) break;
  }
  session.end();
}

async function withReplays(
  findings: readonly Finding[],
  files: readonly TranscriptFile[],
  signal: AbortSignal | undefined,
): Promise<readonly AnalyzedFinding[]> {
  const trials = findings.map((finding) => ({
    finding,
    made: finding.rule === null || finding.doubtful ? null : triable(finding.rule),
    caught: 0,
    others: 0,
    harmless: [] as Catch[],
  }));
  const byRule = new Map(trials.flatMap((trial) => (trial.made === null ? [] : [[trial.made.rule, trial] as const])));
  const tried = await replayFiles([...byRule.keys()], files, {
    counts: noCounts(),
    signal,
    onCatch: (rule, caught) => {
      const trial = byRule.get(rule);
      if (trial === undefined) return;
      if (trial.finding.calls.has(caught.call)) trial.caught++;
      else if (trial.others++ < EXAMPLES) trial.harmless.push(caught);
    },
  });
  return trials.map(({ finding, made, caught, others, harmless }) => {
    const replay = { tried, caught, harmless: others };
    const confidence = confidenceOf(finding, replay);
    // ANALYZE-1
    if (finding.rule === null || made === null || others > caught) return { finding, proposed: null, confidence };
    return { finding, proposed: { proposal: finding.rule, text: made.text, replay, harmless }, confidence };
  });
}

/** The proposed rule as it is written, and as it can be tried; null: the engine cannot take its pattern. */
function triable(proposal: Proposal): { readonly text: string; readonly rule: Rule } | null {
  const text = ruleText(wantedRule(proposal, false));
  if (!text.ok) return null;
  const read = readRule(text.value, `hookify.${proposal.name}.local.md`);
  return read.ok ? { text: text.value, rule: read.value.rule } : null;
}

/** The proposal as `ruleText` and `writeNewRule` take it. */
export function wantedRule({ name, event, conditions, action, message }: Proposal, shadow: boolean): WantedRule {
  const operator = "regex_match";
  return {
    name,
    event,
    pattern: "",
    conditions: conditions.map((one) => ({ ...one, operator })),
    action,
    shadow,
    message,
  };
}
