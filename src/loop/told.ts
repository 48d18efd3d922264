/**
 * What an agent is told of the checks that judge it, of what decides them, and of the place it works in (SPEC sections 6, 7).
 *
 * TOLD-1 a fact is told where it is known, and where it is not nothing is said in its place;
 * TOLD-2 commands are shown in full if the whole section fits in CHECKS_LIMIT; otherwise the longest are cut.
 */
import type { Check, Objective, RubricCriterion } from "../core/state.ts";
import { bears, type CommandCheck } from "../core/test-report.ts";
import { COMMAND_SECONDS } from "../core/check-types.ts";
import { describeCheck, leavesOf, rubricOf } from "../core/verdict.ts";
import { bullets, cut, fairShare, joinedLines, LINE_LIMIT, section } from "./prompt-text.ts";
import type { PlaceEnvironment, PlaceFacts } from "./ports.ts";

export const CHECKS_LIMIT = 20_000;
/** Characters from which on a check's text is said once, with a number that stands for it elsewhere. */
const LONG_CHECK = 80;
const TEXT_LIMIT = 3_000;
const RUBRIC_LIMIT = 16_000;
const CRITERION_LIMIT = 200;
const LONGEST_CRITERION = 1_200;
const MOST_LEAVES = 30;
const MOST_TESTS = 12;
const MOST_DECIDING = 20;
const MOST_PEERS = 6;

/** Names of a check's tests that failed when the goal was agreed; null: they are not known. */
export type FailedThen = (check: Check) => readonly string[] | null;

/** What whoever plans or works is told of the goal and of the place. */
export interface GoalBrief {
  readonly objective: Objective;
  readonly failedThen?: FailedThen;
  readonly facts?: PlaceFacts;
  /** Variables of the place. */
  readonly env?: PlaceEnvironment | undefined;
}

/** For what names checks by their text: a long one by its number in `checksSection`. */
export function namedIn({ base_case }: Objective): (text: string) => string {
  const said = leavesOf(base_case)
    .slice(0, MOST_LEAVES)
    .map(({ check }) => describeCheck(check));
  const named = (text: string, one: string, at: number): string => text.replaceAll(one, () => `check ${at + 1}`);
  return (text) => said.reduce((told, one, at) => (one.length < LONG_CHECK ? told : named(told, one, at)), text);
}

/** The checks that decide about the goal, each with what is expected of it. */
export function checksSection(objective: Objective, failedThen: FailedThen = () => null): string {
  const leaves = leavesOf(objective.base_case);
  const shown = leaves.slice(0, MOST_LEAVES);
  const lines = shown.map(({ item, check }, at) => checkText(item, check, failedThen(check), at + 1));
  const most = fairShare(
    lines.map(({ length }) => length),
    CHECKS_LIMIT,
  );
  const fit = lines.map((line) => cut(line, Math.floor(most)));
  return section("Checks that decide about the goal", bullets(fit, leaves.length));
}

function checkText(item: string, check: Check, failed: readonly string[] | null, number: number): string {
  if (check.type === "quality")
    return `${cut(item, LINE_LIMIT)}: a judge scores it, which you need not see; the average has to reach ${check.pass_threshold} of 5\n${qualityText(check)}`;
  const described = describeCheck(check);
  // An item that nobody named is the check's own text.
  const text = described.endsWith(item) ? described : `${cut(item, LINE_LIMIT)} (${described})`;
  const said = described.length < LONG_CHECK ? text : `check ${number}: ${text}`;
  const expected = check.type === "command" ? expectedOf(check, failed) : [];
  return joinedLines([said, ...expected, ...limitOf(check)]);
}

function expectedOf(check: CommandCheck, failed: readonly string[] | null): readonly string[] {
  const { expect, baseline, must_pass = [], allow_changed = [] } = check;
  const others = (failed ?? []).filter((name) => !must_pass.some((wanted) => bears(name, wanted)));
  const then = others.length === 0 ? "" : some(others);
  return [
    must_pass.length === 0 ? "" : `These tests have to pass: ${some(must_pass)}.`,
    expect === "no_worse"
      ? `Other tests may not get worse: none that passed when the goal was agreed may fail or be gone; whether the command exits with 0 does not count.${then === "" ? "" : ` These failed then, and may go on failing: ${then}.`}`
      : "",
    expect !== "no_worse" && baseline !== "pass" && then !== ""
      ? `These tests failed when the goal was agreed, and have to pass: ${then}.`
      : "",
    baseline === "pass" ? "It passed when the goal was agreed, and has to pass at the end." : "",
    allow_changed.length === 0 ? "" : `The work may change what decides it: ${some(allow_changed)}.`,
  ];
}

