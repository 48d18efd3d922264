/**
 * One session read entry by entry: what the agent said and did before each message of the person (SPEC section 12).
 *
 * ANALYZE-SESSION-1 memory is bounded: a turn holds at most MOST_CALLS calls and what was said between them, shortened;
 * ANALYZE-SESSION-2 plain approvals, pasted text and what comes before any call are told, and are no turn.
 */
import { bothEnds } from "./clip.ts";
import type { Entry } from "./read/entry.ts";
import { PASTED } from "./speech.ts";
import { pastCallOf, type PastCall, type Position } from "./past-call.ts";

/** What happened, as far as it is shown. */
export type Moment =
  | { readonly kind: "call"; readonly call: PastCall }
  /** Words of the agent's, or of a person's message that nobody is asked about. */
  | { readonly kind: "agent" | "person"; readonly text: string }
  | { readonly kind: "stopped" };

/** A person's message that may be about a call. */
export interface Turn {
  readonly text: string;
  readonly at: Position;
  /** Its number among the turns of its file. */
  readonly number: number;
  /** Since the message before, oldest first. */
  readonly moments: readonly Moment[];
  /** Before that. Turns of a session that follow each other show it already. */
  readonly lead: readonly Moment[];
  /** The call that the person refused: with these words as the reason, or right before them. */
  readonly refused: PastCall | null;
}

export type LeftOut = "approvals" | "pasted" | "without_calls";

export interface Session {
  /** @param at where the entry stands; @param cwd the session's folder then */
  take(entry: Entry, at: Position, cwd: string): void;
}

/** Calls that a message can be about. */
const MOST_CALLS = 12;
const MOST_MOMENTS = 3 * MOST_CALLS;
/** Characters of the words of a person, and of an agent: their beginning and their end. */
const LONGEST_MESSAGE = 1_200;
const LONGEST_REPLY = 500;

export function createSession(onTurn: (turn: Turn) => void, onLeftOut: (why: LeftOut) => void): Session {
  let lead: Moment[] = [];
  let moments: Moment[] = [];
  let refused: PastCall | null = null;
  let number = 0;
  const calls = (): readonly PastCall[] =>
    [...lead, ...moments].flatMap((one) => (one.kind === "call" ? one.call : []));
  const keep = (moment: Moment): void => {
    moments.push(moment);
    while (moments.length > MOST_MOMENTS || callsIn(moments) > MOST_CALLS)
      moments.splice(Math.max(0, moments.slice(0, -1).findIndex(isRead)), 1);
    while (lead.length > 0 && (callsIn(lead) + callsIn(moments) > MOST_CALLS || lead.length > MOST_MOMENTS))
      lead.shift();
  };
  const hear = (text: string, at: Position, reasonFor: PastCall | null): void => {
    const said = { kind: "person", text: bothEnds(text, LONGEST_MESSAGE) } as const;
    const about = reasonFor ?? refused;
    refused = null;
    const why = calls().length === 0 ? "without_calls" : isPasted(text) ? "pasted" : null;
    const left = why ?? (APPROVAL.test(text.trim()) ? "approvals" : null);
    if (left === null) onTurn({ text: said.text, at, number: number++, moments, lead: [...lead], refused: about });
    else onLeftOut(left);
    lead = [...lead, ...moments, left === "pasted" ? { ...said, text: bothEnds(text, 160) } : said];
    moments = [];
  };
  return {
    take(entry, at, cwd) {
      switch (entry.kind) {
        case "message":
          return hear(entry.text, at, null);
        case "reply":
          return entry.text.trim() === ""
            ? undefined
            : keep({ kind: "agent", text: bothEnds(entry.text, LONGEST_REPLY) });
        case "interrupt":
          return keep({ kind: "stopped" });
        case "shell":
          return keep({ kind: "person", text: `! ${bothEnds(entry.command, LONGEST_REPLY)}` });
        case "call":
          refused = null;
          return keep({ kind: "call", call: pastCallOf(entry, at, cwd) });
        case "result": {
          const call = calls().findLast(({ id }) => id === entry.id);
          if (call === undefined) return;
          call.outcome = entry.outcome;
          if (entry.outcome === "refused" && entry.said !== "") return hear(entry.said, at, call);
          if (entry.outcome === "refused") refused = call;
        }
      }
    },
  };
}

/** Least often what a person objects to: let go of first. */
function isRead(moment: Moment): boolean {
  return moment.kind === "call" && moment.call.event === "read";
}

function callsIn(moments: readonly Moment[]): number {
  return moments.filter(({ kind }) => kind === "call").length;
}

/** A yes of few words. In another language it is asked about, which costs little. */
const APPROVAL =
  /^(?:(?:y|yes|yep|yeah|ok(?:ay)?|sure|please|thanks?(?: you)?|great|good|nice|perfect|lgtm|continue|proceed|go(?: on| ahead)?|do it|commit(?: it)?|push(?: it)?|next|\d+)[\s,.!]*){1,5}$/iu;
/** Characters. Who pastes less says something about it. */
const PASTE = 400;
/** Of a text: with less of a person's own words than this it is a paste. */
const OWN = 0.2;
/** Characters. */
const LONGEST_READ = 16_384;
const FENCED = /^\s*(?:```|~~~)[^]*?^\s*(?:```|~~~)/gmu;
function isPasted(whole: string): boolean {
  const text = whole.slice(0, LONGEST_READ);
  const lines = text.replaceAll(FENCED, "").split("\n");
  const own = lines
    .filter((line) => !PASTED.test(line))
    .join("\n")
    .trim();
  if (own === "") return true;
  return text.length > PASTE && (own.length < text.length * OWN || /^\s*(?:[#<{[]|---)/u.test(text));
}
