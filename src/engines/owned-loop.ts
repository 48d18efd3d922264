/** Loops that an engine works, as a person here sees and steers them (SPEC section 13). */
import { randomUUID } from "node:crypto";
import { ownerOf, ownerText, type Owner } from "../adapters/store/owner.ts";
import { editView, readStateFile } from "../adapters/store/state-file.ts";
import { accepted, refused, type Refused, type Result } from "../core/problem.ts";
import type { Engine, LoopView, LoopRequest } from "../loop/engine.ts";
import { answered, asking, engineNamed } from "./client.ts";
import { loopsAbove } from "../project/agent-restrictions.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whose the loop of this state file is; null: the file's, or it cannot be read, which is reported when it is used. */
export async function ownerAt(stateFile: string): Promise<Owner | null> {
  const read = await readStateFile(stateFile);
  return read.ok ? ownerOf(read.value.state) : null;
}

/** Why this process may not steer loops: it is an agent of one, wherever that is worked. Null: it may. */
export function agentRefusal(env: Environment): Refused | null {
  if (loopsAbove(env).length === 0) return null;
  return refused("this is the agent of a loop, and agents do not steer loops", "say what you need in your answer");
}

/** Tells the loop what a person wants; asked once more after a failure, it counts once. */
export async function requestOf(
  engine: Engine,
  loop: string,
  request: LoopRequest,
  id: string = randomUUID(),
): Promise<Result<string>> {
  const asked = await asking(() => engine.signal(loop, { ...request, id }));
  return asked.ok ? answered(asked.value) : asked;
}

export async function sendRequest(owner: Owner, request: LoopRequest, env: Environment): Promise<Result<string>> {
  const agent = agentRefusal(env);
  if (agent !== null) return agent;
  const engine = engineNamed(owner.engine, env);
  if (!engine.ok) return engine;
  try {
    return await requestOf(engine.value, owner.loop, request);
  } finally {
    await engine.value.close();
  }
}

/** All loops of the engine, by name; those that are gone by the time they are asked for are left out. */
export async function viewsOf(engine: Engine): Promise<Result<readonly LoopView[]>> {
  return await asking(async () => {
    const views: LoopView[] = [];
    for (const name of (await engine.loops()).toSorted()) {
      const view = await engine.view(name);
      if (view !== null) views.push(view);
    }
    return views;
  });
}

export async function pullView(stateFile: string, env: Environment): Promise<Result<LoopView>> {
  const owner = await ownerAt(stateFile);
  if (owner === null) return refused(`no engine works the loop of ${stateFile}`, "hand it to one with `aot submit`");
  const engine = engineNamed(owner.engine, env);
  if (!engine.ok) return engine;
  try {
    return await pullFrom(engine.value, owner, stateFile);
  } finally {
    await engine.value.close();
  }
}

/** The same, of the engine that works it. */
export async function pullFrom(engine: Engine, owner: Owner, stateFile: string): Promise<Result<LoopView>> {
  const there = await viewThere(engine, owner);
  if (!there.ok) return there;
  const view = there.value;
  const control = { ...view.state.control, engine: ownerText(owner) };
  const written = await editView(stateFile, () => accepted({ ...view.state, control }), { what: "pull" });
  return written.ok ? accepted(view) : written;
}

/** Refused: the engine has no such loop. */
export async function viewThere(engine: Engine, { engine: name, loop }: Owner): Promise<Result<LoopView>> {
  const asked = await asking(() => engine.view(loop));
  if (!asked.ok) return asked;
  return asked.value === null
    ? refused(`${name} has no loop ${loop}`, "submit it again with `aot submit`")
    : accepted(asked.value);
}
