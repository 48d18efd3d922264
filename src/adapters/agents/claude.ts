import { repairPrompt } from "../../loop/ask.ts";
import type { Confinement } from "../../loop/confinement.ts";
import type { Agent, AgentRequest, AgentAnswer } from "../../loop/ports.ts";
import { callEnvironment } from "./call-environment.ts";
import { cutShort, runCall, answerIn, howEnded, tailOf, type Ended } from "./call-end.ts";
import { createClaudeStream, type ClaudeReport } from "./claude-stream.ts";
import { installedVersion } from "./client-login.ts";
import { createMeter, readUsage, sumOf } from "./usage.ts";
import type { Usage } from "../../core/event.ts";
import { object, type Json } from "./json-lines.ts";
import { isLoginTrouble, notLoggedIn, serviceTrouble, type Service } from "./service-trouble.ts";

export interface ClaudeOptions {
  /** Path or name of the client; default `claude`. */
  readonly command?: string;
  readonly model?: string;
  readonly extra_args?: readonly string[];
  /** Settings of a worker beside the user's own, as JSON; asked for before each call, undefined: none. */
  readonly settings?: () => Promise<string | undefined>;
  /** Where its programs run; default: in the request's folder, with all rights. */
  readonly place?: Confinement;
  /** The whole environment; default: this process's. It is the user's own client with the user's own login. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const READING_TOOLS = "Read,Grep,Glob";
const WORKING_TOOLS = `Bash,${READING_TOOLS},Edit,MultiEdit,Write,NotebookEdit,Agent,Skill,WebFetch,WebSearch`;

/** `claude`: the user's own Claude Code, one `claude -p` process per call (SPEC section 10). */
export function createClaudeAgent(options: ClaudeOptions = {}): Agent {
  const command = options.command ?? "claude";
  const meter = createMeter();
  return {
    name: options.model === undefined ? "claude" : `claude:${options.model}`,
    async call(request, signal) {
      const stream = createClaudeStream();
      const settings = request.role === "worker" ? await options.settings?.() : undefined;
      const more = settings === undefined ? [] : ["--settings", settings];
      const program = {
        command,
        args: [...claudeArguments(request, options), ...more],
        env: { ...callEnvironment(request, options.env), CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" },
        input: repairPrompt(request),
        signal,
        onStdout: (chunk: Buffer) => stream.take(chunk),
      };
      const result = await runCall(request, program, { user: "claude", place: options.place });
      const report = stream.report();
      const answer = cutShort(result, request) ?? claudeAnswer(result, report, Date.now());
      const total = report.result && claudeUsage(report.result);
      return total === undefined ? answer : { ...answer, usage: meter(report.session, total) };
    },
    available: () =>
      installedVersion(command, options.env, "install Claude Code: npm install -g @anthropic-ai/claude-code"),
    close: () => Promise.resolve(),
  };
}

/** The command line of one call. The prompt goes to stdin: it can be longer than an argument may be. */
export function claudeArguments(request: AgentRequest, options: ClaudeOptions): readonly string[] {
  const reads = request.role !== "worker";
  const session = request.repair?.session;
  return [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--json-schema",
    JSON.stringify(request.schema),
    // What is not allowed is denied, nobody is asked.
    "--permission-mode",
    "dontAsk",
    "--allowedTools",
    reads ? READING_TOOLS : WORKING_TOOLS,
    // Allowing is not enough for a reader: the user's own settings may allow more.
    ...(reads ? ["--tools", READING_TOOLS, "--strict-mcp-config"] : []),
    // What is judged does not instruct its judge: no settings, hooks and CLAUDE.md of that folder.
    ...(request.role === "judge" ? ["--setting-sources", "user"] : []),
    ...(options.model === undefined ? [] : ["--model", options.model]),
    ...(request.budget_usd === undefined ? [] : ["--max-budget-usd", String(request.budget_usd)]),
    ...(session === undefined ? [] : ["--resume", session]),
    ...(options.extra_args ?? []),
  ];
}

const CLAUDE: Service = { name: "claude", login: "run `claude` and then /login, or set ANTHROPIC_API_KEY" };

/**
 * What the call answered; its usage is `claudeUsage`'s.
 * @param now milliseconds since 1970, to tell how long a rate limit lasts
 */
export function claudeAnswer(ended: Ended, report: ClaudeReport, now: number): AgentAnswer {
  const { result } = report;
  const session = report.session === undefined ? {} : { session: report.session };
  if (result === undefined) return withoutResult(ended, report);
  const broken = brokenResult(result, report, now);
  if (broken !== undefined) return broken;
  const text = typeof result["result"] === "string" ? result["result"] : "";
  return { ...answerIn(text, object(result["structured_output"])), ...session };
}

function withoutResult(ended: Ended, report: ClaudeReport): AgentAnswer {
  const said = `${ended.stderr}\n${report.said ?? ""}`;
  if (isLoginTrouble(said)) return { kind: "unavailable", reason: notLoggedIn(CLAUDE, said) };
  const skipped = report.skipped_lines === 0 ? "" : ` (${report.skipped_lines} lines were too long to read)`;
  return failed(`claude ended without a result (${howEnded(ended)})${skipped}; interrupted? ${tailOf(said)}`);
}

/** What an erroneous result means; undefined if it is a proper end of the conversation. */
function brokenResult(
  result: Json,
  report: ClaudeReport,
  now: number,
): Extract<AgentAnswer, { kind: "failed" | "unavailable" }> | undefined {
  const reason = typeof result["terminal_reason"] === "string" ? result["terminal_reason"] : "completed";
  const subtype = typeof result["subtype"] === "string" ? result["subtype"] : "success";
  const said = saidBy(result, report);
  if (result["is_error"] !== true && reason === "completed" && subtype === "success") return undefined;
  if (reason === "budget_exhausted" || subtype === "error_max_budget_usd")
    return failed(`the call's cost budget was spent before it had an answer (${reason})`);
  if (reason === "max_turns" || subtype === "error_max_turns")
    return failed(`the call's turns were used up before it had an answer (${reason})`);
  const status = statusOf(result, report, said);
  if (reason === "api_error" || status !== undefined)
    return serviceTrouble(CLAUDE, status, said, untilReset(report, now));
  // A hook or an old client may end a conversation by its own words and still give what was asked for.
  if (result["is_error"] !== true && object(result["structured_output"]) !== undefined) return undefined;
  return failed(`claude stopped: ${[...new Set([reason, subtype])].join(", ")}: ${tailOf(said)}`);
}

function failed(reason: string): Extract<AgentAnswer, { kind: "failed" }> {
  return { kind: "failed", reason };
}

function saidBy(result: Json, report: ClaudeReport): string {
  const text = result["result"];
  if (typeof text === "string" && text.trim() !== "") return text;
  const errors = result["errors"];
  return Array.isArray(errors) && errors.length > 0 ? errors.map(String).join("\n") : (report.said ?? "");
}

function statusOf(result: Json, report: ClaudeReport, said: string): number | undefined {
  const reported = result["api_error_status"];
  if (typeof reported === "number") return reported;
  const quoted = /API Error: (\d{3})\b/.exec(said)?.[1];
  if (quoted !== undefined) return Number(quoted);
  return result["terminal_reason"] === "api_error" ? report.retried_status : undefined;
}

function untilReset(report: ClaudeReport, now: number): number | undefined {
  return report.limited_until === undefined ? undefined : Math.max(1_000, report.limited_until * 1000 - now);
}

/** Cost and tokens of the whole session: both are cumulative in the last result. Cached input counts as input. */
export function claudeUsage(result: Json): Usage | undefined {
  const cost = result["total_cost_usd"];
  const models = Object.values(object(result["modelUsage"]) ?? {}).map(object);
  const turn = object(result["usage"]) ?? {};
  const input =
    sumOf(models, ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"]) ??
    sumOf([turn], ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);
  const output = sumOf(models, ["outputTokens"]) ?? sumOf([turn], ["output_tokens"]);
  return readUsage({ cost_usd: cost, input_tokens: input, output_tokens: output });
}
