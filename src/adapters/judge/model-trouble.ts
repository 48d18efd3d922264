/** What an error of the `ai` SDK means for the loop: is the model to blame, the service, or the setting up? */
import type { AgentAnswer } from "../../loop/ports.ts";

/** Where a service says "later" and not when; milliseconds. */
const LATER_MS = 60_000;
const SHOWN = 2_000;

/** @param now milliseconds since 1970, for a time that the service names */
export function modelTrouble(error: unknown, now: number): AgentAnswer {
  const reported = fieldsOf(error);
  const reason =
    typeof reported["message"] === "string" && reported["message"] !== "" ? reported["message"] : String(error);
  switch (reported["name"]) {
    case "AI_NoObjectGeneratedError":
    case "AI_NoOutputGeneratedError":
      return {
        kind: "unreadable",
        text: typeof reported["text"] === "string" ? reported["text"].slice(0, SHOWN) : "",
        problem: reason,
        ...usageOf(reported["usage"]),
      };
    case "AI_LoadAPIKeyError":
    case "AI_LoadSettingError":
      return { kind: "unavailable", reason };
    case "AI_APICallError":
      return troubleOfCall(reported, reason, now);
    default:
      return { kind: "failed", reason };
  }
}

function troubleOfCall(reported: Readonly<Record<string, unknown>>, message: string, now: number): AgentAnswer {
  const status = typeof reported["statusCode"] === "number" ? reported["statusCode"] : null;
  const reason = status === null ? message : `HTTP ${status}: ${message}`;
  const body = typeof reported["responseBody"] === "string" ? reported["responseBody"] : "";
  if (status === 401 || status === 403 || status === 402 || /insufficient_quota|credit balance|billing/i.test(body))
    return { kind: "unavailable", reason };
  if (status === null || status === 429 || status === 503 || status === 529)
    return { kind: "unavailable", reason, retry_after_ms: waitIn(reported["responseHeaders"], now) };
  return { kind: "failed", reason };
}

function waitIn(headers: unknown, now: number): number {
  const { "retry-after-ms": ms, "retry-after": after } = fieldsOf(headers);
  if (isWait(Number(ms))) return Number(ms);
  if (isWait(Number(after))) return Number(after) * 1_000;
  const until = typeof after === "string" && /[A-Z]/.test(after) ? Date.parse(after) - now : Number.NaN;
  return isWait(until) ? until : LATER_MS;
}

function isWait(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

function usageOf(usage: unknown): { usage?: { input_tokens: number; output_tokens: number } } {
  const { inputTokens, outputTokens } = fieldsOf(usage);
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return {};
  return { usage: { input_tokens: inputTokens, output_tokens: outputTokens } };
}

/** An error's fields, also those of its prototype. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
