import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repairPrompt } from "../../loop/ask.ts";
import type { Confinement } from "../../loop/confinement.ts";
import type { Agent, AgentRequest } from "../../loop/ports.ts";
import { callEnvironment } from "./call-environment.ts";
import { cutShort, runCall } from "./call-end.ts";
import { installedVersion } from "./client-login.ts";
import { codexAnswer, codexWaited, NOTHING_SAID, withCodexEvent } from "./codex-answer.ts";
import { readJsonLines } from "./json-lines.ts";
import { strictSchema } from "./strict-schema.ts";
import { createMeter } from "./usage.ts";

export interface CodexOptions {
  /** Path or name of the client; default `codex`. */
  readonly command?: string;
  readonly model?: string;
  /** Of a worker's commands; what only reads has `read-only` always. Default `workspace-write`. */
  readonly sandbox?: "workspace-write" | "danger-full-access";
  /**
   * How long it may wait for a service that it does not reach, milliseconds; default two minutes. By itself it waits
   * for ever ("waiting for network").
   */
  readonly longest_wait_ms?: number;
  /** Where its programs run; default: in the request's folder, with all rights. */
  readonly place?: Confinement;
  /** The whole environment; default: this process's. It is the user's own client with the user's own login. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * `codex`: the user's own Codex, one `codex exec --json` process per call (SPEC section 10). It tells tokens and no
 * cost, and cannot be given a budget.
 */
export function createCodexAgent(options: CodexOptions = {}): Agent {
  const command = options.command ?? "codex";
  const meter = createMeter();
  return {
    name: options.model === undefined ? "codex" : `codex:${options.model}`,
    async call(request, signal) {
      if (signal.aborted) return { kind: "aborted" };
      let report = NOTHING_SAID;
      const patience = createPatience(options.longest_wait_ms ?? LONGEST_WAIT_MS);
      const lines = readJsonLines((event) => {
        report = withCodexEvent(report, event);
        patience.waiting(report.waiting);
      });
      const schema = writeSchema(request);
      try {
        const program = {
          command,
          args: codexArguments(request, options, schema?.file),
          env: callEnvironment(request, options.env),
          input: repairPrompt(request),
          signal: AbortSignal.any([signal, patience.signal]),
          onStdout: lines.take,
        };
        const reads = schema === undefined ? [] : [schema.file];
        const result = await runCall(request, program, { user: "codex", place: options.place, reads });
        lines.end();
        const gaveUp = !signal.aborted && report.waiting && (patience.signal.aborted || result.timed_out !== false);
        const answer = gaveUp ? codexWaited(report) : (cutShort(result, request) ?? codexAnswer(result, report));
        return report.usage === undefined ? answer : { ...answer, usage: meter(report.session, report.usage) };
      } finally {
        patience.waiting(false);
        schema?.remove();
      }
    },
    available: () => installedVersion(command, options.env, "install Codex: npm install -g @openai/codex"),
    close: () => Promise.resolve(),
  };
}

const LONGEST_WAIT_MS = 120_000;

/** Aborts its signal when a wait takes longer than `ms`. */
function createPatience(ms: number): { readonly signal: AbortSignal; waiting(is: boolean): void } {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: end.signal,
    waiting(is) {
      if (is) timer ??= setTimeout(() => end.abort(), ms);
      else {
        clearTimeout(timer);
        timer = undefined;
      }
    },
  };
}

/** The command line of one call. The prompt goes to stdin: it can be longer than an argument may be. */
export function codexArguments(
  request: AgentRequest,
  options: CodexOptions,
  schemaFile: string | undefined,
): readonly string[] {
  const session = request.repair?.session;
  // Its own sandbox cannot be set up in another one, which holds it already.
  const isHeld = options.place !== undefined && options.place.kind !== "none";
  const own = request.role === "worker" ? (options.sandbox ?? "workspace-write") : "read-only";
  const sandbox = isHeld ? "danger-full-access" : own;
  return [
    "exec",
    ...(session === undefined ? [] : ["resume"]),
    "--json",
    "--skip-git-repo-check",
    // As settings: `exec resume` has no flags for them.
    "-c",
    `sandbox_mode="${sandbox}"`,
    "-c",
    'approval_policy="never"',
    // What is judged does not instruct its judge: no AGENTS.md of that folder.
    ...(request.role === "judge" ? ["-c", "project_doc_max_bytes=0"] : []),
    ...(schemaFile === undefined ? [] : ["--output-schema", schemaFile]),
    ...(options.model === undefined ? [] : ["--model", options.model]),
    ...(session === undefined ? [] : [session]),
    "-",
  ];
}

/** Outside the attempt's folder: what lies there is taken for work. */
function writeSchema(request: AgentRequest): { readonly file: string; remove(): void } | undefined {
  const schema = strictSchema(request.schema);
  if (schema === undefined) return undefined;
  try {
    const folder = mkdtempSync(join(tmpdir(), "aot-schema-"));
    const file = join(folder, "schema.json");
    writeFileSync(file, JSON.stringify(schema));
    return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
  } catch {
    // The prompt says the schema too.
    return undefined;
  }
}
