/** What a session is told of its loop. Text that a model reads is code: short and exact. */
import type { SessionAnswer } from "../../app/session/session.ts";
import type { WorkItem } from "../../app/session/session-work.ts";

export function answerText(answer: Exclude<SessionAnswer, { kind: "untouched" }>): string {
  switch (answer.kind) {
    case "work":
      return [
        `AoT loop: iteration ${answer.iteration} is open.${judgedText(answer)}`,
        ...(answer.failing.length === 0
          ? []
          : [`The base case is not met; it fails at: ${answer.failing.join(", ")}.`]),
        workText(answer.work),
      ].join("\n");
    case "judge":
      return judgeText(answer.items);
    case "halted":
      return `AoT loop: ${answer.outcome}. ${sentence(answer.message)}${judgedText(answer)}`;
    case "cut_off":
      return `AoT loop: its coordinator ended without a decision (an error of the model service, or an interruption). The loop stays running at iteration ${answer.iteration}, and nobody works it: /aot-loop:enter-recursion goes on here, \`aot run\` outside.`;
    case "interrupted":
      return "AoT loop: interrupted by a redirect. What was found in this iteration is discarded.";
  }
}

export function workText(work: readonly WorkItem[]): string {
  if (work.length === 0) return "Every attempt of this iteration was started. Report what came back, then stop.";
  return [
    `Start ${work.length === 1 ? "this agent" : `these ${work.length} agents, all in one message`}, in the foreground (run_in_background: false):`,
    ...work.map(
      ({ atom, role, description }) =>
        `- subagent_type "aot-loop:${role}", description "${atom}: ...", prompt "Work ${atom}." (${oneLine(description)})`,
    ),
    "Each gets its full instruction by itself. Report each result before you stop:",
    '- a worker\'s success: `aot atom update ID resolved`, then `aot binding add ID --summary "..." --artifacts a,b`',
    '- a failure, or a probe\'s feasible false: `aot atom fail ID --reason "..."`',
    '- a worker\'s split: `aot atom decompose ID --child ID1="..." --child ID2="..." --reason "..."`',
    '- a probe\'s feasible true: `aot session feasible ID --findings "..."`',
    "Then stop: the hook judges the iteration and hands out the next one.",
  ].join("\n");
}

export function judgeText(items: readonly string[]): string {
  return [
    "AoT loop: everything is resolved, and these items of the base case need a judge:",
    ...items.map((item) => `- ${oneLine(item)}`),
    'Start subagent_type "aot-loop:verifier" with prompt "Judge the base case." in the foreground (run_in_background: false), then stop: the hook verifies everything itself.',
  ].join("\n");
}

function judgedText(answer: Extract<SessionAnswer, { kind: "work" | "halted" }>): string {
  if (answer.judged === undefined) return "";
  const { movement, before, measure, stall_count, advice } = answer.judged;
  const moved = movement === "first" ? `${measure} unresolved` : `${movement}, ${before} -> ${measure} unresolved`;
  const stalled = stall_count > 0 ? `; stall count ${stall_count}` : "";
  return ` The last one: ${moved}${stalled}${advice === undefined ? "" : ` (${advice})`}.`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
