/** Loops on a real engine, each worked in the world of its own script, by workers of this process. */
import { expect } from "vitest";
import type { State } from "../../../src/core/state.ts";
import type { Engine, LoopSpec, LoopView } from "../../../src/loop/engine.ts";
import type { Task } from "../../../src/loop/hosted-loop.ts";
import type { TaskPlace } from "../../../src/loop/perform-task.ts";
import { stateOf } from "../loops.ts";
import type { Script } from "./script.ts";

const LIMIT_MS = 45_000;

/** Looks until it holds, and answers with what was seen then. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T>,
  holds: (value: T) => boolean = Boolean,
): Promise<T> {
  for (const end = Date.now() + LIMIT_MS; ;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > end) throw new Error(`never: ${what}; ${JSON.stringify(seen)}`);
    await new Promise((resume) => setTimeout(resume, 30));
  }
}

/** The loop, once it is there, the engine answers, and it holds. */
export async function viewed(engine: Engine, name: string, holds: (view: LoopView) => boolean): Promise<LoopView> {
  const look = (): Promise<LoopView | null> => engine.view(name).catch(() => null);
  const seen = await eventually(`${name}: ${holds.toString()}`, look, (view) => view !== null && holds(view));
  if (seen === null) throw new Error(`${name} is not there`);
  return seen;
}

export interface ScriptedLoops {
  /** For workers. */
  open(order: { readonly name: string; readonly task: Task }): Promise<TaskPlace>;
  /** The same engine, whose loops are worked as this script says if they have none of their own. */
  scripted(engine: Engine, script: Script): Engine;
  begin(engine: Engine, name: string, script: Script, more?: Partial<LoopSpec>): Promise<void>;
}

export function createScriptedLoops(): ScriptedLoops {
  const scripts = new Map<string, Script>();
  const state: State = stateOf({ atoms: [{ id: "A1" }] });
  return {
    open: async ({ name, task }) => {
      const script = scripts.get(name);
      if (script === undefined) throw new Error(`no script for ${name}`);
      return await script.open(task);
    },
    scripted: (engine, script) => ({
      ...engine,
      start: async (loop, spec) => {
        if (!scripts.has(loop)) scripts.set(loop, script);
        return await engine.start(loop, spec);
      },
    }),
    begin: async (engine, name, script, more = {}) => {
      scripts.set(name, script);
      const settings = { verify_each: false, confirmed: false };
      const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
      expect(await engine.start(name, { state, settings, memory, terms: {}, ...more })).toMatchObject({ ok: true });
    },
  };
}
