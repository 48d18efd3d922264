/**
 * Whose a loop is: its state file's, or an engine's that works it elsewhere (SPEC section 13). Of the latter the file is a
 * view, and nobody but who writes the view changes it: two writers would each take back what the other did.
 */
import { refused, type Refused } from "../../core/problem.ts";
import type { State } from "../../core/state.ts";

/** Where a loop lives: `postgres://host:port/database`, and its name there. */
export interface Owner {
  readonly engine: string;
  readonly loop: string;
}

/** Null: the state file is the loop. */
export function ownerOf({ control }: State): Owner | null {
  const { engine } = control;
  if (engine === undefined || engine === null) return null;
  const end = engine.lastIndexOf("/");
  return { engine: engine.slice(0, end), loop: engine.slice(end + 1) };
}

export function ownerText({ engine, loop }: Owner): string {
  return `${engine}/${loop}`;
}

/** Why nobody here may change the loop; null: it is the file's. */
export function ownerRefusal(state: State): Refused | null {
  const owner = ownerOf(state);
  if (owner === null) return null;
  return refused(
    `the engine ${owner.engine} works this loop as ${owner.loop}; the state file is a view of it`,
    "`aot stop` and `aot redirect` reach it there, `aot loops` shows it, `aot loops pull` brings the view up to date",
  );
}
