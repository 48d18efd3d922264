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
import { agrees, isApology } from "./languages.ts";
import { pastCallOf, type PastCall, type Position } from "./past-call.ts";
import { takesOut, undoneByEdit, undoneByGit } from "./reverts.ts";
import type { Speech } from "./speech.ts";
import { NO_TIE, type Tie } from "./tie.ts";
import type { Turn } from "./turn.ts";
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

/** Words of which code cannot tell whether they correct one of these calls: a question for an agent's votes. */
export interface DoubtfulMessage {
  readonly text: string;
  readonly at: Position;
  /** The end of what the agent had said. */
  readonly reply: string;
  /** Newest first. */
  readonly calls: readonly PastCall[];
  /** What the words make of it without a vote; null: nothing. */
  readonly occurrence: Occurrence | null;
}

/** What is found from here on is reported. Less sure: it may become so by what the agent answers. */
export const THRESHOLD = 0.5;
/** From here on words are taken for a correction; less sure ones are shown apart. */
export const SURE = 0.85;
const MOST_CALLS = 40;
const MOST_EDITS = 200;
/** Calls that a message can be about. */
const RECENT_CALLS = 15;
/** Of them, those that an agent is asked about: what only looked is left out where anything else was done. */
const ASKED_CALLS = 5;
const APOLOGY = 0.4;
/** The agent says that the person is right. */
const AGREED = 0.2;
const DONE_OVER = 0.38;
/** The next edit takes out again what the last ones brought in. */
const UNDONE = 0.1;
/** Of a refused call: it is made in another form. */
const CHANGED = 0.12;
const GIT_BY_PERSON = 0.9;
const GIT_BY_AGENT = 0.55;
const TAKEN_OUT = 0.6;
const MISUSED = 0.6;
/** How a reply ends that wants an answer. */
const ASKED =
  /[?？][^?？.]{0,80}$|\b(?:let me know|say (?:so|the word|go)|tell me|your (?:call|answers?|choice|go)|give me a go|waiting (?:for|on) you\w*|want me to|should i|shall i|which (?:one|do you))\b[^\n]{0,160}$/iu;
/** Tools of the clients that show a plan or ask the person. */
const ASKING = /(?:^|__)(?:ExitPlanMode|AskUserQuestion|ask_user|question|request_user_input)$/;
/** Words are never surer than this. */
const SUREST = 0.98;
/** Characters. */
const LONGEST_QUOTE = 300;
/** Characters of a message that an agent is asked about. */
const LONGEST_MESSAGE = 1_000;
/** Characters. Who writes more than that gives an order, and an apology is for something else. */
const SHORT_REMARK = 300;

/** What the agent's answer to a message says of it, each once. */
type Echo = "apology" | "agreed" | "done_over" | "undone" | "changed";
const ECHOES: Readonly<Record<Echo, number>> = {
  apology: APOLOGY,
  agreed: AGREED,
  done_over: DONE_OVER,
  undone: UNDONE,
  changed: CHANGED,
};

interface Pending {
  readonly heard: HeardMessage;
  readonly message: Omit<DoubtfulMessage, "occurrence">;
  /** What it is if it is no finding. */
  readonly turn: Turn;
  readonly echoes: Set<Echo>;
  /** The agent has called a tool since. */
  acted: boolean;
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
  /** The agent's last call was a plan or a question to them: what they say next is an answer. */
  asking: boolean;
  /** The end of what the agent said last, since the person spoke. */
  reply: string;
  /** A message that is reported when the agent has answered it. */
  pending: Pending | null;
  /** Refused without a word, since the person spoke. */
  refused: PastCall | null;
  readonly onOccurrence: (occurrence: Occurrence) => void;
  readonly onTurn: OnTurn;
  readonly onDoubtful: OnDoubtful | undefined;
}

export type OnTurn = (turn: Turn, at: Position) => void;
export type OnDoubtful = (message: DoubtfulMessage) => void;

export interface Session {
  /** @param at where the entry stands; @param cwd the session's folder then */
  take(entry: Entry, at: Position, cwd: string): void;
  end(): void;
}

/**
 * @param onOccurrence and @param onTurn called when it is sure, which may be some entries later
 * @param onDoubtful gets what is not sure in place of `onOccurrence`
 */
export function createSession(
  onOccurrence: (occurrence: Occurrence) => void,
  onTurn: OnTurn = () => undefined,
  onDoubtful?: OnDoubtful,
): Session {
  const past: Past = {
    calls: [],
    edits: [],
    reported: new WeakSet(),
    misused: new WeakSet(),
    turn: 0,
    last: "",
    interrupted: false,
    asking: false,
    reply: "",
    pending: null,
    refused: null,
    onOccurrence,
    onTurn,
    onDoubtful,
  };
  return { take: (entry, at, cwd) => take(past, entry, at, cwd), end: () => settle(past) };
}

