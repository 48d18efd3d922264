/** Arguments and flags that several commands share. */
import { REDIRECTS, type Redirect } from "../../core/redirect.ts";
import type { FlagSpec } from "../spec.ts";

export const REASON: FlagSpec = {
  name: "reason",
  type: "text",
  value: "TEXT",
  summary: "Why; kept in the loop's history.",
};
export const ID = { name: "id", summary: "Id of the atom." } as const;
/** The flags by which a redirect of this kind is given its values; commands that take the same values have them, too. */
export function flagsOfRedirect(kind: Redirect["kind"]): readonly FlagSpec[] {
  return REDIRECTS[kind].fields.flatMap(({ name, flag, type, optional, summary }): FlagSpec[] => {
    if (flag === undefined) return [];
    const list = type === "words" || type === "texts" ? { repeatable: true as const } : {};
    return [
      { name, type: "text", value: flag, ...list, ...(optional === true ? {} : { required: true as const }), summary },
    ];
  });
}

export const NEW_ATOM = flagsOfRedirect("add");
export const NEW_BINDING = flagsOfRedirect("rebind");
export const JUDGE_VOTES: FlagSpec = {
  name: "judge-votes",
  type: "integer",
  value: "N",
  min: 1,
  summary:
    "Independent votes of the judge on each item, each in another order: the median counts, the spread is shown.",
  fallback: "1",
};
/** How what needs a judge is decided. */
export const DECIDERS: readonly FlagSpec[] = [
  {
    name: "scores",
    type: "text",
    value: "FILE",
    summary:
      'A judge\'s words as JSON: {"<item>": {"<criterion>": {"score": 1-5, "reason": "..."}}}, or {"<item>": {"passed": true, "evidence": "..."}} for an assertion.',
  },
  {
    name: "judge",
    type: "text",
    value: "AGENT",
    summary:
      "Agent that decides assertions and scores quality checks, or a model without a client: `ai:<provider>/<model>`.",
  },
  JUDGE_VOTES,
  {
    name: "confirm",
    type: "boolean",
    summary: "Confirm that the assertions hold, after a judge or without one.",
    // A program that calls a command cannot give a person's word.
    unattended: "absent",
  },
];
