/** What a sentence wants in the place of what: "use a instead of b", "a, not b", "not b but a". */
import { namesIn } from "./speech.ts";

const ORDERS: readonly { readonly pattern: RegExp; readonly wantedFirst: boolean }[] = [
  {
    pattern: /^(?:no,? )?(?:not|instead of|rather than) (.+?)(?:,? but |, ?(?:use|run|write|do|take) ?)(.+)$/iu,
    wantedFirst: false,
  },
  { pattern: /^(.+?),? (?:instead of|rather than|and not|not) (.+)$/iu, wantedFirst: true },
  { pattern: /^(.+?) (?:should|must|has to) be (.+)$/iu, wantedFirst: false },
];
/** Names that are no thing to want. */
const WORDS = new Set([
  "no",
  "use",
  "please",
  "just",
  "in",
  "the",
  "a",
  "an",
  "to",
  "with",
  "is",
  "it",
  "that",
  "this",
]);

/** Names, in small letters; null: the sentence sets nothing against something else. */
export function contrastOf(
  sentence: string,
): { readonly wanted: ReadonlySet<string>; readonly unwanted: ReadonlySet<string> } | null {
  for (const { pattern, wantedFirst } of ORDERS) {
    const found = pattern.exec(sentence.trim());
    if (found === null) continue;
    const [first, second] = [found[1] ?? "", found[2] ?? ""].map(
      (part) => new Set(namesIn(part).filter((name) => !WORDS.has(name))),
    );
    if (first === undefined || second === undefined) continue;
    return wantedFirst ? { wanted: first, unwanted: second } : { wanted: second, unwanted: first };
  }
  return null;
}
