/** What a maintainer reads of a verified loop: title and body of a pull request (SPEC section 16). Pure. */
import type { State } from "../core/state.ts";
import { checkNodesOf } from "../core/verdict.ts";
import type { RunStory } from "../history/run-story.ts";
import { evidenceWords } from "../view/evidence.ts";
import { luckWords, runsWords, verdictWords } from "../view/standing.ts";
import { counted } from "../core/counted.ts";
import { dollars, visible } from "../view/words.ts";

export interface PullRequest {
  readonly title: string;
  readonly body: string;
}

const LONGEST_TITLE = 72;
const MOST_FAILURES = 20;

/** @param seal of the receipt; absent: there is none */
export function pullRequestOf({ objective }: State, story: RunStory, seal?: string): PullRequest {
  const { checked, attempts, started, failures } = story;
  const goal = line(objective.goal);
  const checks = checked === null ? [] : checkNodesOf(checked.verdict.checklist);
  const luck = checked === null ? null : luckWords(checked.verdict);
  const failed = attempts.filter(({ end }) => end === "failed").slice(-MOST_FAILURES);
  const cost = attempts.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [
      "Goal",
      [line(objective.definition_of_done) === "" ? goal : `${goal}. Done when: ${line(objective.definition_of_done)}`],
    ],
    [
      "Verdict",
      [
        ...checks.map(
          ({ item, passed, evidence, runs = 1 }) =>
            `- ${verdictWords(passed).mark} ${code(item)}: ${line(evidenceWords(evidence, line).words)}${runsWords({ runs })}`,
        ),
        ...(checked === null
          ? []
          : ["", `Checked on a fresh clone of ${checked.commit ?? "the folder"}${luck === null ? "" : `; ${luck}`}.`]),
      ],
    ],
    ["Work", story.history.map(({ commit, what }) => `- ${commit?.slice(0, 10) ?? "no change"} ${line(what)}`)],
    ["Tried and given up", failed.map(({ attempt, words }) => `- ${attempt}: ${line(words)}`)],
    [
      "Cost",
      [
        `${counted(started, "attempt")}, ${failures} failed, ${dollars(cost)} as agents reported.${seal === undefined ? "" : ` Receipt: ${seal}`}`,
      ],
    ],
  ];
  const body = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [`## ${title}`, "", ...lines, ""].join("\n"));
  return { title: goal.length > LONGEST_TITLE ? `${goal.slice(0, LONGEST_TITLE - 1)}…` : goal, body: body.join("\n") };
}

/** Text of agents and programs: one line, nothing of it is taken for markup or a mention. */
function line(text: string): string {
  return visible(text)
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim()
    .slice(0, 400)
    .replaceAll("<", "&lt;")
    .replaceAll("@", "@\u2060");
}

function code(text: string): string {
  const plain = line(text).replaceAll("`", "'");
  return `\`${plain}\``;
}
