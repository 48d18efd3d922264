/**
 * One session read entry by entry: what the agent did, and where the person, git or its own failures say that it was not
 * wanted (SPEC section 12).
 *
 * ANALYZE-SESSION-1 memory is bounded: MOST_CALLS calls and MOST_EDITS edits are remembered, their texts shortened;
 * ANALYZE-SESSION-2 a call is the subject of one occurrence of a kind, however often it is reported.
 */
import { clip } from "./clip.ts";
import type { Entry } from "./read/entry.ts";
import { misuseOf } from "./failures.ts";
import { isApology } from "./languages.ts";
import { pastCallOf, type PastCall, type Position } from "./past-call.ts";
import { undoneByEdit, undoneByGit } from "./reverts.ts";
import type { Speech } from "./speech.ts";
import { NO_TIE, type Tie } from "./tie.ts";
import { hearMessage, type HeardMessage } from "./verdict.ts";
import { baseName } from "./command-pieces.ts";

export type FindingKind = "correction" | "frustration" | "revert" | "repeated";

export interface Quote {
  readonly text: string;
  readonly at: Position;
}

/** One time that something was not wanted. */
export interface Occurrence {
  readonly kind: FindingKind;
  readonly call: PastCall;
  /** 0 to 1. */
  readonly score: number;
  readonly quote: Quote;
  readonly by: "person" | "agent" | "tool";
  /** What the person's words name of it; empty for the others. */
  readonly tie: Tie;
  /** It holds for more than this one call, so that a rule makes sense. */
  readonly lasting: boolean;
  /** Of `repeated`: what makes two failures the same, and what of the command is at fault. */
  readonly misuse: { readonly key: string; readonly word: string } | null;
}

/** What is found from here on is reported. Less sure: it may become so by what the agent answers. */
export const THRESHOLD = 0.5;
const MOST_CALLS = 40;
const MOST_EDITS = 200;
/** Calls that a message can be about. */
const RECENT_CALLS = 15;
const APOLOGY = 0.4;
const DONE_OVER = 0.38;
const GIT_BY_PERSON = 0.7;
const GIT_BY_AGENT = 0.55;
const TAKEN_OUT = 0.6;
const MISUSED = 0.6;
/** Words are never surer than this. */
const SUREST = 0.98;
/** Characters. */
const LONGEST_QUOTE = 300;
/** Characters. Who writes more than that gives an order, and an apology is for something else. */
const SHORT_REMARK = 300;

interface Pending {
  readonly heard: HeardMessage;
  readonly at: Position;
  bonus: number;
}

/** What is remembered of a session (ANALYZE-SESSION-1). */
interface Past {
  readonly calls: PastCall[];
  readonly edits: PastCall[];
  /**
   * Calls that were reported already (ANALYZE-SESSION-2): for what a person or git says against them, and for their own
   * failure.
   */
  readonly reported: WeakSet<PastCall>;
  readonly misused: WeakSet<PastCall>;
  /** How often the person spoke. */
  turn: number;
  /** What they said last, its beginning. */
  last: string;
  /** They stopped the agent since. */
  interrupted: boolean;
  /** The end of what the agent said last, since the person spoke. */
  reply: string;
  /** A message that is reported when the agent has answered it. */
  pending: Pending | null;
  /** Refused without a word, since the person spoke. */
  refused: PastCall | null;
  readonly onOccurrence: (occurrence: Occurrence) => void;
}

export interface Session {
  /** @param at where the entry stands; @param cwd the session's folder then */
  take(entry: Entry, at: Position, cwd: string): void;
  end(): void;
}

/** @param onOccurrence called when it is sure, which may be some entries later */
export function createSession(onOccurrence: (occurrence: Occurrence) => void): Session {
  const past: Past = {
    calls: [],
    edits: [],
    reported: new WeakSet(),
    misused: new WeakSet(),
    turn: 0,
    last: "",
    interrupted: false,
    reply: "",
    pending: null,
    refused: null,
    onOccurrence,
  };
  return { take: (entry, at, cwd) => take(past, entry, at, cwd), end: () => settle(past) };
}

function take(past: Past, entry: Entry, at: Position, cwd: string): void {
  switch (entry.kind) {
    case "message":
      hear(past, entry.text, at, null);
      past.refused = null;
      past.interrupted = false;
      past.last = clip(entry.text, LONGEST_QUOTE);
      past.turn++;
      return;
    case "reply":
      if (past.pending !== null && isShort(past.pending.heard.speech) && isApology(entry.text))
        past.pending.bonus += APOLOGY;
      past.reply = clip(entry.text.slice(-LONGEST_QUOTE), LONGEST_QUOTE);
      return;
    case "interrupt":
      past.interrupted = true;
      return;
    case "shell":
      return undo(
        past,
        undoneByGit(entry.command, applied(past)),
        { text: entry.command, at },
        { by: "person", score: GIT_BY_PERSON },
      );
    case "call":
      return act(past, pastCallOf(entry, at, cwd, past.turn));
    case "result":
      return answer(past, entry, at);
  }
}

