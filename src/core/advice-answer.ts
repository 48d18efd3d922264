/** What a planner answers about an atom that is to blame, read as strictly as other answers (answer.ts). */
import { ADVICE_KINDS } from "./answer-schema.ts";
import { few, LONGEST_DESCRIPTION, proposed, short, reported, type Warned } from "./answer.ts";
import type { Advice } from "./event.ts";
import { reader, show, text, texts, TypeMismatch, type Read } from "./reading.ts";

export interface AdviceAnswer extends Warned {
  readonly advice: Advice;
  readonly reason: string;
}

/** A planner's answer about an atom that is to blame (SPEC section 4). */
export const readAdviceAnswer: Read<AdviceAnswer> = reader("the answer", (given) => {
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

const OF_ADVICE = ["advice", "description", "depends_on", "reason", "usage"];
