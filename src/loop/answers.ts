/**
 * What each role answers (SPEC section 7): read by one of the types of answer-types.ts. Beside that a reader says what no
 * type can: what excludes, needs or repeats what.
 *
 * ANSWERS-1 a reading is strict where it decides something (`success` is a boolean, a score a number from 1 to 5) and tolerant
 *    where nothing hangs on it (absent artifacts, null or "" for absent, further keys);
 * ANSWERS-2 `problem` is a sentence that can be shown to the agent which is asked once more;
 * ANSWERS-3 a proposal says what is to be done and in which order, and no more: no key of it reaches a limit, the goal, the
 *    protected files or another atom, and its size is bounded;
 * ANSWERS-4 what is read fits a state file, a journal line and an engine's message, whatever came: what is only reported is
 *    cut at its end and says so, what would mean something else when it is cut (a name, a quote) is asked for again;
 * ANSWERS-5 nothing is dropped in silence: a field that nobody knows is named in a warning.
 */
import { boundedNames } from "../core/bounded-text.ts";
import type { Work } from "../core/effect.ts";
import type { Advice, ProposedAtom } from "../core/event.ts";
import { objectIn, reader, TypeMismatch, type JsonObject, type Read } from "../core/reading.ts";
import { marksOf, type Objective, type RubricCriterion } from "../core/state.ts";
import type { Quote, Score } from "../core/verdict.ts";
import { need, record, type RecordType } from "../statefile/field-types.ts";
import { readAnswer } from "../statefile/read-json-value.ts";
import {
  SAID,
  RESULT,
  SPLIT,
  WORKER,
  PROBE,
  PERSON,
  PLAN,
  PLANNER,
  ADVICE,
  KIND,
  ADVISED,
  ASSERTION,
  VOTE,
  RATING,
  SCORES,
  DRAFT,
} from "./answer-types.ts";

export type WorkerAnswer = Warned &
  (
    | ({ readonly kind: "result"; readonly success: boolean } & Omit<Work, "agent">)
    | { readonly kind: "split"; readonly children: readonly ProposedAtom[]; readonly reason: string }
  );

/** What of an answer was left out, one sentence each; absent: nothing was (ANSWERS-5). */
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

export interface PlannerAnswer extends Warned {
  /** None where a person is needed. */
  readonly atoms: readonly ProposedAtom[];
  readonly reason: string;
  /** What only a person can do. */
  readonly needs_person?: string;
}

