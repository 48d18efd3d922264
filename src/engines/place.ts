/** The place of one task on a worker: a clone of its own, the loop's agents, and what is kept of it (SPEC section 13). */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { TaskOrder } from "./adapters/dbos/dbos-task.ts";
import { createMirrors, type Mirrors } from "../adapters/workspace/shared-clone.ts";
import { prepared } from "../adapters/workspace/prepared-workspace.ts";
import { createPortSlots, type PortSlots } from "../adapters/workspace/port-slots.ts";
import { openSharedWorkspace, type SharedWorkspace } from "../adapters/workspace/shared-workspace.ts";
import { accepted, describeProblems } from "../core/problem.ts";
import type { TaskPlace } from "../loop/perform-task.ts";
import { makeFolder } from "../host/make-folder.ts";
import type { SandboxTerms } from "../verify/sandbox.ts";
import type { HeldUp } from "../loop/engine.ts";
import type { Store, Workspace } from "../loop/ports.ts";
import { systemClock } from "../project/clock.ts";
import { agentEnvironment } from "../project/agent-restrictions.ts";
import { placeFacts } from "../project/place-facts.ts";
import { createFixedGate } from "../rules/gate.ts";
import { guardOf, rulesHandedOver } from "./handed-rules.ts";
import { readTerms, type WorkTerms } from "./terms.ts";
import { gatherRunAgents, type RunAgents } from "../run/agents.ts";

export interface Places {
  /** @throws Error when the place cannot be had: the remote, an agent that is not here */
  open(order: TaskOrder): Promise<TaskPlace>;
  /** Tasks that wait for their remote. */
  heldUp(): readonly HeldUp[];
  /** Ends the agents, and waits for what is done to mirrors. */
  close(): Promise<void>;
}

/**
 * @param dir this worker's own folder: no other process uses it
 * @param tell what a person should know of the agents: who takes over for whom, who tells no cost; and of mirrors
 * @param sandbox what confines attempts; absent: nothing
 */
export function createPlaces(dir: string, tell: (message: string) => void, sandbox?: SandboxTerms): Places {
  const mirrors = createMirrors(join(dir, "mirrors"));
  const ports = new Map<number, PortSlots>();
  const runAgentsByTerms = new Map<string, Promise<RunAgents>>();
  const heldUp = new Map<string, HeldUp>();
  let tasks = 0;
  return {
    heldUp: () => [...heldUp.values()],
    open: async (order) => {
      const read = readTerms(order.terms);
      if (!read.ok) throw new Error(describeProblems(read.problems));
      const terms = read.value;
      const folder = join(dir, "tasks", `${process.pid}-${++tasks}`);
      return await openPlace(order, terms, {
        folder,
        mirrors,
        ports,
        agents: () => runAgentsOf(runAgentsByTerms, terms, { dir, sandbox, tell }),
        tell,
        waiting: (wait) => {
          if (wait === null) return void heldUp.delete(folder);
          if (!heldUp.has(folder)) tell(`${order.task.id} of ${order.name} waits for ${wait}`);
          heldUp.set(folder, { loop: order.name, task: order.task.id, for: wait });
        },
      });
    },
    close: async () => {
      const all = await Promise.allSettled(runAgentsByTerms.values());
      await Promise.all(
        all.map((agents) => (agents.status === "fulfilled" ? agents.value.close() : Promise.resolve())),
      );
      await mirrors.still();
    },
  };
}

/** Agents are looked for once; one that is not here now may be later. */
async function runAgentsOf(
  runAgentsByTerms: Map<string, Promise<RunAgents>>,
  terms: WorkTerms,
  {
    dir,
    sandbox,
    tell,
  }: { readonly dir: string; readonly sandbox: SandboxTerms | undefined; readonly tell: (message: string) => void },
): Promise<RunAgents> {
  const { crew: names, limits, state_file, rules = [] } = terms;
  const key = JSON.stringify([names, limits, state_file, rules]);
  const known = runAgentsByTerms.get(key);
  if (known !== undefined) return await known;
  const root = join(dir, "projects", createHash("sha256").update(JSON.stringify(rules)).digest("hex").slice(0, 12));
  const stateFile = join(root, state_file);
  // A task's files are seen there, and no other task's anywhere.
  makeFolder(root);
  const confined = sandbox && { sandbox: { ...sandbox, hide: [...(sandbox.hide ?? []), join(dir, "tasks")] } };
  const guard = { ...guardOf(rules, root), forbids: () => Promise.resolve(null) };
  const made = gatherRunAgents({ ...names, ...confined, limits, root, stateFile, guard }).then((gathered) => {
    if (gathered.ok) {
      // Nobody else listens: what is not reported would be kept for as long as the worker lives.
      gathered.value.onNote(tell);
      return gathered.value;
    }
    throw new Error(describeProblems(gathered.problems));
  });
  runAgentsByTerms.set(key, made);
  made.catch(() => runAgentsByTerms.delete(key));
  return await made;
}

