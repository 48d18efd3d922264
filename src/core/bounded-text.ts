/**
 * What others wrote, small enough to be kept: in a state file, a journal line, an engine's message. All of it is the
 * beginning of what came, and says how much is missing.
 */

/** Characters. More than any prompt shows of one text. */
export const LONGEST_TEXT = 8_000;
/** Of one list of names, and the characters of them together. */
const MOST_NAMES = 200;
const LONGEST_NAMES = 16_000;

/** At most {@link LONGEST_TEXT} characters of `text`, and behind them how many were left out. */
export function boundedText(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  // Never half of a surrogate pair.
  const start = text.slice(0, LONGEST_TEXT).replace(/[\uD800-\uDBFF]$/, "");
  // Joined, not added: a sum would keep the whole text in memory for as long as its beginning.
  return [start, `\n[... ${text.length - start.length} more characters were left out ...]`].join("");
}

/** The first of `names`, as many as fit; none of them is cut, since it would name something else. */
export function boundedNames(names: readonly string[]): {
  readonly kept: readonly string[];
  readonly left_out: number;
} {
  let room = LONGEST_NAMES;
  const end = names.findIndex((name, i) => i >= MOST_NAMES || (room -= name.length) < 0);
  return end === -1 ? { kept: names, left_out: 0 } : { kept: names.slice(0, end), left_out: names.length - end };
}

/** `names` in one line of words: the first of them, and how many more there are. */
export function namesInWords(names: readonly string[]): string {
  const { kept, left_out } = boundedNames(names);
  return left_out === 0 ? kept.join(", ") : `${kept.join(", ")} and ${left_out} more`;
}
