/**
 * The file of a recorded run (SPEC section 10, `replay:` and `--record`): JSONL, a header and one line per call.
 *
 * RECORDING-1 a recording holds answers and files, never an environment, a prompt or a command line;
 * RECORDING-2 it is written call by call; a half-written last line is tolerated;
 * RECORDING-3 calls are found by (role, atom), or by (role, call) where there is no atom, in the order they were recorded.
 */
import type { AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import type { Role } from "../../core/effect.ts";
import { accepted, problem, type Result } from "../../core/problem.ts";
import { object, parseLine, type Json } from "./json-lines.ts";
import { readUsage } from "./usage.ts";

const FORMAT = "aot-recording";
const VERSION = 1;

/** What a call did to one file; paths are relative to the call's folder, with forward slashes. */
export type FileChange =
  | {
      readonly path: string;
      readonly content: string;
      readonly encoding: "utf8" | "base64";
      readonly executable?: boolean;
    }
  | { readonly path: string; readonly link: string }
  | { readonly path: string; readonly delete: true }
  /** Seen to change, but not recorded: why. */
  | { readonly path: string; readonly omitted: string };

export interface RecordedCall {
  readonly role: Role;
  readonly call: string;
  readonly atom?: string;
  /** Who answered, as agent-label.ts writes it. */
  readonly agent?: string;
  readonly answer: AgentAnswer;
  readonly duration_ms: number;
  readonly changes: readonly FileChange[];
}

/** The key of RECORDING-3. */
export function callKey(call: { readonly role: Role; readonly call: string; readonly atom?: string }): string {
  return JSON.stringify([call.role, call.atom === undefined ? { call: call.call } : call.atom]);
}

export function keyOfRequest(request: AgentRequest): string {
  return callKey({
    role: request.role,
    call: request.call,
    ...(request.atom === undefined ? {} : { atom: request.atom.id }),
  });
}

export function printHeader(agent: string): string {
  // Only the kind: a command line may hold a secret.
  return `${JSON.stringify({ format: FORMAT, version: VERSION, agent: agent.split(":")[0] })}\n`;
}

export function printCall(call: RecordedCall): string {
  return `${JSON.stringify(call)}\n`;
}

export function parseRecording(text: string, file: string): Result<readonly RecordedCall[]> {
  const [head = "", ...lines] = text.split("\n");
  const header = parseLine(head);
  if (header?.["format"] !== FORMAT)
    return problem(
      "unknown_value",
      `${file} is not a recording: its first line is not {"format":"${FORMAT}", ...}`,
      "make one with: aot run --record FILE",
    );
  if (header["version"] !== VERSION)
    return problem(
      "unknown_value",
      `${file} is a recording of version ${JSON.stringify(header["version"])}; this aot reads version ${VERSION}`,
      "record it again with this aot",
    );
  const calls: RecordedCall[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const call = readCall(parseLine(line));
    if (call !== undefined) calls.push(call);
    else if (index < lines.length - 1)
      return problem(
        "unknown_value",
        `${file} line ${index + 2} is not a recorded call`,
        "the file was changed or mixed with another; record it again",
      );
  }
  return accepted(calls);
}

const ROLES: ReadonlySet<unknown> = new Set<Role>(["planner", "worker", "probe", "judge"]);
/** What an answer of each kind says. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  answer: [],
  unreadable: ["text", "problem"],
  failed: ["reason"],
  unavailable: ["reason"],
  aborted: [],
} satisfies Record<AgentAnswer["kind"], readonly string[]>;

function readCall(given: Json | undefined): RecordedCall | undefined {
  if (given === undefined || !ROLES.has(given["role"]) || typeof given["call"] !== "string") return undefined;
  const { atom, agent, changes, duration_ms } = given;
  if (atom !== undefined && typeof atom !== "string") return undefined;
  if (agent !== undefined && typeof agent !== "string") return undefined;
  if (typeof duration_ms !== "number" || !Array.isArray(changes) || !changes.every(isChange)) return undefined;
  const answer = readAnswer(given["answer"]);
  return (
    answer && {
      role: given["role"] as Role,
      call: given["call"],
      ...(atom === undefined ? {} : { atom }),
      ...(agent === undefined ? {} : { agent }),
      answer,
      duration_ms,
      changes,
    }
  );
}

function readAnswer(given: unknown): AgentAnswer | undefined {
  const answer = object(given);
  const kind = String(answer?.["kind"]);
  if (answer === undefined || !Object.hasOwn(SAID, kind)) return undefined;
  if (SAID[kind]?.every((key) => typeof answer[key] === "string") !== true) return undefined;
  const { usage: reported, ...rest } = answer;
  const usage = readUsage(reported);
  return { ...rest, ...(usage === undefined ? {} : { usage }) } as unknown as AgentAnswer;
}

function isChange(given: unknown): given is FileChange {
  const change = object(given);
  if (typeof change?.["path"] !== "string") return false;
  if (change["delete"] === true || typeof change["link"] === "string" || typeof change["omitted"] === "string")
    return true;
  return typeof change["content"] === "string" && (change["encoding"] === "utf8" || change["encoding"] === "base64");
}
