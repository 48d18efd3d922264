/**
 * What a language says when somebody corrects an agent: cue words as data (`cues/`), and how they are read.
 *
 * Patterns are regular expressions on a sentence in small letters (`Sentence.text`), where a quote or a piece of code is
 * one `¤`. `<start>` stands for the places where an order may begin.
 */

export type SignalKind = "correction" | "frustration" | "revert";

export interface Cue {
  readonly kind: SignalKind;
  /** How sure the words alone are, 0 to 1. */
  readonly weight: number;
  readonly pattern: string;
  /**
   * `subject`: it counts only about a call that the message names, in one way or another; `change`: only about a call that
   * changed something; `opening`: only as the first words, and not as the answer to a question.
   */
  readonly needs?: "subject" | "change" | "opening";
  /** It is one in a question, too. */
  readonly asks?: true;
}

export interface Damper {
  /** What is left of a cue's weight. */
  readonly factor: number;
  readonly pattern: string;
  /** It holds for the whole message, not for its sentence alone. */
  readonly message?: true;
}

/** One language's words. */
export interface CueWords {
  readonly code: "en" | "de" | "es" | "ja" | "zh";
  /** A text without it is none of the language: `kana`, `han` or any Latin letters. */
  readonly script: "latin" | "kana" | "han";
  /** Where an order may begin, as a regular expression. */
  readonly start: string;
  readonly cues: readonly Cue[];
  readonly dampers: readonly Damper[];
  /** What announces the words of somebody else, up to a line's end. */
  readonly introduction: string;
  /** The agent's apology. */
  readonly apology: string;
  /** Words of a message, and what of a call they are about. */
  readonly concepts: readonly { readonly word: string; readonly call: string }[];
}

export interface Language {
  readonly code: CueWords["code"];
  readonly script: CueWords["script"];
  readonly cues: readonly (Omit<Cue, "pattern"> & { readonly pattern: RegExp })[];
  readonly dampers: readonly (Omit<Damper, "pattern"> & { readonly pattern: RegExp })[];
  readonly introduction: RegExp;
  readonly apology: RegExp;
  readonly concepts: readonly { readonly word: RegExp; readonly call: RegExp }[];
}

/** @throws SyntaxError where a pattern is none: a fault of the data */
export function languageOf(words: CueWords): Language {
  const compiled = (pattern: string): RegExp => new RegExp(pattern.replaceAll("<start>", words.start), "u");
  return {
    code: words.code,
    script: words.script,
    cues: words.cues.map((cue) => ({ ...cue, pattern: compiled(cue.pattern) })),
    dampers: words.dampers.map((damper) => ({ ...damper, pattern: compiled(damper.pattern) })),
    introduction: new RegExp(words.introduction, "iu"),
    apology: new RegExp(words.apology, "iu"),
    concepts: words.concepts.map(({ word, call }) => ({ word: new RegExp(word, "iu"), call: new RegExp(call, "iu") })),
  };
}
