import { lastJsonObject } from "../../core/json-object.ts";
import type { GroupResult } from "../../host/process.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { callEnvironment } from "./call-environment.ts";
import { answerIn, cutShort, howEnded, KEPT_BYTES, notRun, runCall, tailOf } from "./call-end.ts";
import type { Json } from "./json-lines.ts";
import { readUsage } from "./usage.ts";

/** EX_TEMPFAIL of sysexits: how a command says "not now" (rate limited); it is asked again later. */
const TRY_LATER = 75;
const TRY_LATER_MS = 60_000;

/**
 * `command:<shell command>`: any program as an agent (SPEC section 10).
 *
 * It gets one JSON request on stdin, `{role, atom, prompt, bindings, nogoods, schema}` (atom is null for
 * roles without one) and, when it is asked again, `repair: {answer, problem}`. It runs in the attempt's
 * folder with AOT_ROLE, AOT_ATOM, AOT_ATTEMPT and AOT_CALL set. The last JSON object on stdout is its
 * answer; a `usage: {cost_usd, input_tokens, output_tokens}` in it is counted. Exit codes: 0 answered,
 * 75 try later (in `retry_after_ms` of that object, else in a minute), 126 and 127 not installed, any other a failure
 * with stderr's tail as reason.
 */
export function createCommandAgent(
  command: string,
  options: { readonly env?: Readonly<Record<string, string | undefined>> } = {},
): Agent {
  return {
    name: `command:${command}`,
    async call(request, signal) {
      const result = await runCall(request, {
        command,
        shell: true,
        env: callEnvironment(request, options.env ?? process.env),
        input: `${JSON.stringify(requestOf(request))}\n`,
        keep_bytes: KEPT_BYTES,
        signal,
      });
      const value = lastJsonObject(result.stdout);
      const usage = readUsage(value?.["usage"]);
      const answer = cutShort(result, request) ?? answerOf(command, result, value);
      return usage === undefined ? answer : { ...answer, usage };
    },
    available: () =>
      Promise.resolve(
        command.trim() === ""
          ? { ok: false, reason: "command: names no command; write --agent 'command:<shell command>'" }
          : { ok: true },
      ),
    close: () => Promise.resolve(),
  };
}

function requestOf(request: AgentRequest): object {
  const { role, atom, prompt, bindings, nogoods, schema, repair } = request;
  const again = repair === undefined ? {} : { repair: { answer: repair.answer, problem: repair.problem } };
  return { role, atom: atom ?? null, prompt, bindings, nogoods, schema, ...again };
}

function answerOf(command: string, result: GroupResult, value: Json | undefined): AgentAnswer {
  const absent = notRun(JSON.stringify(command), result);
  if (absent !== undefined) return absent;
  if (result.exit_code === TRY_LATER)
    return {
      kind: "unavailable",
      reason: `it asks to be tried later (exit code ${TRY_LATER}): ${tailOf(result.stderr)}`,
      retry_after_ms: waitOf(value),
    };
  if (result.exit_code !== 0) return { kind: "failed", reason: `${howEnded(result)}: ${tailOf(result.stderr)}` };
  return answerIn(result.stdout, value);
}

function waitOf(value: Json | undefined): number {
  const told = value?.["retry_after_ms"];
  return typeof told === "number" && Number.isFinite(told) && told >= 0 ? told : TRY_LATER_MS;
}
