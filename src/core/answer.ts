/**
 * What each role answers (SPEC section 7), read strictly; `answer-schema.ts` is the same as JSON Schema.
 *
 * ANSWER-1 a reading is strict where it decides something (`success` is a boolean, a score a number from 1 to 5)
 *    and tolerant where nothing hangs on it (absent artifacts, null for absent, further keys);
 * ANSWER-2 `problem` is a sentence that can be shown to the agent which is asked once more;
 * ANSWER-3 a proposal says what is to be done and in which order, and no more: no key of it reaches a limit, the goal, the
 *    protected files or another atom, and its size is bounded;
 * ANSWER-4 what is read fits a state file, a journal line and an engine's message, whatever came: what is only reported is
 *    cut at its end and says so, what would mean something else when it is cut (a name, a quote) is asked for again;
 * ANSWER-5 nothing is dropped in silence: a field that nobody knows is named in a warning.
 */
import { boundedNames, boundedText } from "./bounded-text.ts";
import type { ProposedAtom } from "./event.ts";
import { marksOf, type Marks, type RubricCriterion } from "./state.ts";
import type { Quote, Score } from "./verdict.ts";
import {
  list,
  objectIn,
  TypeMismatch,
  quote,
  reader,
  reading,
  record,
  show,
  text,
  texts,
  truth,
  wellFormed,
  type Read,
  type Reading,
} from "./reading.ts";

export type WorkerAnswer =
  | ({
      readonly kind: "result";
      readonly success: boolean;
      readonly summary: string;
      readonly artifacts: readonly string[];
      readonly subject?: string;
    } & Warned)
  | ({ readonly kind: "split"; readonly children: readonly ProposedAtom[]; readonly reason: string } & Warned);

/** What of an answer was left out, one sentence each; absent: nothing was (ANSWER-5). */
export interface Warned {
  readonly warnings?: readonly string[];
}

export interface ProbeAnswer extends Warned {
  readonly feasible: boolean;
  readonly findings: string;
  readonly cost_estimate?: string;
  /** What was found is all that the atom is about. */
  readonly done?: true;
}

export interface AssertionAnswer {
  readonly passed: boolean;
  readonly evidence: string;
  readonly quotes?: readonly Quote[];
}

export interface QualityAnswer {
  readonly scores: readonly Score[];
}

/** A draft of the alignment. `base_case` is checked where a state file is made of it, not here. */
export interface DraftAnswer extends Warned {
  readonly goal: string;
  readonly background_intent: string;
  readonly deliverables: string;
  readonly definition_of_done: string;
  readonly base_case: Readonly<Record<string, unknown>>;
  readonly atoms: readonly ProposedAtom[];
  /** What only the person can say, and what the draft assumes about it; absent: nothing. */
  readonly questions?: readonly DraftQuestion[];
}

export interface DraftQuestion {
  readonly question: string;
  readonly assumption: string;
}

const MOST_QUESTIONS = 3;

/** A proposal of more atoms than these is no plan: it would take the loop's fuel before anything is seen of it. */
const MOST_ATOMS = 40;
/** Characters. */
export const LONGEST_DESCRIPTION = 4_000;
const LONGEST_ID = 64;
const MOST_NAMES = 40;
/** Of a name, a glob, a path. */
const LONGEST_NAME = 1_000;
/** Of one to five lines. */
const LONGEST_QUOTE = 4_000;

/** `usage` is read by whoever called the agent. */
const RESULT_FIELDS = ["success", "summary", "artifacts", "subject", "usage"];

export const readWorkerAnswer: Read<WorkerAnswer> = reader("the answer", (given) => {
  const success = given["success"] ?? undefined;
  if (isSplit(given)) {
    if (success === true)
      throw new TypeMismatch(`"success": true and "split" exclude each other: answer with one of them`);
    const { atoms: children, ...more } = proposed(given, "split", [...RESULT_FIELDS, "reason"]);
    return { kind: "split", children, reason: reported(given["reason"], "reason"), ...more };
  }
  const succeeded = truth(success, "success");
  const summary = reported(given["summary"], "summary");
  const { kept, left_out } = boundedNames(texts(given["artifacts"], "artifacts"));
  return {
    kind: "result",
    success: succeeded,
    summary: left_out === 0 ? summary : `${summary}\n[... ${left_out} more artifacts were left out ...]`,
    artifacts: kept,
    ...((given["subject"] ?? "") === "" ? {} : { subject: reported(given["subject"], "subject") }),
    ...warned(unknownIn(given, [...RESULT_FIELDS, "split", "reason"], "")),
  };
});

