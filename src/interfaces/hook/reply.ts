/** A hook's one reply, from what the guard rules, the loop and a person's decisions have to say. */
import { decisionReply } from "./decision.ts";
import type { HookInput } from "./hook-input.ts";

export interface HookReply {
  /** For stdout; undefined: nothing to say. */
  readonly json?: object;
  /** For stderr. */
  readonly note?: string;
}

/** Events whose `systemMessage` the client shows to the person. */
export function isShown(event: string): boolean {
  return event === "Stop" || event === "SessionStart";
}

/** Reports what is broken: on stderr, and on the person's screen where the client shows it. */
export function brokenReply(event: string, why: string): HookReply {
  return isShown(event) ? { note: why, json: { systemMessage: `AoT loop: ${why}` } } : { note: why };
}

/** The loop's reply; a person is asked to decide only where it has none. */
export function orDecision(
  loop: HookReply,
  input: HookInput,
  env: Readonly<Record<string, string | undefined>>,
): HookReply {
  const json = loop.json ?? decisionReply(input, env);
  return json === undefined ? loop : { ...loop, json };
}

/** Both replies as one: two texts of a field are joined, of other values the loop's is kept. */
export function both(rules: HookReply, loop: HookReply): HookReply {
  const [{ json: warned }, { json: said }] = [rules, loop];
  const note = [rules.note, loop.note].filter((part) => part !== undefined).join("; ");
  const noted = note === "" ? {} : { note };
  if (warned === undefined || said === undefined) {
    const json = warned ?? said;
    return { ...noted, ...(json === undefined ? {} : { json }) };
  }
  const merged: Record<string, unknown> = { ...said };
  for (const [key, value] of Object.entries(warned)) merged[key] = joined(merged[key], value);
  return { ...noted, json: merged };
}

function joined(one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  if (typeof one === "string" && typeof other === "string") {
    if (one.includes(other)) return one;
    return other.includes(one) ? other : `${one}\n\n${other}`;
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one;
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) merged[key] = joined(merged[key], value);
  return merged;
}
