import type { Usage } from "../../core/event.ts";
import type { Json } from "./json-lines.ts";

const USAGE_KEYS = ["cost_usd", "input_tokens", "output_tokens"] as const;

/** The figures of a `usage` object that make sense (finite, not negative); undefined if there are none. */
export function readUsage(given: unknown): Usage | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const reported = given as Readonly<Record<string, unknown>>;
  const usage: { -readonly [key in keyof Usage]: number } = {};
  for (const figure of USAGE_KEYS) {
    const value = reported[figure];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) usage[figure] = value;
  }
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The sum of the figures under these keys; undefined: there is none. */
export function sumOf(records: readonly (Json | undefined)[], keys: readonly string[]): number | undefined {
  const reported = records.flatMap((record) => keys.map((key) => record?.[key]));
  const figures = reported.filter((value) => typeof value === "number" && value >= 0);
  return figures.length === 0 ? undefined : figures.reduce((total: number, value) => total + Number(value), 0);
}

/** What came on top of `before`. A figure that shrank was counted from nothing: it is taken as it is. */
function usageSince(before: Usage | undefined, total: Usage): Usage {
  const own: { -readonly [key in keyof Usage]: number } = {};
  for (const figure of USAGE_KEYS) {
    const now = total[figure];
    const then = before?.[figure] ?? 0;
    if (now !== undefined) own[figure] = now >= then ? now - then : now;
  }
  return own;
}

/** Sessions that may still be resumed; only a repair does, right after its call. */
const MOST_SESSIONS = 256;

/**
 * A resumed session tells the figures of the whole session (a budget, though, is the process's own): what
 * earlier calls reported is taken off, so that nothing is counted twice.
 */
export function createMeter(): (session: string | undefined, total: Usage) => Usage {
  const reported = new Map<string, Usage>();
  return (session, total) => {
    if (session === undefined) return total;
    const own = usageSince(reported.get(session), total);
    reported.delete(session);
    reported.set(session, total);
    const [oldest] = reported.keys();
    if (reported.size > MOST_SESSIONS && oldest !== undefined) reported.delete(oldest);
    return own;
  };
}
