/**
 * The scripted world that loops of the engine contract are worked in: agents that answer as a script says and wait
 * until they are let go, a place without files, and a record of who did what. One script serves any engine whose
 * workers are in this process.
 */
import { accepted } from "../../../src/core/problem.ts";
import type { Atom, State } from "../../../src/core/state.ts";
import { judge } from "../../../src/core/verdict.ts";
import type { Delivered, Task } from "../../../src/loop/hosted-loop.ts";
import type { TaskPlace } from "../../../src/loop/perform-task.ts";
import type { Agent, AgentAnswer, AgentRequest, Verifier, Workspace } from "../../../src/loop/ports.ts";
import { systemClock } from "../../../src/project/clock.ts";

/** One attempt's answer. `hold`: not before it is let go. */
export type Line = Partial<Extract<AgentAnswer, { kind: "answer" }>> & {
  readonly answer?: AgentAnswer;
  readonly hold?: true;
};

export interface Script {
  /** By atom: the answers of its attempts in their order; the last one stays. Absent: success. */
  readonly lines: Map<string, Line[]>;
  /** Whether the base case is met, check by check; the last one stays. */
  readonly verdicts: (boolean | "unconfirmed" | null)[];
  readonly plans: object[];
  /** Of attempts that are integrated: how it ends. Absent: integrated. */
  readonly merges: Map<string, "conflict" | "protected">;
  readonly tampered: string[];
  readonly requests: AgentRequest[];
  /** Attempts whose agents are running. */
  readonly working: Set<string>;
  readonly aborted: string[];
  readonly integrated: string[];
  readonly reverted: string[][];
  readonly checks: { count: number };
  readonly peak: { working: number; integrating: number };
  letGo(call: string): void;
  open: (task: Task) => Promise<TaskPlace>;
}

const LIMITS = { timeout_ms: 60_000, max_wait_ms: 1_000 };

export function createScript(): Script {
  const gates = new Map<string, () => void>();
  const free = new Set<string>();
  let integrating = 0;
  const script: Script = {
    lines: new Map(),
    verdicts: [true],
    plans: [],
    merges: new Map(),
    tampered: [],
    requests: [],
    working: new Set(),
    aborted: [],
    integrated: [],
    reverted: [],
    checks: { count: 0 },
    peak: { working: 0, integrating: 0 },
    letGo: (call) => {
      free.add(call);
      gates.get(call)?.();
    },
    open: async () => ({
      ports: { worker: agent, probe: agent, planner: agent, verifier, workspace, store: STORE, clock: systemClock },
      limits: LIMITS,
      deliver: async (attempt): Promise<Delivered> => ({ branch: attempt.id, commit: attempt.id, base: "b" }),
      close: async () => {},
    }),
  };

  const held = (call: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted || free.has(call)) return resolve();
      gates.set(call, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });

  const agent: Agent = {
    name: "scripted",
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
    call: async (request, signal) => {
      script.requests.push(request);
      if (request.role === "planner")
        return { kind: "answer", value: script.plans.shift() ?? { atoms: [], reason: "no idea" } };
      script.working.add(request.call);
      script.peak.working = Math.max(script.peak.working, script.working.size);
      const lines = script.lines.get(request.atom?.id ?? "") ?? [];
      const line = (lines.length > 1 ? lines.shift() : lines[0]) ?? {};
      if (line.hold === true) await held(request.call, signal);
      script.working.delete(request.call);
      if (signal.aborted) script.aborted.push(request.call);
      return signal.aborted ? { kind: "aborted" } : (line.answer ?? SUCCESS);
    },
  };

  const verifier: Verifier = {
    verify: async (baseCase) => {
      script.checks.count++;
      const passed = (script.verdicts.length > 1 ? script.verdicts.shift() : script.verdicts[0]) ?? null;
      const verdict = judge(baseCase, () => ({
        passed: passed === "unconfirmed" ? true : passed,
        evidence: { kind: "judgement", reason: "scripted" },
      }));
      return { verdict: { ...verdict, requires_user_confirmation: passed === "unconfirmed" } };
    },
  };

  const workspace: Workspace = {
    open: () => Promise.resolve({ base: "b", tip: "t", integrated: [], reverts: [], notes: [] }),
    start: () => Promise.resolve({ dir: "." }),
    integrate: async ({ id }) => {
      script.peak.integrating = Math.max(script.peak.integrating, ++integrating);
      await Promise.resolve();
      integrating--;
      const merge = script.merges.get(id);
      if (merge !== undefined) return { kind: merge, files: ["f"] };
      script.integrated.push(id);
      return { kind: "integrated", commit: `c-${id}`, files: ["f"] };
    },
    shelve: () => Promise.resolve({ kept: null }),
    revert: async (atoms) => {
      script.reverted.push([...atoms]);
      return { commit: "r", lost: [] };
    },
    checkout: async () => ({ dir: ".", commit: "c", tampered: script.tampered, release: async () => {} }),
    finish: () => Promise.resolve({ message: "", merged: false }),
    close: () => Promise.resolve(),
  };
  return script;
}

export const SUCCESS: AgentAnswer = {
  kind: "answer",
  value: { success: true, summary: "done", artifacts: [] },
  usage: { cost_usd: 0.01 },
};
export const FAILURE: AgentAnswer = { kind: "answer", value: { success: false, summary: "does not work" } };

const STORE = { append: () => accepted(null), save: () => accepted({}), look: () => ({}) };

export function atomIn(state: State, id: string): Atom {
  const atom = state.atoms.find((one) => one.id === id);
  if (atom === undefined) throw new Error(`there is no atom ${id}`);
  return atom;
}
