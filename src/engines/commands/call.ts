/** Which engine and which loop of it a call is about. */
import { engineNamed } from "../client.ts";
import { ownerAt } from "../owned-loop.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { Engine } from "../../loop/engine.ts";
import type { Call } from "../../command/call.ts";
import { stateFileOf } from "../../command/state-file.ts";

/** The engine that --engine names, or else the one that works the loop of this project. */
export async function engineOf(call: Call): Promise<Result<Engine>> {
  const named = call.text("engine");
  if (named !== undefined) return engineNamed(named, call.io.env);
  const owner = await ownerAt(stateFileOf(call).path);
  if (owner !== null) return engineNamed(owner.engine, call.io.env);
  return refused("no engine is named, and none works the loop of this project", "name it with --engine or AOT_ENGINE");
}

/** The loop that is named, or else that of this project. */
export async function loopOf(call: Call): Promise<Result<{ readonly engine: Engine; readonly loop: string }>> {
  const engine = await engineOf(call);
  if (!engine.ok) return engine;
  const named = call.arg("loop");
  if (named !== undefined) return accepted({ engine: engine.value, loop: named });
  const owner = await ownerAt(stateFileOf(call).path);
  if (owner?.engine === engine.value.name) return accepted({ engine: engine.value, loop: owner.loop });
  return refused("no loop is named, and that engine works none of this project", "`aot loops` names them");
}
