/** One call of a client's program: how it is run, and what every client's end of it means. */
import { lastJsonObject } from "../../core/json-object.ts";
import type { GroupResult } from "../../host/process.ts";
import type { Confinement, PlaceUse } from "../../loop/confinement.ts";
import type { AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { runInPlace, type ProgramOptions } from "../../loop/run-in-place.ts";
import type { Json } from "./json-lines.ts";

/** Bytes of stdout and stderr that are kept of a call. */
export const KEPT_BYTES = 4 * 1024 * 1024;
/** Characters of what a program said that go into a reason. */
const LONGEST_REASON = 2_000;

export type Ended = Pick<GroupResult, "exit_code" | "signal" | "stderr">;

/** What shells exit with when they could not run a program; cmd.exe uses 9009. */
const NOT_RUN: ReadonlySet<number> = new Set(process.platform === "win32" ? [9009] : [126, 127]);

/** Whose program a call runs, and where; without a place: in the request's folder, with all rights. */
export interface CallPlace extends Pick<PlaceUse, "user" | "reads"> {
  readonly place: Confinement | undefined;
}

/** Runs the program within the limits of the request, in its place. */
export function runCall(
  { cwd, timeout_ms, idle_timeout_ms, log_file, role, call }: AgentRequest,
  options: Omit<ProgramOptions, "cwd" | "timeout_ms" | "idle_timeout_ms" | "log_file">,
  { place, ...use }: CallPlace,
): Promise<GroupResult> {
  const idle = idle_timeout_ms === undefined ? {} : { idle_timeout_ms };
  const program = { cwd, timeout_ms, ...idle, ...(log_file === undefined ? {} : { log_file }), ...options };
  return runInPlace(program, { ...use, call, writes: role === "worker" || role === "probe" }, place);
}

/**
 * The object in what a client said, or that there is none. @param value the object, where it was distinguished from the
 * words
 */
export function answerIn(said: string, value: Json | undefined = lastJsonObject(said)): AgentAnswer {
  if (value !== undefined) return { kind: "answer", value };
  return said.trim() === ""
    ? { kind: "unreadable", text: "", problem: "the answer was empty; a JSON object was expected" }
    : {
        kind: "unreadable",
        text: tailOf(said),
        problem: "no complete JSON object in the answer, or one that is nested too deep",
      };
}

/** The shell could not run the program; undefined: it was run. */
export function notRun(name: string, { exit_code, stderr }: Ended): AgentAnswer | undefined {
  if (exit_code === null || !NOT_RUN.has(exit_code)) return undefined;
  const reason = `${name} could not be run (exit code ${exit_code}): ${tailOf(stderr)}. Is it installed and on PATH?`;
  return { kind: "unavailable", reason };
}

export function howEnded({ exit_code, signal }: Ended): string {
  return exit_code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exit_code}`;
}

/** The answer to a call that was ended from outside or never began; undefined if the program ended by itself. */
export function cutShort(
  result: GroupResult,
  request: AgentRequest,
): Extract<AgentAnswer, { kind: "aborted" | "failed" | "unavailable" }> | undefined {
  if (result.aborted) return { kind: "aborted" };
  if (result.start_error !== undefined) return { kind: "unavailable", reason: result.start_error };
  if (result.timed_out === false) return undefined;
  const what =
    result.timed_out === "idle"
      ? `no output for ${seconds(request.idle_timeout_ms ?? 0)}`
      : `not finished within ${seconds(request.timeout_ms)}`;
  return { kind: "failed", timed_out: true, reason: `${what}; its processes were ended` };
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

/** The last part of what was said, for a reason. */
export function tailOf(text: string): string {
  const said = text.trim();
  if (said === "") return "no output";
  return said.length <= LONGEST_REASON ? said : `... ${said.slice(-LONGEST_REASON)}`;
}
