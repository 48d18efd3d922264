/**
 * What it means when a model service says no (SPEC section 7): what the atom has no part in is `unavailable`, with a
 * time if waiting can help. Clients pass the service's words on in many forms; this reads status and wait from them.
 */
import type { AgentAnswer } from "../../loop/ports.ts";
import { tailOf } from "./call-end.ts";

type Trouble = Extract<AgentAnswer, { kind: "failed" | "unavailable" }>;

export interface Service {
  /** The client, as a sentence begins with it. */
  readonly name: string;
  readonly login: string;
}

/** How long to wait where the service does not say; milliseconds. */
const RATE_LIMIT_MS = 60_000;
const OVERLOAD_MS = 30_000;

/**
 * @param status HTTP status; undefined: there was no answer at all
 * @param said the client's own words
 * @param wait_ms how long to wait, where the client reported it beside its words
 */
export function serviceTrouble(service: Service, status: number | undefined, said: string, wait_ms?: number): Trouble {
  const heard = tailOf(said);
  if (status === 401 || status === 403 || isLoginTrouble(said))
    return { kind: "unavailable", reason: notLoggedIn(service, heard) };
  if (status === 402 || CANNOT_PAY.test(said))
    return { kind: "unavailable", reason: `${service.name}'s account cannot pay for this call: ${heard}` };
  if (status === 429)
    return {
      kind: "unavailable",
      reason: `${service.name} is rate limited: ${heard}`,
      retry_after_ms: wait_ms ?? waitIn(said) ?? RATE_LIMIT_MS,
    };
  if (status === 404 || UNKNOWN_MODEL.test(said))
    return { kind: "unavailable", reason: `${service.name} does not know the model or the address: ${heard}` };
  if (status === undefined || status === 408 || status >= 500)
    return {
      kind: "unavailable",
      reason: `the model service did not answer (${status ?? "no connection"}): ${heard}`,
      retry_after_ms: waitIn(said) ?? OVERLOAD_MS,
    };
  return { kind: "failed", reason: `the model service refused the call (${status}): ${heard}` };
}

const CANNOT_PAY = /credit balance|billing|payment|insufficient_quota|exceeded your current quota/i;
const UNKNOWN_MODEL = /model_not_found|model\b.{0,80}\b(?:does not exist|not found|is not supported)/i;

export function isLoginTrouble(said: string): boolean {
  return /\/login|not logged in|invalid (?:x-)?api[ -]key|incorrect api key|authentication_error|authentication required|missing (?:bearer|environment variable)|oauth token (?:has )?expired|invalid_grant/i.test(
    said,
  );
}

export function notLoggedIn(service: Service, said: string): string {
  return `${service.name} is not logged in: ${service.login} (${tailOf(said)})`;
}

/** The HTTP status that a client's words name; undefined if they name none. */
export function statusIn(said: string): number | undefined {
  const named =
    /\b(?:status(?:[ _]?code)?|API Error|HTTP(?:\/[\d.]+)?|error|code)\b["']?\s*[:=(]?\s*([45]\d\d)\b/i.exec(
      said,
    )?.[1] ??
    /\b([45]\d\d)\s+(?:Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)/i.exec(
      said,
    )?.[1];
  if (named !== undefined) return Number(named);
  if (/rate.?limit|too many requests|usage limit|resource_exhausted/i.test(said)) return 429;
  if (/overloaded|at capacity/i.test(said)) return 529;
  return /invalid_request_error/i.test(said) ? 400 : undefined;
}

const UNIT_MS: readonly (readonly [RegExp, number])[] = [
  [/([\d.]+)\s*(?:d|days?)\b/i, 86_400_000],
  [/([\d.]+)\s*(?:h|hours?|hrs?)\b/i, 3_600_000],
  [/([\d.]+)\s*(?:m|min|mins|minutes?)\b/i, 60_000],
  [/([\d.]+)\s*(?:s|secs?|seconds?)\b/i, 1_000],
  [/([\d.]+)\s*(?:ms|milliseconds?)\b/i, 1],
];

/** How long a client's words say to wait, milliseconds; undefined if they do not say. */
export function waitIn(said: string): number | undefined {
  const bare = /retry[-_ ]?after["']?(?:\s*[:=]\s*|\s+(?:in\s+)?)["']?(\d+(?:\.\d+)?)(?![\d.]|\s*[a-z])/i.exec(
    said,
  )?.[1];
  if (bare !== undefined) return Math.ceil(Number(bare) * 1_000);
  const phrase =
    /(?:(?:try again|retry|resets?)(?: again)?(?:[-_ ]?(?:in|after))|retry[-_]?after|retryDelay)["']?[:=\s]+["']?((?:[\d.]+\s*[a-z]+[\s,]*(?:and\s+)?)+)/i.exec(
      said,
    )?.[1];
  if (phrase === undefined) return undefined;
  const total = UNIT_MS.reduce((sum, [unit, ms]) => sum + Number(unit.exec(phrase)?.[1] ?? 0) * ms, 0);
  return Number.isFinite(total) && total > 0 ? Math.ceil(total) : undefined;
}
