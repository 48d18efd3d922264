/**
 * The goal as every role is told it: all that alignment settled (SPEC section 7).
 *
 * BRIEF-1 at most BRIEF_LIMIT characters: if it would be longer, the longest parts are cut, with a note of how much is missing;
 * BRIEF-2 a part that is empty, unstated or equal to an earlier one is left out.
 */
import { ALL_CHECKS, UNSTATED, type Objective } from "../core/state.ts";
import { cut, fairShare, once, section, together } from "./prompt-text.ts";

/** Characters. */
export const BRIEF_LIMIT = 8_000;

interface Part {
  readonly title: string;
  readonly body: string;
}

/** The brief as sections of a prompt. */
export const briefText = once((objective: BriefParts): string => fitted(partsOf(objective)));

/** An unfinished alignment has some of these only. */
export type BriefParts = Partial<
  Pick<
    Objective,
    | "goal"
    | "original_prompt"
    | "background_intent"
    | "deliverables"
    | "definition_of_done"
    | "clarifications"
    | "scope"
  >
>;

function partsOf(objective: BriefParts): readonly Part[] {
  const { goal = "", original_prompt = "", background_intent = "", deliverables = "" } = objective;
  const { definition_of_done = "", clarifications = [], scope = {} } = objective;
  const parts = [
    { title: "Goal", body: goal },
    { title: "Original prompt", body: original_prompt },
    { title: "Background", body: background_intent },
    { title: "Deliverables", body: deliverables },
    { title: "Done means", body: definition_of_done },
    {
      title: "Asked beforehand, and the answers",
      body: lines(clarifications.map(({ question, resolution }) => `${question} ${resolution}`)),
    },
    { title: "In scope", body: lines(scope.in_scope ?? []) },
    { title: "Out of scope", body: lines(scope.out_of_scope ?? []) },
  ].map(({ title, body }) => ({ title, body: body.trim() }));
  // BRIEF-2.
  return parts.filter(
    ({ body }, at) =>
      !["", UNSTATED, ALL_CHECKS].includes(body) && parts.findIndex((other) => other.body === body) === at,
  );
}

function lines(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry.trim().replaceAll("\n", "\n  ")}`).join("\n");
}

/** BRIEF-1: cuts every part to the largest common length at which all of them fit. */
function fitted(parts: readonly Part[]): string {
  const frame = parts.reduce((sum, { title }) => sum + title.length + "## \n\n\n".length, 0);
  const most = fairShare(
    parts.map(({ body }) => body.length),
    BRIEF_LIMIT - frame,
  );
  return together(parts.map(({ title, body }) => section(title, cut(body, Math.floor(most)))));
}
