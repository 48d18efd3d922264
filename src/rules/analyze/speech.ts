/**
 * An agent's message as sentences, without what is not its own words: code, quotes, logs and chats.
 *
 * SPEECH-1 what is in quotes or code is never read as something that is said; it becomes one HOLE in its sentence;
 * SPEECH-2 time is linear in the text, and no more than LONGEST_SPEECH characters and MOST_SENTENCES sentences are
 *    looked at.
 */

/** Of a message with more of them the first and the last are read: what is said at its ends is said about what was done. */
const MOST_SENTENCES = 8;

/** Stands for a quote or a piece of code. A letter to no regular expression, white space to none either. */
export const HOLE = "\u00a4";
/** Characters. */
const LONGEST_SPEECH = 16_384;
/** Characters. A longer sentence is none. */
const LONGEST_SENTENCE = 600;

export interface Sentence {
  /** In small letters, apostrophes straight, white space single, HOLEs for quotes. */
  readonly text: string;
  readonly quote: string;
  readonly question: boolean;
}

export function readSpeech(text: string): readonly Sentence[] {
  const own = ownLines(text.slice(0, LONGEST_SPEECH)).join("\n").replaceAll(HOLE, " ");
  const quoted: string[] = [];
  const masked = withHoles(own, quoted);
  return sentencesOf(masked, quoted);
}

// ── whose words ─────────────────────────────────────────────────────────────

const FENCE = /^\s*(?:```|~~~)/;
/** A line that a program printed, or that was quoted or copied from a conversation. */
export const PASTED = new RegExp(
  [
    String.raw`\s*>`,
    String.raw`\s*\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d`,
    String.raw`\s*\[?\d{1,2}:\d\d(?::\d\d)?\]?\s`,
    String.raw`\s+at .+:\d+`,
    String.raw`\s*(?:Traceback|File ".+", line \d+|Caused by:|npm (?:ERR!|error|warn)|fatal: |E {3}|FAILED |ERROR\b|WARN(?:ING)?\b[: ]|INFO\b[: ]|\$ )`,
    String.raw`(?:\+\+\+|---|@@|diff --git|index [0-9a-f]{7})[ .]`,
    String.raw`[+-](?![\s\d]).*[;{})]\s*$`,
    String.raw`\s*\|.*\|\s*$`,
    String.raw`\[(?:Image|Pasted text|File) .*\]\s*$`,
    String.raw`(?: {4,}|\t+)\S`,
  ]
    .map((pattern) => `^${pattern}`)
    .join("|"),
);
/** `Anna: no, don't` */
const SPEAKER = /^\s*(?:@?[\p{Lu}][\p{L}\w.-]*(?: [\p{Lu}][\p{L}\w.-]*)?|@\w[\w.-]*):\s/u;
const OWN_LABEL =
  /^\s*(?:note|important|also|again|please|hint|reminder|edit|update|ps|no|stop|wrong|todo|next|rule|fyi|one thing|correction|wichtig|hinweis|nein|halt|nota|importante|no)\b[^:]{0,12}:/i;

function ownLines(text: string): readonly string[] {
  const own: string[] = [];
  let fenced = false;
  const lines = text.split("\n");
  const speakers = lines.filter(isSpeaker).length;
  for (const line of lines) {
    if (FENCE.test(line)) {
      fenced = !fenced;
      continue;
    }
    const foreign = fenced || PASTED.test(line) || (isSpeaker(line) && speakers > 1);
    if (!foreign) own.push(line.slice(0, 4_000));
  }
  return own;
}

function isSpeaker(line: string): boolean {
  return SPEAKER.test(line) && !OWN_LABEL.test(line);
}

// ── quotes ──────────────────────────────────────────────────────────────────

const QUOTES: Readonly<Record<string, string>> = {
  "`": "`",
  '"': '"',
  "“": "”",
  "„": '“”"',
  "«": "»",
  "'": "'’",
  "‘": "’'",
  "「": "」",
  "『": "』",
};

/** Each quote and piece of code as a HOLE; what stood there goes to `quoted`, delimiters included, in the same order. */
function withHoles(text: string, quoted: string[]): string {
  let masked = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const closers = QUOTES[text[at] ?? ""];
    if (closers === undefined || (isApostrophe(text[at]) && !/[\s(,:]/.test(text[at - 1] ?? " "))) continue;
    const end = closing(text, at + 1, closers);
    if (end === -1) continue;
    masked += `${text.slice(from, at)}${HOLE}`;
    quoted.push(text.slice(at, end + 1));
    from = end + 1;
    at = end;
  }
  return masked + text.slice(from);
}

function isApostrophe(character: string | undefined): boolean {
  return character === "'" || character === "’" || character === "‘";
}

/** Characters. What opens a quote and closes it nowhere near opens none. */
const LONGEST_QUOTE = 1_000;

function closing(text: string, from: number, closers: string): number {
  const end = Math.min(text.length, from + LONGEST_QUOTE);
  for (let at = from; at < end; at++) {
    if (!closers.includes(text[at] ?? "")) continue;
    if (!isApostrophe(text[at]) || /[\s.,;:!?)]/.test(text[at + 1] ?? " ")) return at;
  }
  return -1;
}

// ── sentences ───────────────────────────────────────────────────────────────

/** Words that are typed without their apostrophe. */
const BARE = /\b((?:do|does|did|is|are|was|were|should|would|could|wo|ca)n|that|what)([ts])\b/gu;

function sentencesOf(masked: string, quoted: readonly string[]): readonly Sentence[] {
  let hole = 0;
  const parts = masked
    .split(/(?<=[!?]["')]?)\s+|(?<=\.)\s+(?=[\p{L}¿¡¤])|(?<=[。！？])|[\n;；]/u)
    .map((part) => part.trim().replace(/^(?:[-*•]|\d+[.)])\s+/, ""))
    .map((part) => ({ part, quote: part.replaceAll(HOLE, () => quoted[hole++] ?? "") }))
    .filter(({ part }) => part !== "" && part.length <= LONGEST_SENTENCE);
  const ends = MOST_SENTENCES / 2;
  const read = parts.length <= MOST_SENTENCES ? parts : [...parts.slice(0, ends), ...parts.slice(-ends)];
  return read.map(({ part, quote }) => ({
    text: part.toLowerCase().replaceAll(/[’‘]/g, "'").replaceAll(BARE, "$1'$2").replaceAll(/\s+/g, " "),
    quote,
    question: /[?？]\W*$/u.test(part),
  }));
}
