/**
 * OpenTelemetry for a run: off unless the standard variables name a destination, and never a reason for a run to fail.
 * The SDK is an optional peer that the person installs; it reads the variables itself.
 */
import type * as Api from "@opentelemetry/api";
import type * as Sdk from "@opentelemetry/sdk-node";
import type { JournalLine } from "../../core/journal-line.ts";
import { importOptional } from "../../host/optional-package.ts";
import { createRunSpans } from "./run-spans.ts";

export interface Telemetry {
  /** Never throws. */
  line(line: JournalLine): void;
  /** Sends what is left; bounded. */
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** How long the last export may take, milliseconds. */
const CLOSE_MS = 5_000;
const INSTALL = "npm install @opentelemetry/api@1.9 @opentelemetry/sdk-node";

/** Whether the standard variables ask for it. */
export function isTelemetryWanted(env: Environment): boolean {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  const [traces, metrics] = [exportersOf(env, "TRACES"), exportersOf(env, "METRICS")];
  const named = [...traces, ...metrics].some((name) => name !== "none");
  const places = ["", "_TRACES", "_METRICS"].some((kind) => (env[`OTEL_EXPORTER_OTLP${kind}_ENDPOINT`] ?? "") !== "");
  return named || (places && !(traces.includes("none") && metrics.includes("none")));
}

function exportersOf(env: Environment, kind: "TRACES" | "METRICS"): readonly string[] {
  return (env[`OTEL_${kind}_EXPORTER`] ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

/**
 * Starts it if the environment asks for it; null: it does not, or it cannot be had, which is reported.
 * @param tell what a person should know
 */
export async function startTelemetry(env: Environment, tell: (message: string) => void): Promise<Telemetry | null> {
  if (!isTelemetryWanted(env)) return null;
  // It would write between our lines on stdout.
  if ([...exportersOf(env, "TRACES"), ...exportersOf(env, "METRICS")].includes("console")) {
    tell("no telemetry: the console exporter writes to stdout, which is the command's own; name another one");
    return null;
  }
  try {
    const api = (await importOptional("@opentelemetry/api")) as typeof Api;
    const sdk = begun((await importOptional("@opentelemetry/sdk-node")) as typeof Sdk, env);
    const content = env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]?.toLowerCase() === "true";
    const spans = createRunSpans(api, { content });
    return { line: (line) => harmless(() => spans.line(line)), close: () => close(sdk, spans) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    tell(`no telemetry, though OTEL_ variables ask for it: ${reason}; \`${INSTALL}\``);
    return null;
  }
}

/** What is not known must not end the run that it is about. */
function harmless(reported: () => void): void {
  try {
    reported();
  } catch {
    // The journal has it.
  }
}

function begun({ NodeSDK, resources }: typeof Sdk, env: Environment): InstanceType<typeof Sdk.NodeSDK> {
  // Its own log goes to stdout, too.
  const level = process.env["OTEL_LOG_LEVEL"];
  delete process.env["OTEL_LOG_LEVEL"];
  try {
    const sdk = new NodeSDK({
      serviceName: env["OTEL_SERVICE_NAME"] || "aot-loop",
      // Not the process: its command line may hold a secret.
      resourceDetectors: [resources.envDetector],
      logRecordProcessors: [],
    });
    sdk.start();
    return sdk;
  } finally {
    if (level !== undefined) process.env["OTEL_LOG_LEVEL"] = level;
  }
}

async function close(sdk: { shutdown(): Promise<void> }, spans: { end(): void }): Promise<void> {
  harmless(() => spans.end());
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
  // A destination that does not answer is nobody's failure here.
  await Promise.race([sdk.shutdown().catch(() => undefined), late]);
  clearTimeout(timer);
}
