import { lastJsonObject } from "../../core/json-object.ts";
import type { GroupResult } from "../../host/process.ts";
import type { Confinement } from "../../loop/confinement.ts";
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
 * answer; a `usage: {cost_usd, input_tokens, output_tokens}` in it is counted. Without one, exit code 0 of a worker
 * claims success and of a probe feasibility, with the last lines of its output as the summary: the checks decide. Exit
 * codes: 0 answered, 75 try later (in `retry_after_ms` of that object, else in a minute), 126 and 127 not installed, any other a failure
 * with stderr's tail as reason.
 */
export function createCommandAgent(
  command: string,
  options: { readonly env?: Readonly<Record<string, string | undefined>>; readonly place?: Confinement } = {},
): Agent {
  return {
    name: `command:${command}`,
    async call(request, signal) {
      const program = {
        command,
        shell: true,
        env: callEnvironment(request, options.env),
        input: `${JSON.stringify(requestOf(request))}\n`,
        keep_bytes: KEPT_BYTES,
        signal,
      };
      const result = await runCall(request, program, { user: "command", place: options.place });
      const value = lastJsonObject(result.stdout);
      const usage = readUsage(value?.["usage"]);
      const answer = cutShort(result, request) ?? answerOf(command, request, { result, value });
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

function answerOf(
  command: string,
  request: AgentRequest,
  { result, value }: { readonly result: GroupResult; readonly value: Json | undefined },
): AgentAnswer {
  const absent = notRun(JSON.stringify(command), result);
  if (absent !== undefined) return absent;
  if (result.exit_code === TRY_LATER)
    return {
      kind: "unavailable",
      reason: `it asks to be tried later (exit code ${TRY_LATER}): ${tailOf(result.stderr)}`,
      retry_after_ms: waitOf(value),
    };
  if (result.exit_code !== 0) return { kind: "failed", reason: `${howEnded(result)}: ${tailOf(result.stderr)}` };
  if (value !== undefined || request.repair !== undefined || HALF_AN_OBJECT.test(result.stdout))
    return answerIn(result.stdout, value);
  return claimOf(request.role, result);
}

/** The beginning of a JSON object: an answer was meant, and cannot be read. */
const HALF_AN_OBJECT = /\{\s*"/;
/** Characters and lines of its output that a program's claim rests on. */
const LONGEST_CLAIM = 1_000;
const CLAIM_LINES = 10;

/** A program that knows no schema. */
function claimOf(role: AgentRequest["role"], { stdout, stderr }: GroupResult): AgentAnswer {
  const said = stdout.trim() === "" ? stderr : stdout;
  const lines = said.trim().split("\n").slice(-CLAIM_LINES).join("\n").slice(-LONGEST_CLAIM);
  const summary = lines === "" ? "exit code 0, no output" : lines;
  if (role === "worker") return { kind: "answer", value: { success: true, summary, artifacts: [] } };
  if (role === "probe") return { kind: "answer", value: { feasible: true, findings: summary } };
  return { kind: "failed", reason: `exit code 0 without a JSON answer, which a ${role} has to give: ${tailOf(said)}` };
}

function waitOf(value: Json | undefined): number {
  const reported = value?.["retry_after_ms"];
  return typeof reported === "number" && Number.isFinite(reported) && reported >= 0 ? reported : TRY_LATER_MS;
}