function limitOf(check: Check): readonly string[] {
  const { timeout = COMMAND_SECONDS } = "timeout" in check ? check : {};
  return timeout === COMMAND_SECONDS ? [] : [`It may take ${timeout} s.`];
}

function some(names: readonly string[]): string {
  const more = names.length - MOST_TESTS;
  return `${names
    .slice(0, MOST_TESTS)
    .map((name) => cut(name, LINE_LIMIT))
    .join("; ")}${more > 0 ? ` (and ${more} more)` : ""}`;
}

/** The rubric of a quality check, with its levels. */
export function qualityText(check: Extract<Check, { type: "quality" }>): string {
  const rubric = rubricOf(check);
  const scope = check.scope === undefined ? "" : `Files to look at: ${cut(check.scope, LINE_LIMIT)}`;
  const most = Math.min(LONGEST_CRITERION, Math.max(CRITERION_LIMIT, Math.floor(RUBRIC_LIMIT / rubric.length)));
  const criteria = rubric.map((criterion) => cut(criterionText(criterion), most));
  return joinedLines([scope, bullets(criteria, rubric.length)]);
}

function criterionText({ criterion, description, weight, levels = {} }: RubricCriterion): string {
  const meanings = Object.entries(levels).map(([score, meaning]) => `\n${score}: ${meaning}`);
  const counts = weight === undefined ? "" : ` (weight ${weight})`;
  return `${criterion}${counts}${description === undefined ? "" : `: ${description}`}${meanings.join("")}`;
}

const ASK_FOR_CHANGE =
  "If the goal cannot be met without changing one, change none: say which file needs which change, and why. A person can allow it.";

/** Which files count as they were agreed, and what to do about them; empty: no command decides. */
export function lawSection(
  { base_case, protected: globs = [] }: Pick<Objective, "base_case" | "protected">,
  facts: PlaceFacts | undefined,
  way = ASK_FOR_CHANGE,
): string {
  const checks = leavesOf(base_case).map(({ check }) => check);
  const runs = checks.some(({ type }) => type === "command" || type === "not_command");
  const { deciding = [] } = facts ?? {};
  const lines = [
    ...(runs ? deciding.slice(0, MOST_DECIDING).map((file) => cut(file, LINE_LIMIT)) : []),
    ...(runs && deciding.length > MOST_DECIDING ? [`(${deciding.length - MOST_DECIDING} more are not shown)`] : []),
    ...(globs.length === 0
      ? []
      : [cut(`Protected, work that touches one does not count: ${globs.join(", ")}`, TEXT_LIMIT)]),
  ];
  const what = deciding.length > 0 ? "These files count" : "Tests, and what says how they are run, count";
  const rule = `${what} as they were when the goal was agreed: the checks are run with them put back, so that changing one helps nothing. Put new tests into new files, in the same folders.`;
  if (!runs && lines.length === 0) return "";
  return section(
    "What decides the checks, and may not change",
    joinedLines([runs ? rule : "", bullets(lines, lines.length), way]),
  );
}

/** What the place can do; empty: nothing is known of it. */
export function placeSection({ facts, env }: Pick<GoalBrief, "facts" | "env">): string {
  const { repository = [], network, set_up } = facts ?? {};
  const port = env?.["AOT_PORT"] === undefined ? undefined : "$AOT_PORT is a port of your own.";
  const lines = [...repository, ...[network, set_up, port].filter((line) => line !== undefined)];
  return section("Where you are", bullets(lines.map((line) => cut(line, LINE_LIMIT))));
}

/** Whoever works on the goal at the same time, and how much else is open. */
export interface Peers {
  /** Atoms that are being worked on now. */
  readonly working: readonly {
    readonly id: string;
    readonly description: string;
    readonly touches?: readonly string[];
  }[];
  /** Other atoms that are open and nobody works on. */
  readonly open: number;
}

export function peersSection({ working, open }: Peers): string {
  if (working.length === 0 && open === 0)
    return "Nothing else of the goal is open: after this atom every check above has to pass.";
  const lines = working
    .slice(0, MOST_PEERS)
    .map(({ id, description, touches = [] }) =>
      cut(`${id}: ${description}${touches.length === 0 ? "" : ` (${touches.join(", ")})`}`, LINE_LIMIT),
    );
  const rest = open === 0 ? "" : `${open} more ${open === 1 ? "atom is" : "atoms are"} open.`;
  const rule = "Leave this to them; checks that need their work may still fail when yours is done.";
  if (working.length === 0) return `Of the goal ${rest} Checks that need their work may still fail when yours is done.`;
  return section("Others at work on the goal now", joinedLines([bullets(lines, working.length), rest, rule]));
}
