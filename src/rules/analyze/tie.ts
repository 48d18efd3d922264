/**
 * Which call a sentence is about: what it names of the call (SPEC section 12).
 *
 * Names are compared by their stems, in small letters. A name is a word of the command, a part of the file's path, or a
 * word that an edit brought in; words that are in every conversation name nothing.
 */
import { baseName } from "./command-pieces.ts";
import type { Language } from "./language.ts";
import { addedLines, textOfCall, type PastCall } from "./past-call.ts";
import { namesIn, type Sentence } from "./speech.ts";

export interface Tie {
  /** Names of the call that the sentence names, as the sentence has them. */
  readonly names: readonly string[];
  /** The program (or word) of the call whose place the named one is to take. */
  readonly sibling: { readonly used: string; readonly wanted: string } | null;
  /** It is about the kind of thing that the call does, in the language's words. */
  readonly concept: boolean;
}

export const NO_TIE: Tie = { names: [], sibling: null, concept: false };

const COMMON = new Set(
  `the a an and or not no yes it this that is are was be been in on at to of for from with without by as use used using run
   runs running add adds make set get put go new old all my your our we i you he they file files code line lines here
   there now then please just only first last next again do does did done don should must can could would will have has had
   what why how when where which who instead want need work works working change changes changed edit edits edited fix
   fixed so but if ok okay good great also still before after one two like me us them its than too up down out off over
   into src lib app const let var function return import export true false null string number y en de la el los las un una
   der die das den ein eine und ist es wir hier nicht mit auf für von zu im am bitte`.split(/\s+/),
);

/** Whether anything of the call is named. */
export function isTied(tie: Tie): boolean {
  return tie.names.length > 0 || tie.sibling !== null || tie.concept;
}

/** What the sentence names of the call; a name that it wants in the place of another one is none of them. */
export function tieOf(call: PastCall, sentence: Sentence, languages: readonly Language[]): Tie {
  const subject = subjectOf(call);
  const text = textOfCall(call);
  const mentions = namesIn(sentence.quote);
  const contrast = contrastOf(sentence.quote);
  const wanted = (word: string): boolean =>
    contrast !== null && contrast.wanted.has(word) && !contrast.unwanted.has(word);
  return {
    names: mentions.filter((word) => isName(word) && !wanted(word) && isIn(subject, word)),
    sibling: siblingIn(subject, mentions),
    concept: languages.some(({ concepts }) =>
      concepts.some((concept) => concept.word.test(sentence.text) && concept.call.test(text)),
    ),
  };
}

/** A name of several words is in it if all of them are. */
function isIn({ stems }: Subject, word: string): boolean {
  if (stems.has(stemOf(word))) return true;
  const parts = word.split(/[\\/.:=@,-]+/).filter((part) => part !== "");
  return parts.length > 1 && parts.every((part) => stems.has(stemOf(part)));
}

function isName(word: string): boolean {
  return word.length > 1 && !COMMON.has(word) && !/^\d+$/.test(word);
}

function stemOf(word: string): string {
  const bare = word.replace(/^-+/, "");
  return bare.length > 4 ? bare.replace(/(?:ing|ed|es|s|e)$/, "") : bare;
}

/** Tools that take each other's place: who asks for one of them after another was used, corrects. */
const SIBLINGS: readonly (readonly string[])[] = [
  ["npm", "pnpm", "yarn", "bun"],
  ["npx", "pnpx", "bunx"],
  ["pip", "pip3", "uv", "poetry", "pipenv", "conda", "mamba"],
  ["grep", "rg", "ripgrep", "ag", "ack"],
  ["find", "fd"],
  ["jest", "vitest", "mocha", "ava", "jasmine"],
  ["pytest", "unittest", "nose"],
  ["make", "just", "ninja", "task"],
  ["docker", "podman", "nerdctl"],
  ["docker-compose", "podman-compose"],
  ["eslint", "biome", "oxlint", "tslint"],
  ["prettier", "oxfmt", "dprint"],
  ["black", "ruff", "autopep8", "yapf"],
  ["python", "python2", "python3"],
  ["curl", "wget", "httpie", "xh"],
  ["node", "deno", "bun", "tsx", "ts-node"],
  ["mvn", "gradle", "gradlew"],
  ["tsc", "swc", "esbuild"],
  ["main", "master", "develop"],
  ["prod", "production", "staging", "development", "local", "localhost"],
  ["merge", "rebase"],
  ["console.log", "logger"],
  ["any", "unknown"],
];

interface Subject {
  /** Stems of everything that the call can be named by. */
  readonly stems: ReadonlySet<string>;
  /** Its words that other words can take the place of. */
  readonly replaceable: readonly string[];
}

const subjects = new WeakMap<PastCall, Subject>();
const REPLACEABLE = new Set(SIBLINGS.flat());
const MOST_WORDS = 2_000;

function subjectOf(call: PastCall): Subject {
  const known = subjects.get(call);
  if (known !== undefined) return known;
  const lines = call.event === "bash" ? [] : addedLines(call);
  const words = call.event === "bash" ? call.pieces.flatMap((piece) => piece.words) : wordsIn(lines, NAMES);
  const parts = call.event === "bash" ? words.flatMap(partsOf) : [...partsOf(call.path), ...words];
  const used = call.event === "bash" ? words.map(baseName) : wordsIn(lines, PLAIN);
  const subject = {
    stems: new Set(parts.slice(0, MOST_WORDS).map((word) => stemOf(word.toLowerCase()))),
    replaceable: [...new Set(used.filter((word) => REPLACEABLE.has(word)))],
  };
  subjects.set(call, subject);
  return subject;
}

const NAMES = /[\p{L}_$][\p{L}\p{N}_$.]*/gu;
const PLAIN = /console\.log|[a-z]+/g;

function wordsIn(lines: readonly string[], pattern: RegExp): readonly string[] {
  return lines.flatMap((line) => line.match(pattern) ?? []).slice(0, MOST_WORDS);
}

/** A path, flag or name with its parts: `lib/sum.js` is also `lib`, `sum`, `js`, `sum.js`. */
function partsOf(word: string): readonly string[] {
  return [word, baseName(word), ...word.split(/[\\/.:=@,\s-]+/)].filter((part) => part !== "");
}

/** The first word of the call for which the sentence names another that takes its place. */
function siblingIn({ replaceable }: Subject, mentions: readonly string[]): Tie["sibling"] {
  for (const used of replaceable)
    for (const group of SIBLINGS) {
      if (!group.includes(used)) continue;
      const wanted = group.find((word) => word !== used && mentions.includes(word) && !replaceable.includes(word));
      if (wanted !== undefined) return { used, wanted };
    }
  return null;
}

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
function contrastOf(
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
