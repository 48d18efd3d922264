/** `aot loops stop`, `resume` and `approve`: a human's decision to a loop on an engine. */
import { agentRefusal, requestOf, viewsOf } from "../owned-loop.ts";
import { describeProblems } from "../../core/problem.ts";
import type { LoopRequest } from "../../loop/engine.ts";
import type { Call } from "../../command/call.ts";
import type { Redirect } from "../../core/redirect.ts";
import { wordRefused } from "../../edit/commands/settle-redirect.ts";
import { engineOf, loopOf } from "./call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";

export async function steer(call: Call, name: "stop" | "resume" | "approve"): Promise<Answer> {
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  if (name !== "approve" && call.isSet("all")) return await steerAll(call, name);
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

/** Every loop that it means something to; one that refuses keeps no other from it. */
async function steerAll(call: Call, name: "stop" | "resume"): Promise<Answer> {
  if (call.arg("loop") !== undefined) throw new Unusable("both a loop and --all are named", "leave one of them out");
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const views = await viewsOf(engine.value);
  if (!views.ok) return failure(views.problems);
  const wanted = call.text("outcome");
  const loops: { readonly loop: string; readonly ok: boolean; readonly message: string }[] = [];
  for (const { loop, state } of views.value) {
    const outcome = state.control.outcome ?? null;
    const isMeant = name === "stop" ? outcome === null : outcome !== null && outcome !== "verified";
    if (!isMeant || (wanted !== undefined && outcome !== wanted)) continue;
    const done = await requestOf(engine.value, loop, requestIn(call, name));
    loops.push({ loop, ok: done.ok, message: done.ok ? done.value : describeProblems(done.problems) });
  }
  await engine.value.close();
  const success = loops.every(({ ok }) => ok);
  const text =
    loops.length === 0 ? "there is no such loop" : loops.map((one) => `${one.loop}: ${one.message}`).join("\n");
  return { exit: success ? 0 : 1, json: { success, engine: engine.value.name, loops }, text };
}

function requestIn(call: Call, name: "stop" | "resume" | "approve"): LoopRequest {
  if (name !== "stop") return { kind: name };
  return { kind: call.isSet("now") ? "cancel" : "stop", reason: call.text("reason") ?? "" };
}

/** A loop of an engine, wherever its project is. */
export async function redirectNamed(call: Call, loop: string, redirect: Redirect): Promise<Answer> {
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const refusal = await wordRefused(call, redirect, null);
  if (refusal !== null) return refusal;
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const done = await requestOf(engine.value, loop, { kind: "redirect", redirect });
  if (!done.ok) return failure(done.problems);
  const json = { success: true, description: done.value, via: "engine", revert: [], notes: [] };
  return { exit: 0, json, text: `${loop}: ${done.value}` };
}
