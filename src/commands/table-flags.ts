/** Arguments and flags that several commands share. */
import type { FlagSpec } from "./spec.ts";

export const REASON: FlagSpec = {
  name: "reason",
  type: "text",
  value: "TEXT",
  summary: "Why; kept in the loop's history.",
};
export const ID = { name: "id", summary: "Id of the atom." } as const;
const DEPENDS_ON: FlagSpec = {
  name: "depends-on",
  type: "text",
  value: "IDS",
  repeatable: true,
  summary: "Atoms that must be met first, separated by commas.",
};
export const SUMMARY: FlagSpec = {
  name: "summary",
  type: "text",
  value: "TEXT",
  required: true,
  summary: "What resolving the atom gave.",
};
export const ARTIFACTS: FlagSpec = {
  name: "artifacts",
  type: "text",
  value: "FILES",
  repeatable: true,
  summary: "Files made or changed, separated by commas.",
};
export const NEW_ATOM: readonly FlagSpec[] = [
  { name: "description", type: "text", value: "TEXT", required: true, summary: "What is to be done." },
  DEPENDS_ON,
  {
    name: "or-group",
    type: "text",
    value: "GROUP",
    summary: "Makes it a choice of this OR group; a new name makes a new group.",
  },
];
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
    summary: "Your word that the assertions hold: confirms what a judge said, or decides where no judge is asked.",
    // A program that calls a command cannot give a person's word.
    unattended: "absent",
  },
];