/** ANSWER-4. */
export function reported(value: unknown, name: string): string {
  return boundedText(text(value, name));
}

/** ANSWER-4. */
export function short(value: string, most: number, name: string): string {
  if (value.length > most) throw new TypeMismatch(`${quote(name)} has ${value.length} characters: at most ${most}`);
  return value;
}

function isSplit(given: Readonly<Record<string, unknown>>): boolean {
  const split = given["split"] ?? undefined;
  if (split === undefined) return false;
  // Some models fill every key of a schema: an empty split next to a result says nothing.
  return !(Array.isArray(split) && split.length === 0 && given["success"] !== undefined);
}

export const readProbeAnswer: Read<ProbeAnswer> = reader("the answer", (given) => {
  const estimate = given["cost_estimate"] ?? undefined;
  return {
    feasible: truth(given["feasible"], "feasible"),
    findings: reported(given["findings"], "findings"),
    ...(truth(given["done"] ?? false, "done") ? { done: true as const } : {}),
    ...(estimate === undefined
      ? {}
      : { cost_estimate: boundedText(typeof estimate === "string" ? wellFormed(estimate) : JSON.stringify(estimate)) }),
    ...warned(unknownIn(given, ["feasible", "findings", "cost_estimate", "done", "usage"], "")),
  };
});

export const readAssertionAnswer: Read<AssertionAnswer> = reader("the answer", (given) => {
  return { passed: truth(given["passed"], "passed"), evidence: reported(given["evidence"], "evidence") };
});

/** As `readAssertionAnswer`, of a judge: a yes has to quote what was seen. What is missing cannot be quoted. */
export function readAssertionVote(answer: unknown): Reading<AssertionAnswer> {
  const said = readAssertionAnswer(answer);
  if (!said.ok) return said;
  return reading(() => {
    const quotes = quotesIn(record(answer, "the answer"), "quotes");
    if (said.value.passed && quotes.length === 0)
      throw new TypeMismatch(`"quotes" is empty: passed: true has to quote the lines that show it`);
    return { ...said.value, quotes };
  });
}

/**
 * Reads a judge's scores for `rubric`: every criterion once, each 1 to 5, each but the lowest with a quote. Scores for
 * anything else are left out.
 */
export function readQualityAnswer(rubric: readonly RubricCriterion[]): Read<QualityAnswer> {
  return reader("the answer", (answer) => {
    const given = list(answer["scores"], "scores").map((entry, i) => readScore(entry, `scores[${i}]`));
    const scores = rubric.map(({ criterion }) => {
      const mine = given.filter((score) => score.criterion === criterion);
      const [only] = mine;
      if (only === undefined) throw new TypeMismatch(`no score for the criterion ${quote(criterion)}`);
      if (mine.length > 1)
        throw new TypeMismatch(`${mine.length} scores for the criterion ${quote(criterion)}: give one`);
      return only;
    });
    return { scores };
  });
}

function readScore(entry: unknown, at: string): Score {
  const given = record(entry, at);
  const criterion = text(given["criterion"], `${at}.criterion`);
  const rating = readRating(given, at);
  const quotes = quotesIn(given, `${at}.quotes`);
  if (rating.score > 1 && quotes.length === 0)
    throw new TypeMismatch(`"${at}.quotes" is empty: a score above 1 has to quote the lines that it rests on`);
  return { criterion, ...rating, quotes };
}

/** More than these say no more. */
const MOST_QUOTES = 8;

