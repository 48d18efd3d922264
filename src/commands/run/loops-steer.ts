/** `aot loops stop`, `resume` and `approve`: a person's word to a loop on an engine. */
import { agentRefusal, wishOf } from "../../app/engine/engine-loop.ts";
import type { Wish } from "../../loop/engine.ts";
import type { Call } from "../call.ts";
import { loopOf } from "../engine-call.ts";
import { failure } from "../problem-text.ts";
import type { Answer } from "../spec.ts";

export async function steer(call: Call, name: "stop" | "resume" | "approve"): Promise<Answer> {
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const found = await loopOf(call);
  if (!found.ok) return failure(found.problems);
  const { engine, loop } = found.value;
  const done = await wishOf(engine, loop, wishIn(call, name));
  if (!done.ok) return failure(done.problems);
  return {
    exit: 0,
    json: { success: true, engine: engine.name, loop, message: done.value },
    text: `${loop}: ${done.value}`,
  };
}

function wishIn(call: Call, name: "stop" | "resume" | "approve"): Wish {
  if (name !== "stop") return { kind: name };
  return { kind: call.isSet("now") ? "cancel" : "stop", reason: call.text("reason") ?? "" };
}
