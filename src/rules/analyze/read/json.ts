/** Reading JSON that another program wrote: what is not as expected is absent. */
import { parseJson } from "../../../core/reading.ts";

export type Json = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The line as a JSON object; undefined: it is none. */
export function parseObject(line: string): Json | undefined {
  const parsed = parseJson(line);
  return parsed.ok ? objectOf(parsed.value) : undefined;
}
