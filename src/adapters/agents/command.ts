import { lastJsonObject } from "../../core/json-object.ts";
import type { Usage } from "../../core/event.ts";
import type { GroupResult } from "../../host/process.ts";
import { runGroup } from "../../host/process.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { callEnvironment } from "./call-environment.ts";
import { cutShort, KEPT_BYTES, tailOf } from "./call-end.ts";
import type { Json } from "./json-lines.ts";
import { readUsage } from "./usage.ts";

/** EX_TEMPFAIL of sysexits: how a command says "not now" (rate limited); it is asked again later. */
const TRY_LATER = 75;
const TRY_LATER_MS = 60_000;
/** What shells exit with when they could not run a program; cmd.exe uses 9009. */
const NOT_RUN: ReadonlySet<number> = new Set(process.platform === "win32" ? [9009] : [126, 127]);

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
      const result = await runGroup({
        command,
        shell: true,
        cwd: request.cwd,
        env: callEnvironment(request, options.env ?? process.env),
        input: `${JSON.stringify(requestOf(request))}\n`,
        timeout_ms: request.timeout_ms,
        keep_bytes: KEPT_BYTES,
        signal,
        ...(request.idle_timeout_ms === undefined ? {} : { idle_timeout_ms: request.idle_timeout_ms }),
        ...(request.log_file === undefined ? {} : { log_file: request.log_file }),
      });
      const value = lastJsonObject(result.stdout);
      const usage = readUsage(value?.["usage"]);
      return withUsage(cutShort(result, request) ?? answerOf(command, result, value), usage);
    },
    available: () =>
      Promise.resolve(
        command.trim() === ""
          ? {
              ok: false,
              reason: "command: names no command; write --agent 'command:<shell command>'",
            }
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
  const code = result.exit_code;
  if (code === null)
    return {
      kind: "failed",
      reason: `ended by ${result.signal ?? "a signal"}: ${tailOf(result.stderr)}`,
    };
  if (NOT_RUN.has(code))
    return {
      kind: "unavailable",
      reason: `${JSON.stringify(command)} could not be run (exit code ${code}): ${tailOf(result.stderr)}. Is it installed and on PATH?`,
    };
  if (code === TRY_LATER)
    return {
      kind: "unavailable",
      reason: `it asks to be tried later (exit code ${TRY_LATER}): ${tailOf(result.stderr)}`,
      retry_after_ms: waitOf(value),
    };
  if (code !== 0) return { kind: "failed", reason: `exit code ${code}: ${tailOf(result.stderr)}` };
  if (value !== undefined) return { kind: "answer", value };
  const problem =
    result.stdout.trim() === "" ? "stdout was empty; a JSON object was expected" : "no complete JSON object on stdout";
  return { kind: "unreadable", text: tailOf(result.stdout), problem };
}

function waitOf(value: Json | undefined): number {
  const told = value?.["retry_after_ms"];
  return typeof told === "number" && Number.isFinite(told) && told >= 0 ? told : TRY_LATER_MS;
}

function withUsage(answer: AgentAnswer, usage: Usage | undefined): AgentAnswer {
  return usage === undefined ? answer : { ...answer, usage };
}
