/**
 * `ai:<provider>/<model>`: a judge without a client, through the `ai` SDK and one of its provider packages (SPEC section 10).
 * Both are optional peers that the person installs; the provider reads its key and address from the environment, as it
 * documents. It has no tools and no folder: it sees its prompt and nothing else.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { accepted, type Result } from "../../core/problem.ts";
import { repairPrompt } from "../../loop/ask.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { modelTrouble } from "./model-trouble.ts";

export type Load = (name: string) => Promise<unknown>;

const SPEC = /^ai:([a-z0-9][a-z0-9-]*)\/(.+)$/;
/** Characters of an unreadable answer that are kept. */
const SHOWN = 2_000;

/**
 * The agent of this name. Loads nothing yet; `available()` says whether the packages are there.
 * @param load finds a package by its name; default: beside this program, then in the current project
 */
export function createModelAgent(spec: string, load: Load = loadPackage): Result<Agent> {
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

function usageOf(usage: unknown): { usage?: { input_tokens?: number; output_tokens?: number } } {
  if (!isRecord(usage)) return {};
  const { inputTokens, outputTokens } = usage;
  return {
    usage: {
      ...(typeof inputTokens === "number" ? { input_tokens: inputTokens } : {}),
      ...(typeof outputTokens === "number" ? { output_tokens: outputTokens } : {}),
    },
  };
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

async function loadPackage(name: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const found = createRequire(join(process.cwd(), "package.json")).resolve(name);
    return await import(pathToFileURL(found).href);
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
