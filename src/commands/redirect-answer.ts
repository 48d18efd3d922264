import { redirectLoop } from "../app/redirect-loop.ts";
import type { Redirect } from "../core/redirect.ts";
import type { Call } from "./call.ts";
import { failure } from "./problem-text.ts";
import type { Answer } from "./spec.ts";
import { stateFileOf } from "./state-file.ts";

/** Redirects the loop of this call and says what came of it. */
export async function redirectAnswer(call: Call, redirect: Redirect): Promise<Answer> {
  const named = call.text("loop");
  if (named !== undefined) return await redirectNamed(call, named, redirect);
  const file = stateFileOf(call);
  const done = await redirectLoop(file.path, redirect);
  if (!done.ok) return failure(done.problems, file.shown);
  const { description, via, revert, notes } = done.value;
  return { exit: 0, json: { success: true, description, via, revert, notes }, text: description, notes };
}

/** A loop of an engine, wherever its project is. */
async function redirectNamed(call: Call, loop: string, redirect: Redirect): Promise<Answer> {
  const { agentRefusal, wishOf } = await import("../app/engine/engine-loop.ts");
  const { engineOf } = await import("./engine-call.ts");
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const done = await wishOf(engine.value, loop, { kind: "redirect", redirect });
  if (!done.ok) return failure(done.problems);
  const json = { success: true, description: done.value, via: "engine", revert: [], notes: [] };
  return { exit: 0, json, text: `${loop}: ${done.value}` };
}

export function reasonOf(call: Call): string {
  return call.text("reason") ?? "";
}