interface PlaceContext {
  readonly folder: string;
  readonly mirrors: Mirrors;
  /** Of this worker, by the first one: tasks side by side have different ports. */
  readonly ports: Map<number, PortSlots>;
  agents(): Promise<RunAgents>;
  tell(message: string): void;
  /** Called with what the task waits for, and with null when that is over. */
  waiting(wait: string | null): void;
}

async function openPlace(order: TaskOrder, terms: WorkTerms, context: PlaceContext): Promise<TaskPlace> {
  const { task, loop, run } = order;
  const { objective } = loop.state;
  const { aligned_commit } = objective;
  const agents = await context.agents();
  const shared = await openSharedWorkspace({
    mirrors: context.mirrors,
    remote: terms.remote,
    loop: terms.line,
    prefix: terms.prefix,
    state_file: terms.state_file,
    run,
    protected: objective.protected ?? [],
    dir: context.folder,
    patience: { signal: order.signal, waiting: context.waiting },
    ...forbiddenBy(terms, context),
    ...(aligned_commit === undefined ? {} : { aligned_commit }),
    ...(task.work === undefined ? {} : { work: task.work }),
  });
  const logs = join(context.folder, "logs");
  try {
    const within = { ...context, logs, confinement: agents.place };
    const workspace = await usable(shared, terms, within, objective.protected ?? []);
    return {
      ports: {
        ...agents,
        workspace,
        store: NO_STORE,
        clock: systemClock,
        facts: (dir) => placeFacts(dir, aligned_commit === undefined ? {} : { commit: aligned_commit }),
      },
      limits: { ...terms.limits, logs },
      deliver: (attempt) => workspace.deliver(attempt),
      close: () => workspace.close(),
    };
  } catch (error) {
    // Nobody closes what was never opened.
    await shared.close();
    throw error;
  }
}

function forbiddenBy(
  { rules = [], prefix }: WorkTerms,
  { folder, tell }: PlaceContext,
): Pick<Parameters<typeof openSharedWorkspace>[0], "forbids"> {
  if (rules.length === 0) return {};
  return { forbids: createFixedGate(rulesHandedOver(rules, tell), join(folder, "repository", prefix), tell) };
}

/** Every clone of a task is prepared as a worktree of a run is; of ignored files it has none to copy. */
async function usable(
  shared: SharedWorkspace,
  { set_up, prefix, state_file }: WorkTerms,
  {
    folder,
    ports,
    logs,
    confinement,
  }: PlaceContext & { readonly logs: string; readonly confinement: RunAgents["place"] },
  globs: readonly string[],
): Promise<Pick<SharedWorkspace, "deliver"> & Workspace> {
  if (set_up === undefined) return shared;
  const { port_base } = set_up;
  const slots = ports.get(port_base) ?? createPortSlots(port_base);
  ports.set(port_base, slots);
  const inner: Workspace = {
    ...shared,
    open: () => Promise.resolve({ base: null, tip: null, integrated: [], reverts: [], notes: [] }),
  };
  const root = join(folder, "repository", prefix);
  const stateFile = join(root, state_file);
  const env = agentEnvironment(stateFile);
  const made = prepared(inner, { ...set_up, place: confinement, root, slots, logs, protected: globs, env });
  await made.open();
  return { ...made, deliver: (attempt) => shared.deliver(attempt) };
}

/** The loop's state and journal are the engine's. */
const NO_STORE: Store = { append: () => accepted(null), save: () => accepted({}), look: () => ({}) };
