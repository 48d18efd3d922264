/**
 * `aot verify` (SPEC section 6): the base case in the place where the person stands, with whatever may judge it. Its bound
 * rests on what the loop's alignment and runs saw; where they are not kept each check is run once, and no bound is said.
 */
import { createChecker } from "../adapters/checks/checker.ts";
import { verifyBaseCase, type VerifyOptions } from "../adapters/checks/verify.ts";
import { beforeOf, readTestRecord } from "../adapters/checks/test-record.ts";
import { accepted, type Result } from "../core/problem.ts";
import { confirmedItems } from "../core/persons-word.ts";
import type { BaseCase, Check, State } from "../core/state.ts";
import { leavesOf, type ChecklistVerdict, type Leaf, type LeafResult } from "../core/verdict.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { recallLoop } from "../history/recall-loop.ts";
import { runAgain } from "../loop/run-again.ts";
import { testsChangedIn } from "./tampered-files.ts";
import { believed } from "../core/believed.ts";
import { TRUST } from "../core/luck.ts";
import { briefText } from "../loop/brief.ts";
import type { Agent, Judge } from "../loop/ports.ts";

export interface Deciders {
  /** Content of a scores file. */
  readonly scores?: string;
  /** Name of the agent that judges, as for --judge; "none": nobody. */
  readonly judge?: string;
  /** A person says yes to every assertion: to those that were judged true, and, without a judge, to all. */
  readonly confirm: boolean;
}

/** Of one judge's call, milliseconds. */
const JUDGE_TIMEOUT_MS = 15 * 60_000;

interface VerifyPlace {
  readonly dir: string;
  readonly stateFile: string;
  /** Is told what is run next. */
  readonly tell?: (item: string) => void;
}

/** Verifies in the folder `dir`, for the loop of a state file. Refused for scores that do not fit and for a judge that is not there. */
export async function verifyIn(
  state: Pick<State, "objective" | "corrections" | "control">,
  { dir, stateFile, tell = () => {} }: VerifyPlace,
  asked: Deciders,
  signal: AbortSignal,
): Promise<Result<ChecklistVerdict>> {
  const { objective } = state;
  const { base_case: baseCase } = objective;
  const { judge: named, ...nobody } = asked;
  const deciders = named === "none" ? nobody : asked;
  const hired = await hire(baseCase, deciders);
  if (!hired.ok) return hired;
  const { judge, agent } = hired.value;
  const before = readTestRecord(loopPaths(targetOf(stateFile)).dir, objective);
  const options: VerifyOptions = {
    checker: createChecker({ testsBefore: (check) => beforeOf(before, check) }),
    before: ({ item }) => tell(item),
    signal,
    brief: briefText(objective),
    ...(judge === undefined ? {} : { judge: deciders.confirm ? confirmed(judge) : judge }),
    given: personsWord(deciders, confirmedItems(state)),
  };
  const { answers = [], trust = TRUST } = recallLoop(stateFile).memory;
  const grounds = { trust: answers.length === 0 ? 0 : trust, answers };
  try {
    const first = await verifyBaseCase(baseCase, dir, options);
    const often = await runAgain(first, grounds, (some) => verifyBaseCase(some, dir, { ...options, how: "again" }));
    const tests_changed = await testsChangedIn(objective, dir);
    return accepted(believed({ ...often, ...(tests_changed.length === 0 ? {} : { tests_changed }) }, grounds));
  } finally {
    await agent?.close();
  }
}

async function hire(
  baseCase: BaseCase,
  deciders: Deciders,
): Promise<Result<{ readonly judge?: Judge; readonly agent?: Agent }>> {
  if (deciders.scores !== undefined) {
    const { createScoresJudge } = await import("../adapters/judge/scores-judge.ts");
    const judge = createScoresJudge(deciders.scores, leavesOf(baseCase));
    return judge.ok ? accepted({ judge: judge.value }) : judge;
  }
  if (deciders.judge === undefined) return accepted({});
  const [{ createAgent }, { createJudge }] = await Promise.all([
    import("../adapters/agents/find.ts"),
    import("../adapters/judge/agent-judge.ts"),
  ]);
  const agent = createAgent(deciders.judge);
  if (!agent.ok) return agent;
  return accepted({ judge: createJudge(agent.value, { timeout_ms: JUDGE_TIMEOUT_MS }), agent: agent.value });
}

/** The judge, whose yes to an assertion a person has confirmed beforehand. */
function confirmed(judge: Judge): Judge {
  return {
    ...judge,
    judge: async (leaf, dir, signal, asked) => {
      const answer = await judge.judge(leaf, dir, signal, asked);
      return leaf.check.type === "assertion" ? { ...answer, requires_user_confirmation: false } : answer;
    },
  };
}

/** @param items that a person confirmed one by one (`aot confirm`) */
function personsWord(
  { confirm, judge, scores }: Deciders,
  items: ReadonlySet<string>,
): (leaf: Leaf) => LeafResult | undefined {
  const named = givenBy(items);
  if (!confirm || judge !== undefined || scores !== undefined) return named;
  return (leaf) => (leaf.check.type === "assertion" ? CONFIRMED : undefined);
}

/** One mechanical check on its own (`aot verify command`, `aot verify file`). */
export function runCheck(check: Check, dir: string, signal: AbortSignal): Promise<LeafResult> {
  return createChecker().run({ path: [0], item: "check", check }, dir, signal);
}

/** A person's word on these items, as results that are known before anybody is asked. */
export function givenBy(confirmed: ReadonlySet<string>): (leaf: Leaf) => LeafResult | undefined {
  return ({ item }) => (confirmed.has(item) ? CONFIRMED : undefined);
}

const CONFIRMED: LeafResult = {
  passed: true,
  evidence: { kind: "judgement", reason: "confirmed by a human" },
  requires_user_confirmation: false,
};
