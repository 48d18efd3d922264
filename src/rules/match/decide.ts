/**
 * One pattern on one text, in bounded time (SPEC section 12). Node's engine has a short time, which nearly every pattern leaves
 * unused; then re2js decides, whose time grows with the text and no faster; what that one refuses (looking ahead, references
 * back, a thousand repetitions) Node's engine has a longer time for.
 *
 * DECIDE-1 whatever is answered true or false is what Python's engine would answer, given the time;
 * DECIDE-2 on a text of usual length a pattern that traps Node's engine costs less than 100 ms, one that nobody can
 *    decide too, and every further one less; a text of a megabyte may cost a third of a second more;
 * DECIDE-3 "not decided" is an answer of its own: who asks must not take it for a no.
 */
import { bounded } from "./bounded.ts";
import { translate } from "./pattern.ts";
import type { Pattern } from "./rule.ts";

/** null: not decided (DECIDE-3). */
export type Truth = boolean | null;

export interface Text {
  readonly text: string;
  readonly ascii: boolean;
}

export type Decide = (pattern: Pattern, text: Text) => Truth;

const SHORT_MS = 15;
const LONG_MS = 50;
/** Node's engine looks at 100 characters in a microsecond and more, where it is not trapped. */
const NODE_MS_PER_CHARACTER = 0.000_05;
const RE2_MS_PER_CHARACTER = 0.000_25;
/** Up to here re2js needs no limit. */
const RE2_LENGTH = 100_000;

/** How long Node's engine may work on so many characters. */
export function timeFor(characters: number, atLeast = SHORT_MS): number {
  return Math.ceil(atLeast + characters * NODE_MS_PER_CHARACTER);
}

export function textOf(text: string): Text {
  // oxlint-disable-next-line no-control-regex
  return { text, ascii: /^[\x00-\x7f]*$/.test(text) };
}

const engines = new WeakMap<Pattern, { ascii?: RegExp; unicode?: RegExp }>();

/** By Node's engine, however long it takes. */
export const decideByNode: Decide = (pattern, { text, ascii }) => {
  const made = engines.get(pattern) ?? {};
  engines.set(pattern, made);
  try {
    return ascii
      ? (made.ascii ??= new RegExp(translate(pattern.text, "ascii"), "i")).test(text)
      : (made.unicode ??= new RegExp(translate(pattern.text, "unicode"), "iv")).test(text);
  } catch {
    // It needs more memory than it may have.
    return null;
  }
};

/** Whether that text matches. */
export type LinearTest = (text: string) => boolean;

/** Gives the test of a pattern for such a text; null: re2js refuses it, or knows its classes in ASCII alone. */
export async function loadLinear(): Promise<(pattern: Pattern, ascii: boolean) => LinearTest | null> {
  const { RE2JS } = await import("re2js");
  const flags = RE2JS.CASE_INSENSITIVE | RE2JS.LOOKBEHINDS;
  return (pattern, ascii) => {
    if (!ascii && /\\[bdsw]|\x08/i.test(pattern.text)) return null;
    try {
      const engine = RE2JS.compile(translate(pattern.text, "linear"), flags);
      return (text) => engine.test(text);
    } catch {
      return null;
    }
  };
}

/** For a while, in which each pattern is decided apart from all others. */
export async function patientDecide(): Promise<Decide> {
  const linearOf = await loadLinear();
  let lost = false;
  return (pattern, text) => {
    const { length } = text.text;
    const linear = linearOf(pattern, text.ascii);
    const limit = linear === null && !lost ? LONG_MS : SHORT_MS;
    const byNode = bounded(() => decideByNode(pattern, text), timeFor(length, limit))?.value ?? null;
    lost ||= linear === null && byNode === null;
    if (byNode !== null || linear === null) return byNode;
    if (length <= RE2_LENGTH) return linear(text.text);
    return bounded(() => linear(text.text), Math.ceil(LONG_MS + length * RE2_MS_PER_CHARACTER))?.value ?? null;
  };
}
