/**
 * A program's look at a gate (SPEC section 11): its deliverables, its checks, and what it says in words, which goes to the
 * judge. Nothing is passed here: what becomes of the gate is decided by `gate-move.ts`.
 */
import type { Usage } from "../core/event.ts";
import type { BaseCase, Check, ChecklistItem } from "../core/state.ts";
import { describeCheck, failingLeaves, type ChecklistVerdict } from "../core/verdict.ts";
import { refused, type Problem } from "../core/problem.ts";
import { setGuardian } from "../host/process.ts";
import { loopPaths } from "../host/loop-paths.ts";
import type { JudgeCall } from "../loop/ports.ts";
import { checkLine } from "../loop/prompt-text.ts";
import { evidenceText } from "../core/telling.ts";
import type { Gate } from "./core/definition.ts";
import type { GateLook } from "./core/gate-move.ts";
import { openCheckout } from "../verify/fresh-checkout.ts";
import { gatherRunAgents, type RunAgentsOptions } from "../run/agents.ts";
import { guardRun } from "../run/guardian.ts";
import type { NoRun } from "../run/options.ts";
import type { PlaceOptions } from "../run/place.ts";

export type LookOptions = RunAgentsOptions & Pick<PlaceOptions, "root" | "set_up">;

export type Looked = { readonly ok: true; readonly look: GateLook; readonly usage?: Usage } | NoRun;

const MOST_EVIDENCE = 600;
const MOST_NAMED = 5;

/** What is looked at; null: nothing. @param more checks that the definition does not know */
export function gateBaseCase(gate: Gate, more: readonly Check[]): BaseCase | null {
  const condition = gate.approval === "conditional" ? gate.condition : undefined;
  const prose = [condition, gate.auto_check, ...gate.criteria];
  const checks: readonly Check[] = [
    ...gate.deliverables.map((value): Check => ({ type: "file", value })),
    ...gate.checks,
    ...more,
    ...prose.flatMap((value): Check[] => (value === undefined ? [] : [{ type: "assertion", value }])),
  ];
  const items = checks.map((check): ChecklistItem => ({ item: describeCheck(check), check }));
  return items.length === 0 ? null : { checklist: items };
}

/**
 * Looks at a gate in a clean checkout. No look: no agent, no judge or no checkout can be had.
 * @param stateFile of the phase loop, whose run lock the caller holds
 */
export async function lookAtGate(
  baseCase: BaseCase,
  options: LookOptions,
  judge: JudgeCall,
  signal: AbortSignal,
): Promise<Looked> {
  const runAgents = await gatherRunAgents(options);
  if (!runAgents.ok) return noLook(runAgents.unknown === true ? 2 : 17, runAgents);
  const guardian = await guardRun(loopPaths(options.stateFile).dir, false);
  setGuardian(guardian);
  try {
    const place = await openCheckout({ ...options, place: runAgents.value.place }, signal);
    if (!place.ok) return noLook(1, place);
    const { dir, env, failed, release } = place.value;
    try {
      if (failed !== undefined)
        return { ok: true, look: { passed: false, reason: `the checkout could not be set up: ${failed}` } };
      const answer = await runAgents.value.verifier.verify(baseCase, dir, signal, {
        env,
        left: judge,
        brief: judge.brief,
      });
      if (answer.unavailable !== undefined && answer.verdict.passed === null)
        return noLook(
          17,
          refused(`the judge is not available: ${answer.unavailable}`, "wait, or name another with --judge"),
        );
      const { usage } = answer;
      return { ok: true, look: lookOf(answer.verdict), ...(usage === undefined ? {} : { usage }) };
    } finally {
      await release();
    }
  } finally {
    setGuardian(null);
    guardian.close();
    await runAgents.value.close();
  }
}

function noLook(exit_code: NoRun["exit_code"], { problems }: { readonly problems: readonly Problem[] }): NoRun {
  return { ok: false, exit_code, problems };
}

function lookOf(verdict: ChecklistVerdict): GateLook {
  if (verdict.passed === true) return { passed: true, reason: "" };
  const failing = failingLeaves(verdict);
  const shown = failing
    .slice(0, MOST_NAMED)
    .map(({ item, check, evidence }) => `${checkLine(item, check)}: ${evidenceText(evidence, MOST_EVIDENCE).trim()}`);
  const more = failing.length > MOST_NAMED ? [`and ${failing.length - MOST_NAMED} more`] : [];
  const open = verdict.passed === null ? ["nobody could judge what it says in words"] : [];
  return { passed: verdict.passed, reason: [...shown, ...more, ...open].join("; ") };
}
