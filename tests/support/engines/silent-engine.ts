/** An engine for tests that ask little of one: whatever they do not put in its place fails or is empty. */
import type { Engine, LoopView } from "../../../src/loop/engine.ts";
import { stateOf } from "../loops.ts";

const never = (): Promise<never> => Promise.reject(new Error("not asked"));

export const SILENT: Engine = {
  name: "own://engine",
  start: never,
  signal: never,
  view: () => Promise.resolve(null),
  loops: () => Promise.resolve([]),
  logs: () => Promise.resolve([]),
  workers: () => Promise.resolve([]),
  retention: { over: () => Promise.resolve([]), forget: () => Promise.resolve(false) },
  journal: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

/** A loop of one atom, and what an engine tells of it. */
export function viewOf(more: Partial<LoopView> = {}): LoopView {
  const rest = { attempts: 1, cost_usd: 0, working: [], reruns: 0, refused: [], lines: 1 };
  return { loop: "x", engine: "test", state: stateOf({ atoms: [{ id: "A1" }] }), ...rest, ...more };
}
