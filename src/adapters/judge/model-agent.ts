/**
 * `ai:<provider>/<model>`: a judge without a client, through the `ai` SDK and one of its provider packages (SPEC section 10).
 * Both are optional peers that the person installs; the provider reads its key and address from the environment, as it
 * documents. It has no tools and no folder: it sees its prompt and nothing else.
 */
import { accepted, type Result } from "../../core/problem.ts";
import { importOptional } from "../../host/optional-package.ts";
import { repairPrompt } from "../../loop/ask.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";

export type Load = (name: string) => Promise<unknown>;

const SPEC = /^ai:([a-z0-9][a-z0-9-]*)\/(.+)$/;
/** Characters of an unreadable answer that are kept. */
const SHOWN = 2_000;

/**
 * The agent of this name. Loads nothing yet; `available()` says whether the packages are there.
 * @param load finds a package by its name; default: beside this program, then in the current project
 */
export function createModelAgent(spec: string, load: Load = importOptional): Result<Agent> {
  const [, provider, model] = SPEC.exec(spec) ?? [];
  if (provider === undefined || model === undefined)
    return {
      ok: false,
      problems: [
        {
          code: "unknown_value",
          message: `there is no model ${JSON.stringify(spec)}`,
          hint: "write ai:<provider>/<model>, such as ai:anthropic/claude-sonnet-5-5",
        },
      ],
    };
  const parts = async (): Promise<Parts | string> => await assemble(provider, model, load);
  return accepted({
    name: spec,
    async call(request, signal) {
      const found = await parts();
      return typeof found === "string" ? { kind: "unavailable", reason: found } : await ask(found, request, signal);
    },
    async available() {
      const found = await parts();
      return typeof found === "string" ? { ok: false, reason: found } : { ok: true };
    },
    close: () => Promise.resolve(),
  });
}

interface Parts {
  readonly generate: (options: object) => Promise<Readonly<Record<string, unknown>>>;
  readonly output: (schema: object) => unknown;
  readonly model: unknown;
}

async function ask(parts: Parts, request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer> {
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(request.timeout_ms, 2 ** 31 - 1)));
  try {
    const result = await parts.generate({
      model: parts.model,
      prompt: repairPrompt(request),
      output: parts.output(plainSchema(request.schema)),
      abortSignal: AbortSignal.any([signal, timeout]),
      // The loop waits for a rate limit itself, and says so.
      maxRetries: 0,
    });
    const usage = usageOf(result["usage"]);
    return readOutput(result, usage);
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" };
    if (timeout.aborted)
      return { kind: "failed", timed_out: true, reason: `no answer within ${request.timeout_ms / 1_000} s` };
    return modelTrouble(error, Date.now());
  }
}

/** `output` is a getter that throws when the text was no object of the schema. */
function readOutput(result: Readonly<Record<string, unknown>>, usage: { usage?: object }): AgentAnswer {
  try {
    return { kind: "answer", value: result["output"], ...usage };
  } catch (error) {
    const text = typeof result["text"] === "string" ? result["text"].slice(0, SHOWN) : "";
    return { kind: "unreadable", text, problem: error instanceof Error ? error.message : String(error), ...usage };
  }
}

/** What a call is made with, or what is missing and how to get it. */
async function assemble(provider: string, model: string, load: Load): Promise<Parts | string> {
  const names = ["ai", `@ai-sdk/${provider}`] as const;
  const loaded = await Promise.all(names.map((name) => tryLoad(name, load)));
  const missing = names.filter((_, i) => loaded[i] === null);
  if (missing.length > 0)
    return `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed here; install with: npm install ${missing.map(pinned).join(" ")}`;
  const [sdk, packaged] = loaded;
  if (typeof sdk === "string") return sdk;
  if (typeof packaged === "string") return packaged;
  const { generateText, jsonSchema, Output } = sdk ?? {};
  if (!isFunction(generateText) || !isFunction(jsonSchema) || !isRecord(Output) || !isFunction(Output["object"]))
    return "the installed ai package is not of a version that is known here; install with: npm install ai@6";
  const create = providerIn(packaged ?? {}, provider);
  if (create === null) return `@ai-sdk/${provider} offers no provider that is ready for use by that name`;
  const { object } = Output;
  return {
    generate: async (options) => record(await generateText(options)),
    output: (schema) => object({ schema: jsonSchema(schema) }),
    model: create(model),
  };
}

function pinned(name: string): string {
  return name === "ai" ? "ai@6" : `${name}@3`;
}

/** `@ai-sdk/amazon-bedrock` exports `bedrock`. */
function providerIn(packaged: Readonly<Record<string, unknown>>, provider: string): Callable | null {
  const camel = provider.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  for (const name of [camel, provider.slice(provider.lastIndexOf("-") + 1)]) {
    const found = packaged[name];
    if (isFunction(found)) return found;
  }
  return null;
}

/** null: it is not there; a string: it is and cannot be loaded. */
async function tryLoad(name: string, load: Load): Promise<Readonly<Record<string, unknown>> | null | string> {
  try {
    return record(await load(name));
  } catch (error) {
    if (isMissing(error)) return null;
    return `${name} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND")
  );
}

type Callable = (...args: readonly unknown[]) => unknown;

function isFunction(value: unknown): value is Callable {
  return typeof value === "function";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/**
 * A schema as every provider's strict mode takes it: shapes, enumerations and descriptions. Limits (`minLength`,
 * `minimum`, ...) are refused by some; what they ask for is checked when the answer is read.
 */
const KEPT = new Set(["type", "description", "enum", "properties", "required", "items"]);

export function plainSchema(schema: object): object {
  return Object.fromEntries([
    ...Object.entries(schema)
      .filter(([key]) => KEPT.has(key))
      .map(([key, value]) => [key, key === "properties" ? mapped(value) : key === "items" ? inner(value) : value]),
    ...("properties" in schema ? [["additionalProperties", false]] : []),
  ]) as object;
}

function mapped(properties: unknown): object {
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, value]) => [name, inner(value)]));
}

function inner(value: unknown): unknown {
  return typeof value === "object" && value !== null ? plainSchema(value) : value;
}

/** Where a service says "later" and not when; milliseconds. */
const LATER_MS = 60_000;

/** @param now milliseconds since 1970, for a time that the service names */
export function modelTrouble(error: unknown, now: number): AgentAnswer {
  const reported = record(error);
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
  const { "retry-after-ms": ms, "retry-after": after } = record(headers);
  if (isWait(Number(ms))) return Number(ms);
  if (isWait(Number(after))) return Number(after) * 1_000;
  const until = typeof after === "string" && /[A-Z]/.test(after) ? Date.parse(after) - now : Number.NaN;
  return isWait(until) ? until : LATER_MS;
}

function isWait(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

function usageOf(usage: unknown): { usage?: { input_tokens?: number; output_tokens?: number } } {
  const { inputTokens, outputTokens } = record(usage);
  const input = typeof inputTokens === "number" ? { input_tokens: inputTokens } : {};
  const output = typeof outputTokens === "number" ? { output_tokens: outputTokens } : {};
  return isRecord(usage) ? { usage: { ...input, ...output } } : {};
}
