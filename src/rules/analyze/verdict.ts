/**
 * Whether a message is about a call, and how sure that is: the signals of its words, weighed with what ties it to the call.
 *
 * ANALYZE-VERDICT-1 without words that correct nothing is a finding, unless the agent itself says sorry for, or does
 *    over, what the message names;
 * ANALYZE-VERDICT-2 a cue that any request can hold counts only about a call that its own sentence names.
 */
import type { Language, SignalKind } from "./language.ts";
import type { PastCall } from "./past-call.ts";
import { INTRODUCTION, languagesOf } from "./languages.ts";
import { readSpeech, type Sentence, type Speech } from "./speech.ts";
import { isTied, NO_TIE, tieOf, type Tie } from "./tie.ts";
import { turnKindOf, turnOf, type Turn, type TurnKind } from "./turn.ts";

export interface Verdict {
  readonly kind: SignalKind;
  /** The words hold for more than this one call: they forbid something or want another thing in its place. */
  readonly lasting: boolean;
  readonly call: PastCall;
  readonly tie: Tie;
  /** 0 to 1. */
  readonly score: number;
  readonly sentence: Sentence;
}

export interface Situation {
  /** Calls that it can be about, newest first. */
  readonly calls: readonly PastCall[];
  /** The person had spoken so often before. */
  readonly turn: number;
  /** The agent had just asked something. */
  readonly asked: boolean;
  /** The person refused the first of the calls: with this message as the reason, or right before it. */
  readonly refusal: "reason" | "before" | null;
  /** The person stopped the agent right before. */
  readonly interrupted: boolean;
  /** What the person said before; empty: nothing. */
  readonly last: string;
  /** The end of what the agent said last. */
  readonly reply: string;
}

/** With the kind of the message. */
type Heard = Situation & { readonly kind: TurnKind };

const REFUSED = 0.75;
const REFUSED_BEFORE = 0.35;
/** Of a refusal with "can't we ...": a wish or a question, which nobody but the person knows. */
const SUGGESTED = 0.5;
const SUGGESTS = /(?:^|[-–,;] )(?:\S+ )?(?:can|could|can't|couldn't) (?:we|you)\b|^let'?s\b/u;
/** The agent was stopped, and then the words came. */
const INTERRUPTED = 0.4;
/** Of a remark that names a call but corrects nothing in words. */
const REMARK = 0.15;
const TIED = 0.12;
/** Of words that name another tool in place of the one called: with any correction in words that is a sure finding. */
const SIBLING = 0.34;
/** Of words in a long message or behind praise: most of it is the next task. */
const TASK = 0.7;
const EARLIER_TURN = 0.6;
const ONLY_READ = 0.5;
const READ_AND_NAMED = 0.8;
/** Sentences. All of a message so short are about the same. */
const SHORT = 4;
/** Of each call that came after it. */
const OLDER = 0.97;
const ANSWERED = 0.3;
/** Of other words in an answer: most of them choose. */
const IN_ANSWER = 0.85;

export interface HeardMessage {
  readonly verdict: Verdict;
  /** No task, no question and no answer to one: what the agent does next tells how it took it. */
  readonly remark: boolean;
  readonly speech: Speech;
}

/** What a person's message is, and what it says of a call; null: nothing, and no answer of the agent's can change that. */
export function hearMessage(
  text: string,
  situation: Situation,
): { readonly turn: Turn; readonly heard: HeardMessage | null } {
  const speech = readSpeech(text, INTRODUCTION);
  const { refusal, asked, reply } = situation;
  // TURN-1
  const kind = turnKindOf(text, speech, situation.last);
  const turn = turnOf(kind, { text, speech, reply }, { asked, refused: refusal !== null });
  if (kind === "repeat" || kind === "approval" || (refusal !== null && kind === "step")) return { turn, heard: null };
  const languages = languagesOf(speech.sentences.map((sentence) => sentence.text).join(" "));
  const said = verdictOn(speech, signalsOf(speech, languages), { ...situation, kind }, languages);
  const named = remarkOn(speech, situation, languages);
  const verdict = said !== null && said.score >= (named?.score ?? 0) ? said : named;
  const remark = refusal !== null || (kind === "statement" && !asked);
  return { turn, heard: verdict === null ? null : { verdict, speech, remark } };
}

