/**
 * One session read entry by entry: what the agent did, and where the person, git or its own failures say that it was not
 * wanted (SPEC section 12).
 *
 * N1 memory is bounded: MOST_CALLS calls and MOST_EDITS edits are remembered, their texts shortened;
 * N2 a call is the subject of one occurrence of a kind, however often it is told.
 */
import { clip } from "./clip.ts";
import type { Entry } from "./entry.ts";
import { misuseOf } from "./failures.ts";
import { INTRODUCTION, isApology, languagesOf } from "./languages.ts";
import { pastCallOf, type PastCall, type Position } from "./past-call.ts";
import { undoneByEdit, undoneByGit } from "./reverts.ts";
import { signalsOf } from "./signals.ts";
import { readSpeech, type Speech } from "./speech.ts";
import { NO_TIE, type Tie } from "./tie.ts";
import { remarkOn, verdictOn, type Situation, type Verdict } from "./verdict.ts";
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
  /** Who says so. */
  readonly by: "person" | "agent" | "tool";
  /** What the person's words name of it; empty for the others. */
  readonly tie: Tie;
  /** Of `repeated`: what makes two failures the same, and what of the command is at fault. */
  readonly misuse: { readonly key: string; readonly word: string } | null;
}

/** What is found from here on is told. Less sure: it may become so by what the agent answers. */
export const THRESHOLD = 0.5;
const MOST_CALLS = 40;
const MOST_EDITS = 200;
/** Calls that a message can be about. */
const IN_SIGHT = 15;
const APOLOGY = 0.4;
const DONE_OVER = 0.38;
const GIT_BY_PERSON = 0.7;
const GIT_BY_AGENT = 0.55;
const TAKEN_OUT = 0.6;
const MISUSED = 0.6;
/** Characters. */
const LONGEST_QUOTE = 300;
/** Characters. Who writes more than that gives an order, and an apology is for something else. */
const SHORT_REMARK = 300;

interface Pending {
  readonly verdict: Verdict;
  readonly quote: Quote;
  readonly speech: Speech;
  bonus: number;
}

export interface Session {
  /** @param at where the entry stands; @param cwd the session's folder then */
  take(entry: Entry, at: Position, cwd: string): void;
  /** Nothing more comes. */
  end(): void;
}

/** @param onOccurrence called when it is sure, which may be some entries later */
export function createSession(onOccurrence: (occurrence: Occurrence) => void): Session {
  const calls: PastCall[] = [];
  const edits: PastCall[] = [];
  const told = new Set<string>();
  let turn = 0;
  let lastReply = "";
  let pending: Pending | null = null;
  let refused: PastCall | null = null;

  const tell = (occurrence: Occurrence): void => {
    const key = `${occurrence.kind === "repeated" ? "repeated" : "said"} ${occurrence.call.id}`;
    if (occurrence.score < THRESHOLD || told.has(key)) return;
    told.add(key);
    onOccurrence(occurrence);
  };
  const settle = (): void => {
    if (pending === null) return;
    const { verdict, quote, bonus } = pending;
    pending = null;
    const { kind, call, tie, score } = verdict;
    tell({ kind, call, tie, quote, by: "person", misuse: null, score: Math.min(0.98, score + bonus) });
  };
  const undone = (edit: PastCall | null, text: string, at: Position, by: "person" | "agent", score: number): void => {
    if (edit !== null)
      tell({ kind: "revert", call: edit, score, quote: { text: shortened(text), at }, by, tie: NO_TIE, misuse: null });
  };

  const heard = (text: string, at: Position, refusal: PastCall | null): void => {
    settle();
    const speech = readSpeech(text, INTRODUCTION);
    const inSight = calls.filter((call) => call.turn >= turn - 1).slice(-IN_SIGHT);
    const candidates = (refusal === null ? inSight : [refusal]).reverse();
    const languages = languagesOf(speech.sentences.map((sentence) => sentence.text).join(" "));
    const situation: Situation = {
      calls: candidates,
      turn,
      asked: /[?？]\s*$/u.test(lastReply),
      refusal: refusal !== null ? "reason" : refused !== null && refused === candidates[0] ? "before" : null,
    };
    const said = verdictOn(speech, signalsOf(speech, languages), situation, languages);
    const remark = remarkOn(speech, situation, languages);
    const verdict = said !== null && said.score >= (remark?.score ?? 0) ? said : remark;
    if (verdict !== null)
      pending = { verdict, quote: { text: shortened(verdict.sentence.quote), at }, speech, bonus: 0 };
    lastReply = "";
  };

  const did = (call: PastCall): void => {
    if (pending !== null && isDoneOver(pending, call)) pending.bonus += DONE_OVER;
    settle();
    if (call.event === "file") {
      const out = undoneByEdit(
        call,
        edits.filter((edit) => edit.turn < turn),
      );
      undone(out, `${call.tool} ${call.path} takes the edit out again`, call.at, "agent", TAKEN_OUT);
      edits.push(call);
      if (edits.length > MOST_EDITS) edits.shift();
    } else if (call.event === "bash")
      undone(undoneByGit(call.command, edits), call.command, call.at, "agent", GIT_BY_AGENT);
    calls.push(call);
    if (calls.length > MOST_CALLS) calls.shift();
  };

  const answered = (entry: Extract<Entry, { kind: "result" }>, at: Position): void => {
    const call = calls.findLast(({ id }) => id === entry.id);
    if (call === undefined) return;
    call.outcome = entry.outcome;
    if (entry.outcome === "refused") {
      if (entry.said === "") refused = call;
      else heard(entry.said, at, call);
    }
    const misuse = entry.outcome === "failed" ? misuseOf(call, entry.text) : null;
    if (misuse !== null)
      tell({
        kind: "repeated",
        call,
        score: MISUSED,
        quote: { text: shortened(misuse.quote), at },
        by: "tool",
        tie: NO_TIE,
        misuse,
      });
  };

  return {
    take(entry, at, cwd) {
      switch (entry.kind) {
        case "message":
          heard(entry.text, at, null);
          refused = null;
          turn++;
          return;
        case "reply":
          if (pending !== null && isShort(pending.speech) && isApology(entry.text)) pending.bonus += APOLOGY;
          lastReply = clip(entry.text.slice(-LONGEST_QUOTE), LONGEST_QUOTE);
          return;
        case "shell":
          return undone(undoneByGit(entry.command, edits), entry.command, at, "person", GIT_BY_PERSON);
        case "call": {
          const call = pastCallOf(entry, at, cwd, turn);
          return call === null ? undefined : did(call);
        }
        case "result":
          return answered(entry, at);
      }
    },
    end: settle,
  };
}

function isShort(speech: Speech): boolean {
  return speech.sentences.reduce((sum, { text }) => sum + text.length, 0) <= SHORT_REMARK;
}

/** The agent runs the same thing again by a program that the person named. */
function isDoneOver({ verdict, speech }: Pending, call: PastCall): boolean {
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
