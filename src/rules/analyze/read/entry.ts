/**
 * What happened in a session, in one form for every client (SPEC section 17). Tools have Claude Code's names where theirs do
 * the same: Bash, Read, Write, Edit, apply_patch. Versions differ: what is not known is reported as such and never an error.
 *
 * ENTRY-1 only what a person typed is a `message`: not the words of hooks, summaries, slash commands, sub-agents' prompts,
 *    notifications or results.
 */
import type { Json } from "./json.ts";

export type Entry =
  | { readonly kind: "message"; readonly text: string }
  /** A command that the person ran with `!`. */
  | { readonly kind: "shell"; readonly command: string }
  | { readonly kind: "reply"; readonly text: string }
  /** The person stopped the agent, while a tool was running or not. */
  | { readonly kind: "interrupt" }
  | { readonly kind: "call"; readonly id: string; readonly tool: string; readonly input: Json }
  | {
      readonly kind: "result";
      readonly id: string;
      /** `refused`: the person did not let it happen; `said`: and said why. */
      readonly outcome: "done" | "failed" | "refused";
      readonly text: string;
      readonly said: string;
      /** Exit code of a shell command; null: not reported, not over, or no shell command. */
      readonly exit: number | null;
    };

export type LineReading =
  | {
      readonly kind: "entries";
      /** Of this line, in their order; may be empty. */
      readonly entries: readonly Entry[];
      /** It happened inside of a sub-agent. */
      readonly sidechain: boolean;
      /** The folder that the session worked in then; empty: not reported. */
      readonly cwd: string;
    }
  /** A record of another kind: neither words nor calls. There are dozens, and each version has more. */
  | { readonly kind: "other" }
  /** Words or calls in a form that is not known, or no record at all. */
  | { readonly kind: "unknown" }
  /** No JSON object. */
  | { readonly kind: "unreadable" };

/** Reads one client's lines; it knows what earlier lines of the file said. */
export type LineReader = (value: Json) => LineReading;

export const OTHER: LineReading = { kind: "other" };
export const UNKNOWN: LineReading = { kind: "unknown" };