function quotesIn(given: Readonly<Record<string, unknown>>, at: string): readonly Quote[] {
  const quotes = list(given["quotes"] ?? [], at);
  if (quotes.length > MOST_QUOTES)
    throw new TypeMismatch(`${quote(at)} has ${quotes.length} entries: at most ${MOST_QUOTES}`);
  return quotes.map((entry, i) => {
    const where = `${at}[${i}]`;
    const one = record(entry, where);
    const line = one["line"];
    if (typeof line !== "number" || !Number.isInteger(line) || line < 1)
      throw new TypeMismatch(`${where}.line has to be a line number from 1, not ${show(line)}`);
    return {
      file: short(text(one["file"], `${where}.file`), LONGEST_NAME, `${where}.file`),
      line,
      text: short(text(one["text"], `${where}.text`), LONGEST_QUOTE, `${where}.text`),
    };
  });
}

/** `{score, reason}` of one criterion; throws TypeMismatch. */
function readRating(
  given: Readonly<Record<string, unknown>>,
  at: string,
): { readonly score: number; readonly reason: string } {
  const score = given["score"];
  if (typeof score !== "number" || !(score >= 1 && score <= 5))
    throw new TypeMismatch(`${at}.score has to be a number from 1 to 5, not ${show(score)}`);
  const reason = given["reason"] ?? "";
  if (typeof reason !== "string") throw new TypeMismatch(`${at}.reason has to be a text, not ${show(reason)}`);
  return { score, reason: boundedText(wellFormed(reason)) };
}

const DRAFT_FIELDS = [
  "goal",
  "background_intent",
  "deliverables",
  "definition_of_done",
  "base_case",
  "questions",
  "usage",
];

export const readDraftAnswer: Read<DraftAnswer> = reader("the answer", (given) => {
  const questions = list(given["questions"] ?? [], "questions").map(readQuestion);
  if (questions.length > MOST_QUESTIONS)
    throw new TypeMismatch(`"questions" has ${questions.length} entries: ask at most ${MOST_QUESTIONS}`);
  return {
    goal: text(given["goal"], "goal"),
    background_intent: text(given["background_intent"], "background_intent"),
    deliverables: text(given["deliverables"], "deliverables"),
    definition_of_done: text(given["definition_of_done"], "definition_of_done"),
    base_case: record(given["base_case"], "base_case"),
    ...(questions.length === 0 ? {} : { questions }),
    ...proposed(given, "atoms", DRAFT_FIELDS),
  };
});

function readQuestion(entry: unknown, index: number): DraftQuestion {
  const at = `questions[${index}]`;
  const given = record(entry, at);
  return {
    question: short(text(given["question"], `${at}.question`), LONGEST_NAME, `${at}.question`),
    assumption: short(text(given["assumption"], `${at}.assumption`), LONGEST_NAME, `${at}.assumption`),
  };
}

/** Scores from a file (`aot verify --scores`): `{"<criterion>": {score, reason}}` for this rubric. */
export function readRatings(rubric: readonly RubricCriterion[]): Read<QualityAnswer> {
  return reader("the scores", (given) => {
    const scores = rubric.map(({ criterion }) => {
      if (!Object.hasOwn(given, criterion)) throw new TypeMismatch(`no score for the criterion ${quote(criterion)}`);
      return { criterion, ...readRating(record(given[criterion], quote(criterion)), quote(criterion)) };
    });
    return { scores };
  });
}

const ATOM_FIELDS = ["id", "description", "depends_on", "or_group", "probe", "touches", "criteria"];

/**
 * The atoms that an answer proposes, with warnings about what is left out of it (ANSWER-5).
 * @param field of the answer that holds them. @param others known beside it
 */
export function proposed(
  given: Readonly<Record<string, unknown>>,
  field: string,
  others: readonly string[],
): { readonly atoms: readonly ProposedAtom[] } & Warned {
  const found = atoms(given[field], field);
  const isLone = ({ or_group }: ProposedAtom): boolean =>
    or_group !== undefined && found.filter((other) => other.or_group === or_group).length === 1;
  const warnings = [
    ...unknownIn(given, [field, ...others], ""),
    ...list(given[field], field).flatMap((entry, i) =>
      unknownIn(record(entry, `${field}[${i}]`), ATOM_FIELDS, `${field}[${i}].`),
    ),
    ...found.flatMap((atom, i) =>
      isLone(atom)
        ? [`${field}[${i}].or_group ${show(atom.or_group)} names no other atom: it is no alternative, but plain work`]
        : [],
    ),
  ];
  const kept = found.map((atom) => {
    const { or_group: _, ...plain } = atom;
    return isLone(atom) ? plain : atom;
  });
  return { atoms: kept, ...warned(warnings) };
}

