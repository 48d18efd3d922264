/**
 * Subjects of commits as a maintainer writes them (SPEC section 16): from what was done, by the repository's own convention. Pure.
 *
 * COMMIT-SUBJECT-1 one line of at most SUBJECT characters; what is cut ends at a clause, else at a word, with no dots, and never
 *    inside of quotes or brackets;
 * COMMIT-SUBJECT-2 a convention is what more than half of the last commits have; with fewer than three there is none.
 */

import { decides } from "../../core/deciding-files.ts";

/** Characters. A clause that is shorter says too little. */
export const SUBJECT = 72;
const SHORTEST_CLAUSE = 24;

/** How subjects of a repository begin and end. */
export interface Convention {
  /** What stands before the words, of each commit that has it, newest first. */
  readonly prefixes: readonly string[];
  readonly kind: "type" | "ticket" | "area" | null;
  readonly first: "toUpperCase" | "toLowerCase" | null;
  readonly end: "." | "";
}

export const NO_CONVENTION: Convention = { prefixes: [], kind: null, first: null, end: "" };

const TYPE = /^(?:feat|fix|docs|style|refactor|perf|tests?|build|ci|chore|revert|deps|types)(?:\([^)]*\))?!?: /;
const KINDS = [
  ["type", TYPE],
  ["ticket", /^\[?(?:[A-Z][A-Z0-9]+-|#)\d+\]?:? /],
  ["area", /^[\w./-]+: /],
] as const;

/** @param subjects of the last commits, newest first */
export function conventionOf(subjects: readonly string[]): Convention {
  if (subjects.length < 3) return NO_CONVENTION;
  const have = (how: RegExp, texts = subjects): boolean =>
    2 * texts.filter((text) => how.test(text)).length > texts.length;
  const [kind = null, shape = /^/] = KINDS.find(([, one]) => have(one)) ?? [];
  const words = subjects.map((subject) => subject.replace(shape, ""));
  return {
    prefixes: subjects.flatMap((subject) => shape.exec(subject)?.[0] ?? []),
    kind,
    first: have(/^[A-Z]/, words) ? "toUpperCase" : have(/^[a-z]/, words) ? "toLowerCase" : null,
    end: have(/\.$/, words) ? "." : "",
  };
}

export interface Changed {
  readonly files: readonly string[];
  /** Where a ticket may be named, beside the texts. */
  readonly hint: string;
}

/** @param texts what may be the subject, best first. @returns empty: nobody said anything */
export function subjectOf(
  texts: readonly string[],
  { kind, prefixes, first, end }: Convention,
  changed: Changed,
): string {
  const best = bestOf(texts, SUBJECT);
  const prefix = best === "" || (kind === "type" && TYPE.test(best)) ? "" : prefixFor();
  const words = bestOf(texts, SUBJECT - prefix.length - end.length);
  // A name is written as it is.
  const begun = words.replace(/^[A-Za-z](?=[a-z'-]+ )/, (letter) => (first === null ? letter : letter[first]()));
  return words === "" ? "" : `${prefix}${begun}${end}`;

  function prefixFor(): string {
    const { files, hint } = changed;
    if (kind === null) return "";
    if (kind === "ticket") {
      const [newest = ""] = prefixes;
      const number = new RegExp(`${/[A-Z][A-Z0-9]+-|#/.exec(newest)?.[0] ?? ""}\\d+`);
      const ticket = number.exec([...texts, hint].join("\n"))?.[0];
      return ticket === undefined || best.includes(ticket) ? "" : newest.replace(number, ticket);
    }
    const used = prefixes.flatMap((prefix) => (kind === "type" ? /\(([^)]+)\)/ : /^([^:]+)/).exec(prefix)?.[1] ?? []);
    const area = areaOf(used, files);
    if (kind === "area") return area === "" ? "" : `${area}: `;
    return `${typeOf(best, files)}${area === "" ? "" : `(${area})`}: `;
  }
}

/** The first one that fits or begins as a sentence, as far as it fits; else of the shortest. */
function bestOf(texts: readonly string[], most: number): string {
  const said = texts.flatMap((text) => (CHECK.test(text) ? [] : imperative(text))).filter((text) => text.includes(" "));
  const isFitting = (text: string): boolean => text !== "" && text.length <= most;
  if (said.length === 0) {
    const all = texts.map((text) => firstSentence(text).replace(CHECK, "Make $1 pass"));
    return (
      all.find(isFitting) ?? (CHECK.test(texts[0] ?? "") ? "Make a failing check pass" : shortened(all.join(""), most))
    );
  }
  const [shortest = ""] = said.toSorted((one, other) => one.length - other.length);
  return shortened(said.find((text) => isFitting(text) || /^[A-Za-z]+ /.test(text)) ?? shortest, most);
}

/** The description that the loop itself gives to work for a check (base-case-end.ts): it says nothing of what was done. */
const CHECK = /^Make pass: (?:\w+: )?(.*)$/s;

function firstSentence(text: string): string {
  const line = oneLine(text.trim().split(/\n\s*\n|\n(?=\s*[-*#\d])/, 1)[0] ?? "").replace(/^(?:#+|[-*]) /, "");
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs))[.!?;](?= |$)/.exec(line)?.index ?? line.length;
  return line.slice(0, end).replace(/[\s,:]+$/, "");
}

const DONE =
  /^(?:(?:I|We)(?:'ve| have)? (?:also |now )?)?(?:(add|fix|implement|document|extend|correct)ed|(update|change|remove|create|move|rename|replace|introduce|handle)d|(made|wrote)) /i;

/** What a worker reports that it did, as a commit says it: `I have added X` is `Add X`. */
function imperative(text: string): string {
  return firstSentence(text).replace(DONE, (_, one?: string, other?: string, odd = "") => {
    const verb = one ?? other ?? (/^m/i.test(odd) ? "make" : "write");
    return `${verb.slice(0, 1).toUpperCase()}${verb.slice(1).toLowerCase()} `;
  });
}

/** Whether a subject says all of a text. */
export function tells(subject: string, text: string): boolean {
  const isSentence = oneLine(text).replace(/[.!]$/, "") === firstSentence(text);
  return CHECK.test(text) || (isSentence && subject.toLowerCase().includes(imperative(text).toLowerCase()));
}

export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const ends = [...text.matchAll(/ /g)].flatMap(({ index }) => (isEnd(text, index, most) ? [index] : []));
  const isClause = (end: number): boolean => /[,;:]$/.test(text.slice(0, end)) || /^ [-–—(]/.test(text.slice(end));
  const clause = ends.findLast((end) => end >= SHORTEST_CLAUSE && isClause(end));
  return oneLine(text.slice(0, clause ?? ends.at(-1) ?? most)).replace(DANGLING, "");
}

const DANGLING = /(?:[\s,:;(–—-]|(?<=\s)(?:and|or|of|the|an?|to|in|on|for|with|by|at|from|that|when|as|is))+$/i;

function isEnd(text: string, end: number, most: number): boolean {
  const count = (mark: string): number => text.slice(0, end).split(mark).length - 1;
  return end <= most && count("`") % 2 === 0 && count('"') % 2 === 0 && count("(") === count(")");
}

const DOCS = /(?:^|\/)docs?\/|\.(?:md|rst|adoc)$/i;
const FIX =
  /^(?:fix|correct|repair|prevent|avoid|stop)\b|\b(?:bugs?|crash(?:es)?|regression|fail(?:s|ing)?|wrong|broken)\b/i;

function typeOf(words: string, files: readonly string[]): string {
  if (files.length > 0 && files.every((file) => DOCS.test(file))) return "docs";
  if (files.length > 0 && files.every((file) => decides(file) === "test")) return "test";
  return FIX.test(words) ? "fix" : /^(?:refactor|simplify|rename|move|extract)\b/i.test(words) ? "refactor" : "feat";
}

/** A name that was used before and that every file of the change bears: as a folder, or before its ending. Empty: none. */
function areaOf(used: readonly string[], files: readonly string[]): string {
  const code = files.filter((file) => !DOCS.test(file));
  const all = code.length > 0 ? code : files;
  const bears = (file: string, area: string): boolean =>
    file.startsWith(`${area}/`) || file.split("/").some((part) => part === area || part.split(".")[0] === area);
  return (all.length > 0 ? used.find((area) => all.every((file) => bears(file, area))) : undefined) ?? "";
}

/** What git takes for a subject. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- git refuses NUL, and a subject is one line
  return Buffer.from(text.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim(), "utf8").toString("utf8");
}