/** The call that the message is most likely about; null: it has no call to be about, or says nothing of one. */
function verdictOn(
  speech: Speech,
  signals: readonly Signal[],
  situation: Heard,
  languages: readonly Language[],
): Verdict | null {
  let best: Verdict | null = null;
  let age = 0;
  for (const call of situation.calls) {
    const verdict = about(call, { speech, signals }, situation, languages);
    const score = verdict === null ? 0 : verdict.score * OLDER ** age;
    // What only looked at the work comes between the words and what they are about.
    if (call.changes) age++;
    if (verdict !== null && score > (best?.score ?? 0)) best = { ...verdict, score };
  }
  return best;
}

function about(
  call: PastCall,
  { speech, signals }: { readonly speech: Speech; readonly signals: readonly Signal[] },
  situation: Heard,
  languages: readonly Language[],
): Verdict | null {
  const [first] = speech.sentences;
  if (first === undefined) return null;
  const ties = new Map(speech.sentences.map((sentence) => [sentence, tieOf(call, sentence, languages)]));
  const weighed = signals
    .map((signal) => ({ signal, weight: weightFor(signal, call, ties.get(signal.sentence), situation) }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  const [strongest] = weighed;
  const sentence = strongest?.signal.sentence ?? [...ties].find(([, tie]) => isTied(tie))?.[0] ?? first;
  const own = ties.get(sentence) ?? NO_TIE;
  const spoken = new Set(weighed.map(({ signal }) => signal.sentence));
  const short = speech.sentences.length <= SHORT;
  const tie = mergedTie([own, ...[...ties].filter(([other]) => short || spoken.has(other)).map(([, one]) => one)]);
  const refused =
    call === situation.calls[0]
      ? refusalOf(situation, strongest !== undefined, {
          asks: speech.sentences.some(({ question }) => question),
          suggests: speech.sentences.some(({ text }) => SUGGESTS.test(text)),
        })
      : 0;
  const said = 1 - [refused, ...kinds(weighed)].reduce((left, weight) => left * (1 - weight), 1);
  if (said === 0) return null;
  // Of a refusal that corrects nothing, the name of the refused call says no more than the refusal.
  const tied = tie.sibling !== null ? SIBLING : isTied(tie) && strongest !== undefined ? TIED : 0;
  const place = call.turn < situation.turn ? EARLIER_TURN : 1;
  // Who names what is wanted in its place means the program, whatever this call of it did.
  const meant = call.changes || refused > 0 || tie.sibling !== null;
  const read = meant ? 1 : isTied(tie) ? READ_AND_NAMED : ONLY_READ;
  return {
    kind: strongest?.signal.kind ?? "correction",
    lasting:
      strongest !== undefined &&
      strongest.signal.kind !== "revert" &&
      isTied(tie) &&
      isOrder(
        tie,
        weighed.map(({ signal }) => signal),
      ),
    call,
    tie,
    sentence,
    score: Math.min(1, said + tied) * place * read * (situation.kind === "task" && sentence !== first ? TASK : 1),
  };
}

/** Words that forbid a named thing or want another one in its place hold for the next time as well. */
function isOrder(tie: Tie, signals: readonly Signal[]): boolean {
  return tie.sibling !== null || signals.some(({ needs }) => needs !== "change");
}

/** What all of them name; the first that tells of another tool counts. */
function mergedTie(ties: readonly Tie[]): Tie {
  return {
    names: [...new Set(ties.flatMap(({ names }) => names))],
    sibling: ties.find(({ sibling }) => sibling !== null)?.sibling ?? null,
    concept: ties.some(({ concept }) => concept),
  };
}

/** A refusal with a question asks; it corrects only where its words do. */
function refusalOf(
  { refusal, interrupted, kind }: Heard,
  corrects: boolean,
  { asks, suggests }: { readonly asks: boolean; readonly suggests: boolean },
): number {
  if (refusal === null) return interrupted && corrects ? INTERRUPTED : 0;
  if (kind === "question" || asks) return corrects ? REFUSED_BEFORE : suggests ? SUGGESTED : 0;
  return corrects || (kind === "statement" && (refusal === "reason" || interrupted)) ? REFUSED : 0;
}

/** A short remark that names a call; alone it says nothing (ANALYZE-VERDICT-1). */
function remarkOn(speech: Speech, situation: Situation, languages: readonly Language[]): Verdict | null {
  for (const call of situation.calls)
    for (const sentence of speech.sentences) {
      const tie = tieOf(call, sentence, languages);
      if (!isTied(tie) || sentence.question || call.turn < situation.turn) continue;
      return { kind: "correction", lasting: true, call, tie, sentence, score: tie.sibling === null ? REMARK : SIBLING };
    }
  return null;
}

/** One weight for each sentence and kind: two patterns that see the same words are one witness. */
function kinds(weighed: readonly { readonly signal: Signal; readonly weight: number }[]): readonly number[] {
  const best = new Map<string, number>();
  for (const { signal, weight } of weighed) {
    const key = `${signal.kind} ${signal.sentence.quote}`;
    best.set(key, Math.max(best.get(key) ?? 0, weight));
  }
  return [...best.values()];
}

function weightFor(signal: Signal, call: PastCall, tie: Tie | undefined, situation: Situation): number {
  const tied = tie !== undefined && isTied(tie);
  // Who stops a call need not name it.
  const stopped = call === situation.calls[0] && (situation.interrupted || situation.refusal !== null);
  if (signal.needs === "subject" && !tied && !stopped) return 0;
  if (signal.needs === "change" && !call.changes) return 0;
  if (signal.kind === "revert" && call.event !== "file" && !call.changes) return 0;
  if (!situation.asked || tied || stopped) return signal.weight;
  return signal.weight * (signal.needs === "opening" ? ANSWERED : IN_ANSWER);
}

// What a message says about what the agent did: which cues it holds, and how much the words around them leave of each.

export interface Signal {
  readonly kind: SignalKind;
  /** 0 to 1, after dampers. */
  readonly weight: number;
  readonly needs: Language["cues"][number]["needs"];
  readonly sentence: Sentence;
}

/** Left of a cue in a question that is not made for one. */
const IN_QUESTION = 0.2;
const SHOUTED = 0.4;
/** Signals that are weaker say nothing. */
const LEAST = 0.08;

/** @param languages those that the text can be in */
function signalsOf(speech: Speech, languages: readonly Language[]): readonly Signal[] {
  const whole = factorOf(speech.sentences.map(({ text }) => text).join(" \n "), languages, true);
  return speech.sentences.flatMap((sentence, index) => {
    const left = whole * factorOf(sentence.text, languages, false);
    const found = languages.flatMap((language) =>
      language.cues.flatMap((cue): readonly Signal[] => {
        if ((cue.needs === "opening" && index > 0) || !cue.pattern.test(sentence.text)) return [];
        const asked = sentence.question && !cue.asks ? IN_QUESTION : 1;
        const weight = cue.weight * left * asked;
        return weight < LEAST ? [] : [{ kind: cue.kind, weight, needs: cue.needs, sentence }];
      }),
    );
    if (sentence.shouted && found.length > 0)
      found.push({ kind: "frustration", weight: SHOUTED * left, needs: undefined, sentence });
    return found;
  });
}

/** Of each language's dampers the strongest holds. */
function factorOf(text: string, languages: readonly Language[], message: boolean): number {
  return Math.min(
    1,
    ...languages.flatMap(({ dampers }) =>
      dampers.filter((damper) => damper.message === message && damper.pattern.test(text)).map(({ factor }) => factor),
    ),
  );
}