function take(past: Past, entry: Entry, at: Position, cwd: string): void {
  switch (entry.kind) {
    case "message":
      hear(past, entry.text, at, null);
      past.refused = null;
      past.interrupted = false;
      past.asking = false;
      past.last = clip(entry.text, LONGEST_QUOTE);
      past.turn++;
      return;
    case "reply":
      if (past.pending?.acted === false) hearReply(past.pending, entry.text);
      past.reply = clip(entry.text.slice(-LONGEST_QUOTE), LONGEST_QUOTE);
      return;
    case "interrupt":
      past.interrupted = !past.asking;
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
  const { turn: kind, heard } = hearMessage(text, {
    calls: candidates,
    turn,
    asked: past.asking || ASKED.test(past.reply),
    refusal: reasonFor !== null ? "reason" : refused !== null && refused === candidates[0] ? "before" : null,
    interrupted: past.interrupted,
    last: past.last,
    reply: past.reply,
  });
  const changing = candidates.filter(({ changes, outcome }) => changes || outcome === "refused");
  const asked = (changing.length > 0 ? changing : candidates).slice(0, ASKED_CALLS);
  const message = { text: clip(text, LONGEST_MESSAGE), at, reply: past.reply, calls: asked };
  if (heard !== null) past.pending = { heard, message, turn: kind, echoes: new Set(), acted: false };
  else {
    past.onTurn(kind, at);
    doubt(past, kind, { ...message, occurrence: null });
  }
  past.reply = "";
}

function hearReply({ heard, echoes }: Pending, reply: string): void {
  if (!isShort(heard.speech)) return;
  if (isApology(reply)) echoes.add("apology");
  else if (agrees(reply)) echoes.add("agreed");
}

function settle(past: Past): void {
  if (past.pending === null) return;
  const { heard, message, turn, echoes } = past.pending;
  const { at } = message;
  past.pending = null;
  const { kind, call, tie, lasting, score, sentence } = heard.verdict;
  const quote = { text: shortened(sentence.quote), at };
  const bonus = [...echoes].reduce((sum, echo) => sum + (heard.remark ? ECHOES[echo] : 0), 0);
  const sure = Math.min(SUREST, score + bonus);
  past.onTurn(sure < THRESHOLD ? turn : kind, at);
  const occurrence: Occurrence = { kind, call, tie, lasting, quote, by: "person", misuse: null, score: sure };
  if (past.onDoubtful === undefined || sure >= SURE) tell(past, occurrence);
  else doubt(past, turn, { ...message, occurrence: sure < THRESHOLD ? null : occurrence });
}

/** An approval and a paste are no question for anybody. */
function doubt({ onDoubtful }: Past, turn: Turn, message: DoubtfulMessage): void {
  if (message.calls.length > 0 && turn !== "approval" && turn !== "pasted") onDoubtful?.(message);
}

function act(past: Past, call: PastCall): void {
  past.asking = ASKING.test(call.tool);
  if (past.asking) return;
  if (past.pending !== null && seeCall(past, past.pending, call) === "repeated") {
    past.onTurn(past.pending.turn, past.pending.message.at);
    past.pending = null;
  }
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

/** What the agent does after a message; `repeated`: the very call that was refused, so that it was about the moment. */
function seeCall(past: Past, pending: Pending, call: PastCall): "repeated" | null {
  const { heard, echoes } = pending;
  const { call: about } = heard.verdict;
  pending.acted = true;
  if (isDoneOver(heard, call)) echoes.add("done_over");
  if (about.outcome === "refused" && call.tool === about.tool) {
    if (isSame(call, about)) return "repeated";
    if (call.event === "file" && call.path === about.path) echoes.add("changed");
  }
  if (applied(past).some((edit) => edit.turn === past.turn - 1 && takesOut(call, edit))) echoes.add("undone");
  return null;
}

function isSame(one: PastCall, other: PastCall): boolean {
  const said = ({ command, path, before, after }: PastCall): string => JSON.stringify([command, path, before, after]);
  return one.event !== "other" && said(one) === said(other);
}

function answer(past: Past, entry: Extract<Entry, { kind: "result" }>, at: Position): void {
  const call = past.calls.findLast(({ id }) => id === entry.id);
  if (call === undefined) return;
  call.outcome = entry.outcome;
  if (entry.outcome === "refused") {
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
  // What a person says of it goes before what the agent does about it.
  settle(past);
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