function warned(warnings: readonly string[]): Warned {
  return warnings.length === 0 ? {} : { warnings: warnings.slice(0, MOST_WARNINGS) };
}

const MOST_WARNINGS = 20;

/** Null and nothing say nothing. */
function unknownIn(given: Readonly<Record<string, unknown>>, known: readonly string[], at: string): readonly string[] {
  return Object.keys(given)
    .filter((key) => !known.includes(key) && given[key] !== null)
    .map((key) => `${show(`${at}${key}`)} is not known here, and was left out: ${show(given[key])}`);
}

/** ANSWER-3. */
function atoms(value: unknown, name: string): readonly ProposedAtom[] {
  const entries = list(value, name);
  if (entries.length === 0) throw new TypeMismatch(`${quote(name)} has to name at least one atom`);
  if (entries.length > MOST_ATOMS)
    throw new TypeMismatch(`${quote(name)} has ${entries.length} atoms: name at most ${MOST_ATOMS}, larger ones`);
  const ids = new Set<string>();
  const all = entries.map((entry, i) => {
    const atom = proposedAtom(entry, `${name}[${i}]`);
    if (atom.id !== undefined && ids.has(atom.id))
      throw new TypeMismatch(`${name}[${i}].id ${quote(atom.id)} is used twice`);
    if (atom.id !== undefined) ids.add(atom.id);
    return atom;
  });
  for (const [i, { or_group, depends_on = [] }] of all.entries()) {
    const rival = all.find(
      ({ id, or_group: other }) => or_group !== undefined && other === or_group && depends_on.includes(id ?? ""),
    );
    if (rival !== undefined)
      throw new TypeMismatch(
        `${name}[${i}] depends on ${quote(rival.id ?? "")}, its alternative in ${quote(or_group ?? "")}`,
      );
  }
  return all;
}

function proposedAtom(entry: unknown, at: string): ProposedAtom {
  const given = record(entry, at);
  const id = name(given["id"], `${at}.id`);
  // Some models fill every key of a schema: an empty name says nothing.
  const or_group = given["or_group"] === "" ? undefined : name(given["or_group"], `${at}.or_group`);
  const probe = truth(given["probe"] ?? false, `${at}.probe`);
  const depends_on = few(texts(given["depends_on"], `${at}.depends_on`), `${at}.depends_on`);
  if (id !== undefined && depends_on.includes(id)) throw new TypeMismatch(`${at} ${quote(id)} depends on itself`);
  const touches = few(texts(given["touches"], `${at}.touches`), `${at}.touches`);
  const description = text(given["description"], `${at}.description`);
  return {
    ...(id === undefined ? {} : { id }),
    description: short(description, LONGEST_DESCRIPTION, `${at}.description`),
    ...(depends_on.length === 0 ? {} : { depends_on }),
    ...(or_group === undefined ? {} : { or_group }),
    ...marksOf({ probe, touches, ...criteriaIn(given["criteria"], `${at}.criteria`) }),
  };
}

/** A sentence, or a check: then its words. */
function criteriaIn(value: unknown, at: string): Marks {
  const check = objectIn(value);
  const said = check === null ? value : `${text(check["type"], `${at}.type`)}: ${text(check["value"], `${at}.value`)}`;
  return (said ?? "") === "" ? {} : { criteria: short(text(said, at), LONGEST_NAME, at) };
}

/** Of an atom or a group; absent where there is none. */
function name(value: unknown, at: string): string | undefined {
  const said = (value ?? undefined) === undefined ? undefined : text(value, at);
  if (said !== undefined && (said.length > LONGEST_ID || !/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(said)))
    throw new TypeMismatch(
      `${at} has to be one word of at most ${LONGEST_ID} letters, digits, _ . -, not ${show(said)}`,
    );
  return said;
}

export function few(names: readonly string[], at: string): readonly string[] {
  if (names.length > MOST_NAMES)
    throw new TypeMismatch(`${quote(at)} has ${names.length} entries: at most ${MOST_NAMES}`);
  return names.map((name, i) => short(name, LONGEST_NAME, `${at}[${i}]`));
}
