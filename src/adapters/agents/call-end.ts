import type { GroupResult } from "../../host/process.ts";
import type { AgentAnswer, AgentRequest } from "../../loop/ports.ts";

/** Bytes of stdout and stderr that are kept of a call. */
export const KEPT_BYTES = 4 * 1024 * 1024;
/** Characters of what a program said that go into a reason. */
const SAID = 2_000;

/** The answer to a call that was ended from outside or never began; undefined if the program ended by itself. */
export function cutShort(
  result: GroupResult,
  request: AgentRequest,
): Extract<AgentAnswer, { kind: "aborted" | "failed" | "unavailable" }> | undefined {
  if (result.aborted) return { kind: "aborted" };
  if (result.start_error !== undefined) return { kind: "unavailable", reason: result.start_error };
  if (result.timed_out === "absolute")
    return {
      kind: "failed",
      timed_out: true,
      reason: `not finished within ${seconds(request.timeout_ms)}; its processes were ended`,
    };
  if (result.timed_out === "idle")
    return {
      kind: "failed",
      timed_out: true,
      reason: `no output for ${seconds(request.idle_timeout_ms ?? 0)}; its processes were ended`,
    };
  return undefined;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

/** The last part of what was said, for a reason. */
export function tailOf(text: string): string {
  const said = text.trim();
  if (said === "") return "it said nothing";
  return said.length <= SAID ? said : `... ${said.slice(-SAID)}`;
}
