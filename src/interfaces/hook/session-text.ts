/** What a session is told of its loop. A model acts on these texts: keep them short and exact. */
import type { SessionAnswer } from "../../session/session.ts";
import { nextStep } from "../../command/next-step.ts";
import type { Objective } from "../../core/state.ts";
import { briefText } from "../../loop/brief.ts";
import { EARLIER_PLANS } from "../../loop/prompt.ts";
import { bullets } from "../../loop/prompt-text.ts";
import type { WorkItem } from "../../session/running.ts";
import type { OpenWork } from "../../session/work.ts";
import { judgedItems } from "../../session/check.ts";

export function answerText(answer: Exclude<SessionAnswer, { kind: "untouched" }>): string {
  switch (answer.kind) {
    case "work":
      return [
        `AoT loop: iteration ${answer.iteration} is open.${judgedText(answer)}`,
        ...(answer.failing.length === 0
          ? []
          : ["The base case is not met. What fails has become work:", failingText(answer.failing)]),
        ...(answer.plans === "" ? [] : [`${EARLIER_PLANS}:`, answer.plans]),
        workText(answer.work),
      ].join("\n");
    case "judge":
      return judgeText(answer.items);
    case "halted":
      return `AoT loop: ${answer.outcome}. ${sentence(answer.message)}${answer.outcome === "verified" ? "" : `${judgedText(answer)} Next: ${nextStep(answer)} (in the session /aot-loop:run).`}`;
    case "cut_off":
      return `AoT loop: its coordinator ended without a decision (an error of the model service, or an interruption). The loop stays running at iteration ${answer.iteration}, and nobody works it: /aot-loop:run goes on here, \`aot run\` outside.`;
    case "interrupted":
      return "AoT loop: interrupted by a redirect. What was found in this iteration is discarded.";
  }
}

const MOST_FAILING = 5;

function failingText(failing: readonly string[]): string {
  return bullets(failing.slice(0, MOST_FAILING), failing.length);
}

/** What a coordinator has yet to do, also for one that no longer knows what it did. */
export function openText({ judge, work, started, iteration }: OpenWork): string {
  if (judge.length > 0) return judgeText(judge);
  const running = started.map(({ atom, role }) => `${atom} (${role})`).join(", ");
  return [
    `AoT loop: iteration ${iteration} is open.`,
    ...(running === "" ? [] : [`Started, and without an answer yet: ${running}. Do not start them again.`]),
    workText(work),
  ].join("\n");
}

export function workText(work: readonly WorkItem[]): string {
  if (work.length === 0) return "Every attempt of this iteration was started: code reads their answers. End your turn.";
  return [
    `Start ${work.length === 1 ? "this agent" : `these ${work.length} agents, all in one message`}:`,
    ...work.map(
      ({ atom, role, description, failed }) =>
        `- subagent_type "aot-loop:${role}", description "${atom}: ...", prompt "Work ${atom}." (${oneLine(description)})${failed === undefined ? "" : `; it failed: ${oneLine(failed)}`}`,
    ),
    'Each gets its full instruction by itself, and code reads its answer: you report nothing. Where they run in the background ("Async agent launched") end your turn: each result wakes you.',
    "When all have ended, end your turn: the hook judges the iteration and hands out the next one.",
  ].join("\n");
}

export function judgeText(items: readonly string[]): string {
  return [
    "AoT loop: everything is resolved, and these items of the base case need a judge:",
    ...items.map((item) => `- ${oneLine(item)}`),
    'Start subagent_type "aot-loop:verifier" with prompt "Judge the base case.". When it has ended, stop: the hook verifies everything itself.',
  ].join("\n");
}

/** It names its items: `aot verify` leaves commands undecided that have to pass more than once, too. */
export function verifierPrompt(objective: Objective): string {
  const items = judgedItems(objective.base_case).map((item) => `- ${oneLine(item)}`);
  return withBrief(`Judge these items of the base case; code decides the others:\n${items.join("\n")}`, objective);
}

/** For the main thread, where it does not coordinate: what is to be worked is its coordinator's to start. */
export function enteredText(answer: SessionAnswer): string {
  const open = answer.kind === "work" ? `iteration ${answer.iteration} is open` : "it is open";
  return `AoT loop: ${open}. Start its coordinator (aot-loop:coordinator) and no other agent: it gets the work by itself.`;
}

/** A task of the coordinator or the verifier, with the goal; prompts of workers and probes hold that already. */
export function withBrief(task: string, objective: Objective): string {
  return `${task}\n\nWhat the loop is for:\n\n${briefText(objective)}`;
}

function judgedText(answer: Extract<SessionAnswer, { kind: "work" | "halted" }>): string {
  if (answer.judged === undefined) return "";
  const { movement, before, measure, stall_count, max_stall_count, unresolved, advice } = answer.judged;
  const moved = movement === "first" ? `${measure} unresolved` : `${movement}, ${before} -> ${measure} unresolved`;
  const at = unresolved.length === 0 ? "" : ` at ${unresolved.join(", ")}`;
  const stalled = stall_count > 0 ? `; stall ${stall_count}/${max_stall_count}${at}` : "";
  return ` The last iteration: ${moved}${stalled}${advice === undefined ? "" : ` (${advice})`}.`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
