/**
 * A place of work whose agents are scripted and whose repository is a folder, for workers as processes and for an embedded
 * run of the same loop. `begun` gets a line for each physical run of a task; an integration is a file that can be made
 * once. While there is a file `remote-away`, the remote is; while there is a file `hold`, no agent comes to an end.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WorkspaceError } from "../../../src/adapters/workspace/problem.ts";
import { patientWithRemote } from "../../../src/adapters/workspace/remote-patience.ts";
import { accepted } from "../../../src/core/problem.ts";
import { judge } from "../../../src/core/verdict.ts";
import type { Task } from "../../../src/loop/hosted-loop.ts";
import type { TaskPlace } from "../../../src/loop/perform-task.ts";
import type { Agent, Workspace } from "../../../src/loop/ports.ts";
import { systemClock } from "../../../src/project/clock.ts";

export interface CampaignWork {
  readonly folder: string;
  /** Of the worker. */
  readonly name: string;
  /** How long an agent takes, milliseconds. */
  readonly agent_ms: number;
  /** Called at each point of a task's life: somebody may be killed there. */
  reached?(point: Point, loop: string): Promise<void>;
}

type Point = "claimed" | "working" | "worked" | "integrating" | "integrated" | "ending";
type Reached = (point: Point) => Promise<void>;

interface Order {
  readonly name: string;
  readonly task: Task;
  readonly run: number;
  readonly signal?: AbortSignal;
}

export function createCampaignPlace(work: CampaignWork): (order: Order) => Promise<TaskPlace> {
  const { folder, name } = work;
  mkdirSync(join(folder, "integrated"), { recursive: true });
  const verifier = {
    verify: (baseCase: Parameters<typeof judge>[0]) => {
      const verdict = judge(baseCase, () => ({ passed: true, evidence: { kind: "judgement", reason: "scripted" } }));
      return Promise.resolve({ verdict: { ...verdict, requires_user_confirmation: false } });
    },
  };
  const store = { append: () => accepted(null), save: () => accepted({}), look: () => ({}) };
  return async ({ name: loop, task, run, signal }) => {
    const reached: Reached = async (point) => await work.reached?.(point, loop);
    const agent = agentOf(work, reached);
    await patientWithRemote(() => remoteIn(folder), signal === undefined ? {} : { signal });
    await reached("claimed");
    appendFileSync(join(folder, "begun"), `${loop} ${task.id} ${run} ${name}\n`);
    const workspace = workspaceOf(loop, work, reached);
    return {
      ports: { worker: agent, probe: agent, planner: null, verifier, workspace, store, clock: systemClock },
      limits: { timeout_ms: 60_000, max_wait_ms: 1_000 },
      deliver: async () => {
        await reached("worked");
        await patientWithRemote(() => remoteIn(folder), signal === undefined ? {} : { signal });
        return null;
      },
      // The next thing that the engine is told is the result.
      close: () => reached("ending"),
    };
  };
}

function remoteIn(folder: string): Promise<void> {
  if (!existsSync(join(folder, "remote-away"))) return Promise.resolve();
  return Promise.reject(new WorkspaceError({ code: "remote_away", message: "The remote is away.", hint: "" }));
}

/** First attempts of atoms whose id ends in 7 fail. */
function agentOf({ folder, agent_ms }: CampaignWork, reached: Reached): Agent {
  return {
    name: "scripted",
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
    call: async ({ call }, signal) => {
      await reached("working");
      for (const end = Date.now() + agent_ms; Date.now() < end || existsSync(join(folder, "hold"));) {
        if (signal.aborted) return { kind: "aborted" };
        await new Promise((resume) => setTimeout(resume, 10));
      }
      if (call.endsWith("7.1")) return { kind: "answer", value: { success: false, summary: "not at once" } };
      return { kind: "answer", value: { success: true, summary: "done", artifacts: [] } };
    },
  };
}

function workspaceOf(loop: string, { folder, name }: CampaignWork, reached: Reached): Workspace {
  return {
    open: () => Promise.resolve({ base: "b", tip: "t", integrated: [], reverts: [], notes: [] }),
    start: () => Promise.resolve({ dir: "." }),
    integrate: async ({ id }) => {
      await reached("integrating");
      await remoteIn(folder);
      try {
        writeFileSync(join(folder, "integrated", `${loop}__${id}`), name, { flag: "wx" });
      } catch (error) {
        // Done before its host died, and not reported any more.
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
      await reached("integrated");
      return { kind: "integrated", commit: id, files: ["f"] };
    },
    shelve: () => Promise.resolve({ kept: null }),
    revert: () => Promise.resolve({ commit: null, lost: [] }),
    checkout: () => Promise.resolve({ dir: ".", commit: "c", release: () => Promise.resolve() }),
    finish: () => Promise.resolve({ message: "", merged: false }),
    close: () => Promise.resolve(),
  };
}
