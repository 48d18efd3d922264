/** The telemetry of a run, loaded only where the environment may ask for it. */
import type { Telemetry } from "../../adapters/telemetry/telemetry.ts";

/** @param tell what a person should know */
export async function telemetryOf(
  env: Readonly<Record<string, string | undefined>>,
  tell: (message: string) => void,
): Promise<Telemetry | null> {
  if (!Object.keys(env).some((name) => name.startsWith("OTEL_"))) return null;
  const { startTelemetry } = await import("../../adapters/telemetry/telemetry.ts");
  return await startTelemetry(env, tell);
}
