/** What a planner answers, read as strictly as other answers (answer.ts): a plan, or advice on an atom that is to blame. */
import { ADVICE_KINDS } from "./answer-schema.ts";
import { few, LONGEST_DESCRIPTION, proposed, short, reported, type Warned } from "./answer.ts";
import type { Advice, ProposedAtom } from "./event.ts";
import { quote, reader, show, text, texts, TypeMismatch, type Read } from "./reading.ts";

export interface PlannerAnswer extends Warned {
  /** None where a person is needed. */
  readonly atoms: readonly ProposedAtom[];
  readonly reason: string;
  /** What only a person can do. */
  readonly needs_person?: string;
}

export interface AdviceAnswer extends Warned {
  /** Null: a person is needed. */
  readonly advice: Advice | null;
  readonly reason: string;
  readonly needs_person?: string;
}

export const readPlannerAnswer: Read<PlannerAnswer> = reader("the answer", (given) => {
  const needs_person = personIn(given, "atoms");
  if (needs_person !== undefined) return { atoms: [], reason: needs_person, needs_person };
  return {
    ...proposed(given, "atoms", ["reason", "usage", "needs_person"]),
    reason: reported(given["reason"], "reason"),
  };
});

/** What only a person can do, where a planner says so. An empty key says nothing. @param plan the key of what excludes it */
function personIn(given: Readonly<Record<string, unknown>>, plan: string): string | undefined {
  const request = given["needs_person"] ?? "";
  if (request === "") return undefined;
  if ([given[plan] ?? ""].flat().some((one) => one !== ""))
    throw new TypeMismatch(`"needs_person" and ${quote(plan)} exclude each other: answer with one of them`);
  return reported(request, "needs_person");
}

/** About an atom that is to blame (SPEC section 4). */
export const readAdviceAnswer: Read<AdviceAnswer> = reader("the answer", (given) => {
  const needs_person = personIn(given, "advice");
  if (needs_person !== undefined) return { advice: null, reason: needs_person, needs_person };
  const kind = ADVICE_KINDS.find((one) => one === given["advice"]);
  if (kind === undefined)
    throw new TypeMismatch(`"advice" has to be one of ${ADVICE_KINDS.join(", ")}, not ${show(given["advice"])}`);
  const { advice, ...warned } = adviceIn(kind, given);
  return { advice, reason: reported(given["reason"], "reason"), ...warned };
});

function adviceIn(
  kind: Advice["kind"],
  given: Readonly<Record<string, unknown>>,
): { readonly advice: Advice } & Warned {
  switch (kind) {
    case "reword": {
      const description = text(given["description"], "description");
      return { advice: { kind, description: short(description, LONGEST_DESCRIPTION, "description") } };
    }
    case "split": {
      const { atoms: parts, ...warned } = proposed(given, "atoms", OF_ADVICE);
      return { advice: { kind, atoms: parts }, ...warned };
    }
    case "alternative": {
      const { atoms: found, ...warned } = proposed(given, "atoms", OF_ADVICE);
      const [atom] = found;
      if (atom === undefined || found.length > 1)
        throw new TypeMismatch(`"atoms" has ${found.length} atoms: an alternative is one`);
      return { advice: { kind, atom }, ...warned };
    }
    case "reorder": {
      const depends_on = few(texts(given["depends_on"], "depends_on"), "depends_on");
      if (depends_on.length === 0) throw new TypeMismatch(`"depends_on" has to name what has to be done before`);
      return { advice: { kind, depends_on } };
    }
    case "hopeless":
      return { advice: { kind } };
  }
}

const OF_ADVICE = ["advice", "description", "depends_on", "reason", "usage", "needs_person"];
