/**
 * What the end of an ACP conversation means. `end_turn` is a claim: some agents end so on an error of the service, with
 * the error as their words. What counts is an object in what was said.
 */
import { lastJsonObject } from "../../core/json-object.ts";
import { shallow } from "../../core/reading.ts";
import type { AgentAnswer } from "../../loop/ports.ts";
import { answerIn, howEnded, notRun, tailOf, type Ended } from "./call-end.ts";
import { object } from "./json-lines.ts";
import { isLoginTrouble, notLoggedIn, type Service, serviceTrouble, statusIn } from "./service-trouble.ts";

export type AcpEnd =
  | { readonly kind: "stopped"; readonly reason: string }
  /** The agent answered a request with an error; `code` and `data` as JSON-RPC has them. */
  | { readonly kind: "error"; readonly message: string; readonly code?: number; readonly data?: unknown }
  /** The connection ended first. */
  | { readonly kind: "closed"; readonly message: string };

/** JSON-RPC code of ACP for "log in first". */
const AUTH_REQUIRED = -32000;

/** @param said what the agent said, its thoughts not counted */
export function acpAnswer(name: string, end: AcpEnd, said: string, ended: Ended): AgentAnswer {
  const service = serviceOf(name);
  if (end.kind === "error") return refusedBy(service, end);
  if (end.kind === "closed") return closed(service, end.message, ended);
  if (end.reason === "cancelled") return { kind: "failed", reason: `${name} was interrupted: ${tailOf(said)}` };
  if (end.reason === "refusal") return { kind: "failed", reason: `${name} refused: ${tailOf(said)}` };
  if (end.reason !== "end_turn")
    return { kind: "failed", reason: `${name} stopped before it had an answer (${end.reason}): ${tailOf(said)}` };
  return isServiceError(said) ? serviceTrouble(service, statusIn(said) ?? 400, said) : answerIn(said);
}

/**
 * An agent that did nothing until its time was over, and reported on stderr that its service refuses it: it tried again and
 * again. That is no matter of the atom's. Undefined: stderr tells no such thing.
 */
export function acpWaited(name: string, stderr: string): AgentAnswer | undefined {
  const said = tailOf(stderr);
  const status = statusIn(said);
  return status === 429 || (status !== undefined && status >= 500)
    ? serviceTrouble(serviceOf(name), status, said)
    : undefined;
}

function serviceOf(name: string): Service {
  return { name, login: "log in with the agent's own command, or set its key" };
}

/** An error of the service in place of an answer: short, and it says so at its beginning. */
function isServiceError(said: string): boolean {
  const text = said.trim();
  if (text.length > 4_000) return false;
  return SERVICE_ERROR.test(text) || object(lastJsonObject(text)?.["error"])?.["message"] !== undefined;
}

const SERVICE_ERROR =
  /^\W*(?:API Error|unexpected status [45]\d\d|exceeded retry limit|stream disconnected|error\W+[45]\d\d)\b/i;

function refusedBy(service: Service, { message, code, data }: Extract<AcpEnd, { kind: "error" }>): AgentAnswer {
  const more = data === undefined || data === null || !shallow(data).ok ? "" : ` ${JSON.stringify(data)}`;
  const said = `${message}${more}`;
  if (code === AUTH_REQUIRED) return { kind: "unavailable", reason: notLoggedIn(service, said) };
  const status = code !== undefined && code >= 400 && code < 600 ? code : statusIn(said);
  if (status !== undefined) return serviceTrouble(service, status, said);
  if (isLoginTrouble(said)) return { kind: "unavailable", reason: notLoggedIn(service, said) };
  return {
    kind: "failed",
    reason: `${service.name} gave an error${code === undefined ? "" : ` (${code})`}: ${tailOf(said)}`,
  };
}

function closed(service: Service, message: string, ended: Ended): AgentAnswer {
  const { stderr } = ended;
  const absent = notRun(service.name, ended);
  if (absent !== undefined) return absent;
  if (isLoginTrouble(stderr)) return { kind: "unavailable", reason: notLoggedIn(service, stderr) };
  const reason = `${service.name} ended the conversation without an answer (${howEnded(ended)}; ${message}): ${tailOf(stderr)}`;
  return { kind: "failed", reason };
}
