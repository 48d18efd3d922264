/** What a maintainer reads of a verified loop: title and body of a pull request (SPEC section 16). Pure. */
import { subjectOf } from "../adapters/workspace/commit-subject.ts";
import { deadGroupOf } from "../core/fate.ts";
import { indexIn, NONE } from "../core/graph.ts";
import { ALL_CHECKS, type State } from "../core/state.ts";
import { boardOf } from "../core/view.ts";
import type { RunStory } from "../history/run-story.ts";
import { plain } from "../terminal/paint.ts";
import { verdictLines } from "../terminal/verdict-text.ts";
import { luckWords } from "../view/standing.ts";
import { callsWords, costWords, visible } from "../view/words.ts";

export interface PullRequest {
  readonly title: string;
  readonly body: string;
}

const MOST_FAILURES = 20;

/** @param seal of the receipt, where there is one */
export function pullRequestOf(state: State, story: RunStory, seal: string | null): PullRequest {
  const { goal, definition_of_done: done } = state.objective;
  const { checked, started, other_calls, failures, cost_usd, history, attempts } = story;
  const said = history.map(({ what }) => what.replace(/^\S+: /, ""));
  const spent = `${callsWords(started, other_calls, failures)}; ${costWords(cost_usd)}.`;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ["Goal", [line(goal), ...(["", ALL_CHECKS].includes(done.trim()) ? [] : ["", `Done when: ${line(done)}`])]],
    ["Verdict", checked === null ? [] : verdictOf(checked)],
    ["Work", said.map((what) => `- ${line(what)}`)],
    ["Given up", givenUp(state, story)],
    ["Failed attempts", failedOf(state, story)],
    ["Cost", [`${spent}${seal === null ? "" : ` Receipt: ${seal}`}`]],
  ];
  const body = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [`## ${title}`, "", ...lines, ""].join("\n"));
  // A goal in one piece is called as its only commit is.
  const only = history.length === 1 ? attempts.findLast(({ end }) => end === "integrated")?.subject : undefined;
  const title = subjectOf([only ?? "", goal, ...said]);
  return { title: unmentioned(title), body: body.join("\n") };
}

/** As the receipt of a run has it. */
function verdictOf({ verdict, commit, handed_over }: NonNullable<RunStory["checked"]>): string[] {
  const lines = verdictLines(verdict, plain, true).filter((one) => !/^\s*whole output: /.test(one));
  const luck = luckWords(verdict);
  const where = `Checked on a fresh clone of ${handed_over ?? commit ?? "the folder"}${luck === null ? "" : `; ${luck}`}.`;
  return ["```text", ...lines.map((one) => one.replaceAll("```", "'''")), "```", "", where];
}

/** The ways that lost, each with why. */
function givenUp({ or_groups, atoms }: State, { given_up }: RunStory): string[] {
  const ways = or_groups.flatMap(({ failed }) => atoms.filter(({ id }) => failed.includes(id)));
  return ways.map(({ id, description }) => `- ${line(description)}: ${line(given_up.get(id) ?? "it failed")}`);
}

/** On the ways that were taken: each reason once. */
function failedOf(state: State, { attempts }: RunStory): string[] {
  const { graph } = boardOf(state).view;
  const reasons = new Map<string, string[]>();
  for (const { attempt, atom, end, words } of attempts) {
    const isLost = graph.ids.includes(atom) && deadGroupOf(state, graph, indexIn(graph, atom)) !== NONE;
    if (end === "failed" && !isLost) reasons.set(line(words), [...(reasons.get(line(words)) ?? []), attempt]);
  }
  return [...reasons].slice(-MOST_FAILURES).map(([why, names]) => `- ${names.join(", ")}: ${why}`);
}

/** Text of agents: one line, nothing of it is taken for markup or a mention. */
function line(text: string): string {
  const one = text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return unmentioned(one.slice(0, 400)).replaceAll("<", "&lt;");
}

function unmentioned(text: string): string {
  return visible(text).replaceAll("@", "@\u2060");
}