function hear(past: Past, text: string, at: Position, reasonFor: PastCall | null): void {
  settle(past);
  const { calls, turn, refused } = past;
  const recent = calls.filter((call) => call.turn >= turn - 1).slice(-RECENT_CALLS);
  const candidates = (reasonFor === null ? recent : [reasonFor]).reverse();
  const heard = hearMessage(text, {
    calls: candidates,
    turn,
    asked: /[?？]\s*$/u.test(past.reply),
    refusal: reasonFor !== null ? "reason" : refused !== null && refused === candidates[0] ? "before" : null,
    interrupted: past.interrupted,
    last: past.last,
  });
  if (heard !== null) past.pending = { heard, at, bonus: 0 };
  past.reply = "";
}

function settle(past: Past): void {
  if (past.pending === null) return;
  const { heard, at, bonus } = past.pending;
  past.pending = null;
  const { kind, call, tie, lasting, score, sentence } = heard.verdict;
  const quote = { text: shortened(sentence.quote), at };
  tell(past, { kind, call, tie, lasting, quote, by: "person", misuse: null, score: Math.min(SUREST, score + bonus) });
}

function act(past: Past, call: PastCall): void {
  if (past.pending !== null && isDoneOver(past.pending.heard, call)) past.pending.bonus += DONE_OVER;
  settle(past);
  const { at } = call;
  if (call.event === "file") {
    const earlier = applied(past).filter((edit) => edit.turn < past.turn);
    const text = `${call.tool} ${call.path} takes the edit out again`;
    undo(past, undoneByEdit(call, earlier), { text, at }, { by: "agent", score: TAKEN_OUT });
    remember(past.edits, call, MOST_EDITS);
  }
  if (call.event === "bash")
    undo(
      past,
      undoneByGit(call.command, applied(past)),
      { text: call.command, at },
      { by: "agent", score: GIT_BY_AGENT },
    );
  remember(past.calls, call, MOST_CALLS);
}

function answer(past: Past, entry: Extract<Entry, { kind: "result" }>, at: Position): void {
  const call = past.calls.findLast(({ id }) => id === entry.id);
  if (call === undefined) return;
  call.outcome = entry.outcome;
  // What is said to a plan or a question is an answer.
  if (entry.outcome === "refused" && !/^(?:ExitPlanMode|AskUserQuestion)$/.test(call.tool)) {
    if (entry.said === "") past.refused = call;
    else hear(past, entry.said, at, call);
  }
  const misuse = entry.outcome === "failed" ? misuseOf(call, entry.text) : null;
  if (misuse === null) return;
  const quote = { text: shortened(misuse.quote), at };
  tell(past, { kind: "repeated", call, score: MISUSED, quote, by: "tool", tie: NO_TIE, lasting: true, misuse });
}

function undo(
  past: Past,
  edit: PastCall | null,
  { text, at }: Quote,
  { by, score }: { readonly by: "person" | "agent"; readonly score: number },
): void {
  if (edit === null) return;
  tell(past, {
    kind: "revert",
    call: edit,
    score,
    quote: { text: shortened(text), at },
    by,
    lasting: false,
    tie: NO_TIE,
    misuse: null,
  });
}

function tell(past: Past, occurrence: Occurrence): void {
  const known = occurrence.kind === "repeated" ? past.misused : past.reported;
  if (occurrence.score < THRESHOLD || known.has(occurrence.call)) return;
  known.add(occurrence.call);
  past.onOccurrence(occurrence);
}

/** Edits that took place, as far as is known. */
function applied({ edits }: Past): readonly PastCall[] {
  return edits.filter(({ outcome }) => outcome === "done" || outcome === "open");
}

function remember(calls: PastCall[], call: PastCall, most: number): void {
  calls.push(call);
  if (calls.length > most) calls.shift();
}

function isShort(speech: Speech): boolean {
  return speech.sentences.reduce((sum, { text }) => sum + text.length, 0) <= SHORT_REMARK;
}

/** The agent runs the same thing again by a program that the person named. */
function isDoneOver({ verdict, speech }: HeardMessage, call: PastCall): boolean {
  const [first, again] = [verdict.call.pieces[0], call.pieces[0]];
  const [program, another] = [first?.words[0] ?? "", again?.words[0] ?? ""].map(baseName);
  if (first === undefined || again === undefined || program === another) return false;
  if (another === undefined || !speech.mentions.has(another)) return false;
  const rest = first.words.slice(1);
  return rest.length > 0 && rest.filter((word) => again.words.includes(word)).length * 2 >= rest.length;
}

function shortened(text: string): string {
  return text.length > LONGEST_QUOTE ? `${clip(text, LONGEST_QUOTE - 1)}…` : clip(text, LONGEST_QUOTE);
}