export interface AdviceAnswer extends Omit<PlannerAnswer, "atoms"> {
  /** Null: a person is needed. */
  readonly advice: Advice | null;
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
export interface DraftAnswer
  extends Warned, Pick<Objective, "goal" | "background_intent" | "deliverables" | "definition_of_done"> {
  readonly base_case: Readonly<Record<string, unknown>>;
  readonly atoms: readonly ProposedAtom[];
  /** What only the person can say, and what the draft assumes about it; absent: nothing. */
  readonly questions?: readonly DraftQuestion[];
}

export interface DraftQuestion {
  readonly question: string;
  readonly assumption: string;
}

/** The answer as the type describes it, with warnings. @param whole all that may be in it; `usage` is read by whoever called the agent */
function readAs({ usage: _, ...given }: JsonObject, type: RecordType, whole = type, what = "the answer"): unknown {
  const answer = readAnswer(given, type, whole, what);
  if (!answer.ok) throw new TypeMismatch(answer.problem);
  const { read, warnings } = answer.value;
  return { ...(read as JsonObject), ...warned(warnings) };
}

function warned(warnings: readonly string[]): Warned {
  return warnings.length === 0 ? {} : { warnings };
}

export const readWorkerAnswer: Read<WorkerAnswer> = reader("the answer", (given) => {
  if (isSplit(given)) {
    if (given["success"] === true)
      throw new TypeMismatch(`"success": true and "split" exclude each other: answer with one of them`);
    const { split, ...rest } = readAs(given, SPLIT, WORKER) as {
      split: readonly ProposedAtom[];
      reason: string;
    } & Warned;
    const { atoms, ...more } = proposed(split, "split", rest.warnings);
    return { kind: "split", ...rest, children: atoms, ...more };
  }
  const read = readAs(given, RESULT, WORKER) as Omit<Work, "agent"> & { readonly success: boolean } & Warned;
  const { kept, left_out } = boundedNames(read.artifacts);
  const more = left_out === 0 ? "" : `\n[... ${left_out} more artifacts were left out ...]`;
  return { kind: "result", ...read, summary: `${read.summary}${more}`, artifacts: kept };
});

function isSplit({ split, success }: JsonObject): boolean {
  if ((split ?? undefined) === undefined) return false;
  // Some models fill every key of a schema: an empty split next to a result says nothing.
  return !(Array.isArray(split) && split.length === 0 && success !== undefined);
}

export const readProbeAnswer: Read<ProbeAnswer> = reader("the answer", (given) => {
  const { cost_estimate: cost } = given;
  const words = typeof cost === "string" || (cost ?? null) === null ? cost : JSON.stringify(cost);
  const { done, ...read } = readAs({ ...given, cost_estimate: words }, PROBE) as Omit<ProbeAnswer, "done"> & {
    done?: boolean;
  } & Warned;
  return { ...read, ...(done === true ? { done } : {}) };
});

export const readPlannerAnswer: Read<PlannerAnswer> = reader("the answer", (given) => {
  const needs_person = personIn(given, "atoms");
  if (needs_person !== undefined) return { atoms: [], reason: needs_person, needs_person };
  const { atoms, ...rest } = readAs(given, PLAN, PLANNER) as Pick<PlannerAnswer, "atoms" | "reason"> & Warned;
  return { ...rest, ...proposed(atoms, "atoms", rest.warnings) };
});

/** What only a person can do, where a planner says so. @param plan the key of what excludes it */
function personIn(given: JsonObject, plan: string): string | undefined {
  const { needs_person } = given;
  if ((needs_person ?? "") === "") return undefined;
  if ([given[plan] ?? ""].flat().some((one) => one !== ""))
    throw new TypeMismatch(`"needs_person" and "${plan}" exclude each other: answer with one of them`);
  return (readAs({ needs_person }, PERSON) as { needs_person: string } & Warned).needs_person;
}

/** About an atom that is to blame (SPEC section 4). */
export const readAdviceAnswer: Read<AdviceAnswer> = reader("the answer", (given) => {
  const needs_person = personIn(given, "advice");
  if (needs_person !== undefined) return { advice: null, reason: needs_person, needs_person };
  const { advice: kind } = readAs({ advice: given["advice"] }, KIND) as { advice: Advice["kind"] } & Warned;
  const type = record({ ...ADVICE[kind], reason: need(SAID, "") });
  const { reason, warnings, ...own } = readAs(given, type, ADVISED) as Record<string, unknown> & {
    reason: string;
  } & Warned;
  const { atoms, ...more } = proposed((own["atoms"] ?? []) as readonly ProposedAtom[], "atoms", warnings);
  const [atom] = atoms;
  const advice = { kind, ...own, ...(kind === "alternative" ? { atom } : kind === "split" ? { atoms } : {}) } as Advice;
  return { advice, reason, ...more };
});

export const readAssertionAnswer: Read<AssertionAnswer> = reader("the answer", (given) => {
  const { warnings: _, ...read } = readAs(given, ASSERTION) as AssertionAnswer & Warned;
  return read;
});

/** As `readAssertionAnswer`, of a judge: a yes has to quote what was seen. What is missing cannot be quoted. */
export const readAssertionVote: Read<AssertionAnswer> = reader("the answer", (given) => {
  const { warnings: _, ...read } = readAs(given, VOTE) as AssertionAnswer & Warned;
  if (read.passed && read.quotes?.length === 0)
    throw new TypeMismatch(`"quotes" is empty: passed: true has to quote the lines that show it`);
  return read;
});

/**
 * Reads a judge's scores for `rubric`: every criterion once, each 1 to 5, each but the lowest with a quote. Scores for
 * anything else are left out.
 */
export function readQualityAnswer(rubric: readonly RubricCriterion[]): Read<QualityAnswer> {
  return reader("the answer", (given) => {
    const read = readAs(given, SCORES) as QualityAnswer & Warned;
    for (const [i, { score, quotes }] of read.scores.entries())
      if (score > 1 && quotes?.length === 0)
        throw new TypeMismatch(`scores[${i}].quotes is empty: a score above 1 has to quote the lines that it rests on`);
    const scores = rubric.map(({ criterion }) => {
      const [only, second] = read.scores.filter((score) => score.criterion === criterion);
      if (only === undefined) throw new TypeMismatch(`no score for the criterion "${criterion}"`);
      if (second !== undefined) throw new TypeMismatch(`several scores for the criterion "${criterion}": give one`);
      return only;
    });
    return { scores };
  });
}

/** Scores from a file (`aot verify --scores`): `{"<criterion>": {score, reason}}` for this rubric. */
export function readRatings(rubric: readonly RubricCriterion[]): Read<QualityAnswer> {
  const type = record(Object.fromEntries(rubric.map(({ criterion }) => [criterion, need(RATING, "")])));
  return reader("the scores", (given) => {
    const read = readAs(given, type, type, "the scores") as Readonly<Record<string, Omit<Score, "criterion">>> & Warned;
    return { scores: rubric.map(({ criterion }): Score => ({ criterion, score: 0, reason: "", ...read[criterion] })) };
  });
}

export const readDraftAnswer: Read<DraftAnswer> = reader("the answer", ({ base_case, ...given }) => {
  const checks = objectIn(base_case);
  if (checks === null) throw new TypeMismatch(`the answer has no base_case that is a JSON object`);
  const { atoms, questions = [], ...rest } = readAs(given, DRAFT) as Omit<DraftAnswer, "base_case"> & Warned;
  return {
    ...rest,
    base_case: checks,
    ...(questions.length === 0 ? {} : { questions }),
    ...proposed(atoms, "atoms", rest.warnings),
  };
});

/**
 * The atoms that an answer proposes, and what is left out of it (ANSWERS-5): an alternative to nothing is plain work.
 * @param field of the answer that holds them
 */
function proposed(
  given: readonly ProposedAtom[],
  field: string,
  warnings: readonly string[] = [],
): { readonly atoms: readonly ProposedAtom[] } & Warned {
  for (const [i, atom] of given.entries()) refuseWrongPlace(given, i, atom, field);
  const isLone = ({ or_group }: ProposedAtom): boolean =>
    or_group !== undefined && given.filter((other) => other.or_group === or_group).length === 1;
  const lone = given.flatMap((atom, i) =>
    isLone(atom)
      ? [`${field}[${i}].or_group "${atom.or_group}" names no other atom: it is no alternative, but plain work`]
      : [],
  );
  const atoms = given.map((atom): ProposedAtom => {
    const { depends_on = [], or_group, probe: _, touches: __, ...named } = atom;
    return {
      ...named,
      ...(depends_on.length === 0 ? {} : { depends_on }),
      ...(or_group === undefined || isLone(atom) ? {} : { or_group }),
      ...marksOf(atom),
    };
  });
  return { atoms, ...warned([...warnings, ...lone]) };
}

/** What an atom says of the others, and cannot be. */
function refuseWrongPlace(
  given: readonly ProposedAtom[],
  i: number,
  { id, depends_on = [], or_group }: ProposedAtom,
  field: string,
): void {
  const at = `${field}[${i}]`;
  if (id !== undefined && depends_on.includes(id)) throw new TypeMismatch(`${at} "${id}" depends on itself`);
  if (id !== undefined && given.findIndex((other) => other.id === id) < i)
    throw new TypeMismatch(`${at}.id "${id}" is used twice`);
  const rival = given.find(
    (other) => or_group !== undefined && other.or_group === or_group && depends_on.includes(other.id ?? ""),
  );
  if (rival !== undefined) throw new TypeMismatch(`${at} depends on "${rival.id}", its alternative in "${or_group}"`);
}
