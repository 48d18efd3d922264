import { repairPrompt } from "../../loop/ask.ts";
import type { Agent, AgentRequest, Confinement } from "../../loop/ports.ts";
import { callEnvironment } from "./call-environment.ts";
import { cutShort, runCall } from "./call-end.ts";
import { claudeAnswer, claudeUsage } from "./claude-answer.ts";
import { createClaudeStream } from "./claude-stream.ts";
import { installedVersion } from "./client-login.ts";
import { createMeter } from "./usage.ts";

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
  const base = options.env ?? process.env;
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
        env: { ...callEnvironment(request, base), CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" },
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
    available: () => installedVersion(command, base, "install Claude Code: npm install -g @anthropic-ai/claude-code"),
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
