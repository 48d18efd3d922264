/**
 * What a finished `codex exec --json` call means. Its exit code does not decide: what counts is `turn.completed`, and
 * an object in the last thing it said.
 */
import { lastJsonObject } from "../../core/json-object.ts";
import type { Usage } from "../../core/event.ts";
import type { GroupResult } from "../../host/process.ts";
import type { AgentAnswer } from "../../loop/ports.ts";
import { tailOf } from "./call-end.ts";
import { object, type Json } from "./json-lines.ts";
import { isLoginTrouble, notLoggedIn, type Service, serviceTrouble, statusIn } from "./service-trouble.ts";
import { withoutNulls } from "./strict-schema.ts";

const CODEX: Service = { name: "codex", login: "run `codex login`, or set OPENAI_API_KEY" };

export interface CodexReport {
  readonly session?: string;
  /** The last thing that the agent said. */
  readonly said: string;
  readonly completed: boolean;
  /** Tokens of the whole session. */
  readonly usage?: Usage;
  /** Why the turn failed; else the last error that was told. */
  readonly failure?: string;
  readonly failed: boolean;
  /** What it said last is that it waits for its service. */
  readonly waiting: boolean;
}

export const NOTHING_SAID: CodexReport = { said: "", completed: false, failed: false, waiting: false };

/** The report after one more event. */
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
      const usage = tokensOf(object(event["usage"]));
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

function tokensOf(told: Json | undefined): Usage | undefined {
  const [input, output] = [told?.["input_tokens"], told?.["output_tokens"]];
  if (typeof input !== "number" && typeof output !== "number") return undefined;
  return {
    ...(typeof input === "number" ? { input_tokens: input } : {}),
    ...(typeof output === "number" ? { output_tokens: output } : {}),
  };
}

/** What the call answered, without its usage. */
export function codexAnswer(
  ended: Pick<GroupResult, "exit_code" | "signal" | "stderr">,
  report: CodexReport,
): AgentAnswer {
  if (report.failed || !report.completed) return withoutTurn(ended, report);
  const session = report.session === undefined ? {} : { session: report.session };
  const value = lastJsonObject(report.said);
  if (value !== undefined) return { kind: "answer", value: withoutNulls(value), ...session };
  const empty = report.said.trim() === "";
  return {
    kind: "unreadable",
    text: empty ? "" : tailOf(report.said),
    problem: empty ? "the answer was empty; a JSON object was expected" : "no complete JSON object in the answer",
    ...session,
  };
}

/** It waited for its service until it was ended: no matter of the atom's. */
export function codexWaited({ failure = "" }: CodexReport): AgentAnswer {
  return serviceTrouble(CODEX, statusIn(failure), failure);
}

function withoutTurn(
  { exit_code, signal, stderr }: Pick<GroupResult, "exit_code" | "signal" | "stderr">,
  { failure, failed }: CodexReport,
): AgentAnswer {
  const said = failure ?? stderr;
  const status = statusIn(said);
  if (status !== undefined) return serviceTrouble(CODEX, status, said);
  if (isLoginTrouble(said)) return { kind: "unavailable", reason: notLoggedIn(CODEX, said) };
  if (NO_CONNECTION.test(said)) return serviceTrouble(CODEX, undefined, said);
  if (failed) return { kind: "failed", reason: `codex stopped: ${tailOf(said)}` };
  const how = exit_code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exit_code}`;
  return { kind: "failed", reason: `codex ended without finishing its turn (${how}); interrupted? ${tailOf(said)}` };
}

const NO_CONNECTION =
  /stream disconnected|error sending request|connection (?:refused|reset|closed|failed)|failed to connect|network error|timed? ?out waiting/i;
