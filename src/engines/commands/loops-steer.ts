/** `aot loops stop`, `resume` and `approve`: a human's decision to a loop on an engine. */
import { agentRefusal, requestOf } from "../owned-loop.ts";
import type { LoopRequest } from "../../loop/engine.ts";
import type { Call } from "../../command/call.ts";
import type { Redirect } from "../../core/redirect.ts";
import { engineOf, loopOf } from "./call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";

export async function steer(call: Call, name: "stop" | "resume" | "approve"): Promise<Answer> {
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const found = await loopOf(call);
  if (!found.ok) return failure(found.problems);
  const { engine, loop } = found.value;
  const done = await requestOf(engine, loop, requestIn(call, name));
  if (!done.ok) return failure(done.problems);
  return {
    exit: 0,
    json: { success: true, engine: engine.name, loop, message: done.value },
    text: `${loop}: ${done.value}`,
  };
}

function requestIn(call: Call, name: "stop" | "resume" | "approve"): LoopRequest {
  if (name !== "stop") return { kind: name };
  return { kind: call.isSet("now") ? "cancel" : "stop", reason: call.text("reason") ?? "" };
}

/** A loop of an engine, wherever its project is. */
export async function redirectNamed(call: Call, loop: string, redirect: Redirect): Promise<Answer> {
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const done = await requestOf(engine.value, loop, { kind: "redirect", redirect });
  if (!done.ok) return failure(done.problems);
  const json = { success: true, description: done.value, via: "engine", revert: [], notes: [] };
  return { exit: 0, json, text: `${loop}: ${done.value}` };
}
