/** What a hook answers, of what its parts have to say. */
import { decisionReply } from "./decision.ts";
import type { HookInput } from "./hook-input.ts";

export interface HookReply {
  /** For stdout; undefined: nothing to say. */
  readonly json?: object;
  /** For stderr. */
  readonly note?: string;
}

/** Events whose `systemMessage` the client shows to the person. */
export function isRead(event: string): boolean {
  return event === "Stop" || event === "SessionStart";
}

/** What is broken, on the screen where the event has one. */
export function brokenReply(event: string, why: string): HookReply {
  return isRead(event) ? { note: why, json: { systemMessage: `AoT loop: ${why}` } } : { note: why };
}

/** What the loop refuses nobody need decide. */
export function orDecision(
  loop: HookReply,
  input: HookInput,
  env: Readonly<Record<string, string | undefined>>,
): HookReply {
  const json = loop.json ?? decisionReply(input, env);
  return json === undefined ? loop : { ...loop, json };
}

/** What the rules warn of goes with what the loop says. */
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
