/**
 * What a finished `codex exec --json` call means. Its exit code does not decide: what counts is `turn.completed`, and
 * an object in the last thing it said.
 */
import type { Usage } from "../../core/event.ts";
import type { AgentAnswer } from "../../loop/ports.ts";
import { answerIn, howEnded, tailOf, type Ended } from "./call-end.ts";
import { object, type Json } from "./json-lines.ts";
import { isLoginTrouble, notLoggedIn, type Service, serviceTrouble, statusIn } from "./service-trouble.ts";
import { withoutNulls } from "./strict-schema.ts";
import { readUsage } from "./usage.ts";

const CODEX: Service = { name: "codex", login: "run `codex login`, or set OPENAI_API_KEY" };

export interface CodexReport {
  readonly session?: string;
  /** The last thing that the agent said. */
  readonly said: string;
  readonly completed: boolean;
  /** Tokens of the whole session. */
  readonly usage?: Usage;
  /** Why the turn failed; else the last error that was reported. */
  readonly failure?: string;
  readonly failed: boolean;
  /** What it said last is that it waits for its service. */
  readonly waiting: boolean;
}

export const NOTHING_SAID: CodexReport = { said: "", completed: false, failed: false, waiting: false };

export function withCodexEvent(before: CodexReport, event: Json): CodexReport {
  const seen = before.waiting ? { ...before, waiting: false } : before;
  switch (event["type"]) {
    case "thread.started":
      return typeof event["thread_id"] === "string" ? { ...seen, session: event["thread_id"] } : seen;
    case "turn.started":
      return { ...seen, completed: false, failed: false, said: "" };
    case "item.completed": {
      const item = object(event["item"]);
      const text = item?.["type"] === "agent_message" ? item["text"] : undefined;
      return typeof text === "string" ? { ...seen, said: text } : seen;
    }
    case "turn.completed": {
      const reported = object(event["usage"]);
      const usage = readUsage({ input_tokens: reported?.["input_tokens"], output_tokens: reported?.["output_tokens"] });
      return { ...seen, completed: true, ...(usage === undefined ? {} : { usage }) };
    }
    case "turn.failed": {
      const message = object(event["error"])?.["message"];
      return { ...seen, failed: true, ...(typeof message === "string" ? { failure: message } : {}) };
    }
    case "error":
      return typeof event["message"] === "string" ? { ...seen, failure: event["message"], waiting: true } : seen;
    default:
      return seen;
  }
}

/** What the call answered, without its usage. */
export function codexAnswer(ended: Ended, report: CodexReport): AgentAnswer {
  if (report.failed || !report.completed) return withoutTurn(ended, report);
  const session = report.session === undefined ? {} : { session: report.session };
  const answer = answerIn(report.said);
  return { ...answer, ...(answer.kind === "answer" ? { value: withoutNulls(answer.value) } : {}), ...session };
}

/** It waited for its service until it was ended: no matter of the atom's. */
export function codexWaited({ failure = "" }: CodexReport): AgentAnswer {
  return serviceTrouble(CODEX, statusIn(failure), failure);
}

function withoutTurn(ended: Ended, { failure, failed }: CodexReport): AgentAnswer {
  const said = failure ?? ended.stderr;
  const status = statusIn(said);
  if (status !== undefined) return serviceTrouble(CODEX, status, said);
  if (isLoginTrouble(said)) return { kind: "unavailable", reason: notLoggedIn(CODEX, said) };
  if (NO_CONNECTION.test(said)) return serviceTrouble(CODEX, undefined, said);
  if (failed) return { kind: "failed", reason: `codex stopped: ${tailOf(said)}` };
  const reason = `codex ended without finishing its turn (${howEnded(ended)}); interrupted? ${tailOf(said)}`;
  return { kind: "failed", reason };
}

const NO_CONNECTION =
  /stream disconnected|error sending request|connection (?:refused|reset|closed|failed)|failed to connect|network error|timed? ?out waiting/i;
