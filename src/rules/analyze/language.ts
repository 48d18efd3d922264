/**
 * What a language says when somebody corrects an agent: cue words as tables (`cues/`), and how they are read.
 *
 * Patterns are regular expressions on a sentence in small letters (`Sentence.text`), where a quote or a piece of code is
 * one `¤`. `<start>` stands for the places where an order may begin.
 */

export type SignalKind = "correction" | "frustration" | "revert";

/** A kind of cue, and how sure its words alone are (0 to 1). */
interface Cue {
  readonly kind: SignalKind;
  readonly weight: number;
  /**
   * `subject`: it counts only about a call that the message names, in one way or another; `change`: only about a call that
   * changed something; `opening`: only as the first words, and not as the answer to a question.
   */
  readonly needs?: "subject" | "change" | "opening";
  /** It is one in a question, too. */
  readonly asks: boolean;
  readonly pattern: RegExp;
}

interface Damper {
  /** What is left of a cue's weight. */
  readonly factor: number;
  /** It holds for the whole message, not for its sentence alone. */
  readonly message: boolean;
  readonly pattern: RegExp;
}

interface About<Pattern> {
  /** A text without it is none of the language: `kana`, `han` or any Latin letters. */
  readonly script: "latin" | "kana" | "han";
  /** What announces the words of somebody else, up to a line's end. */
  readonly introduction: Pattern;
  readonly apology: Pattern;
}

/** One language's words, a table a line of text each. */
export interface CueWords extends About<string> {
  /** Where an order may begin, as a regular expression. */
  readonly start: string;
  /** `KIND WEIGHT [NEEDS] [asks]: PATTERN` */
  readonly cues: string;
  /** `FACTOR [message]: PATTERN` */
  readonly dampers: string;
  /** `WORD => CALL`: patterns of a message's words, and of what in a call they are about. */
  readonly concepts: string;
}

export interface Language extends About<RegExp> {
  readonly cues: readonly Cue[];
  readonly dampers: readonly Damper[];
  readonly concepts: readonly { readonly word: RegExp; readonly call: RegExp }[];
}

const NEEDS = ["subject", "change", "opening"] as const;

/** @throws SyntaxError where a pattern is none: a fault of the data */
export function languageOf({ start, cues, dampers, concepts, introduction, apology, ...about }: CueWords): Language {
  const compiled = (pattern: string): RegExp => new RegExp(pattern.replaceAll("<start>", start), "u");
  return {
    ...about,
    cues: rowsOf(cues, ": ").map(([[kind = "", weight, ...more], pattern]) => {
      const needs = NEEDS.find((one) => more.includes(one));
      return {
        kind: kind as SignalKind,
        weight: Number(weight),
        ...(needs === undefined ? {} : { needs }),
        asks: more.includes("asks"),
        pattern: compiled(pattern),
      };
    }),
    dampers: rowsOf(dampers, ": ").map(([[factor, scope], pattern]) => ({
      factor: Number(factor),
      message: scope === "message",
      pattern: compiled(pattern),
    })),
    introduction: new RegExp(introduction, "iu"),
    apology: new RegExp(apology, "iu"),
    concepts: rowsOf(concepts, " => ").map(([words, call]) => ({
      word: new RegExp(words.join(" "), "iu"),
      call: new RegExp(call, "iu"),
    })),
  };
}

/** The words before each line's first separator, and what is behind it. */
function rowsOf(table: string, separator: string): (readonly [head: readonly string[], pattern: string])[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", ...rest] = line.trim().split(separator);
      return [head.split(" "), rest.join(separator)] as const;
    });
}
