/**
 * What a message says about what the agent did: which cues it holds, and how much the words around them leave of each.
 */
import type { Language, SignalKind } from "./language.ts";
import { namesIn, type Sentence, type Speech } from "./speech.ts";

export interface Signal {
  readonly kind: SignalKind;
  /** 0 to 1, after dampers. */
  readonly weight: number;
  readonly needs: Language["cues"][number]["needs"];
  readonly sentence: Sentence;
  readonly mentions: readonly string[];
}

/** Left of a cue in a question that is not made for one. */
const IN_QUESTION = 0.2;
const SHOUTED = 0.4;
/** Signals that are weaker say nothing. */
const LEAST = 0.08;

/** @param languages those that the text can be in */
export function signalsOf(speech: Speech, languages: readonly Language[]): readonly Signal[] {
  const whole = factorOf(speech.sentences.map(({ text }) => text).join(" \n "), languages, true);
  return speech.sentences.flatMap((sentence, index) => {
    const mentions = namesIn(sentence.quote);
    const left = whole * factorOf(sentence.text, languages, false);
    const found = languages.flatMap((language) =>
      language.cues.flatMap((cue): readonly Signal[] => {
        if ((cue.needs === "opening" && index > 0) || !cue.pattern.test(sentence.text)) return [];
        const asked = sentence.question && !cue.asks ? IN_QUESTION : 1;
        const weight = cue.weight * left * asked;
        return weight < LEAST ? [] : [{ kind: cue.kind, weight, needs: cue.needs, sentence, mentions }];
      }),
    );
    if (sentence.shouted && found.length > 0)
      found.push({ kind: "frustration", weight: SHOUTED * left, needs: undefined, sentence, mentions });
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
