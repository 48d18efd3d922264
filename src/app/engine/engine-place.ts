/** The place of one task on a worker: a clone of its own, the loop's agents, and what is kept of it (SPEC section 13). */
import { join } from "node:path";
import type { Outbox } from "../../adapters/blobs/outbox.ts";
import type { TaskOrder } from "../../adapters/engines/restate-task.ts";
import { createMirrors, type Mirrors } from "../../adapters/workspace/shared-clone.ts";
import { openSharedWorkspace } from "../../adapters/workspace/shared-workspace.ts";
import { accepted, describeProblems } from "../../core/problem.ts";
import type { Mark } from "../../core/journal.ts";
import type { TaskPlace } from "../../loop/perform-task.ts";
import type { Store } from "../../loop/ports.ts";
import { systemClock } from "../clock.ts";
import { logName } from "./engine-logs.ts";
import { readTerms, type WorkTerms } from "./engine-terms.ts";
import { gatherCrew, type Crew } from "../run/run-crew.ts";

export interface Places {
  /** @throws Error when the place cannot be had: the remote, an agent that is not here */
  open(order: TaskOrder): Promise<TaskPlace>;
  /** Ends the agents. */
  close(): Promise<void>;
}

/**
 * @param dir this worker's own folder: no other process uses it
 * @param outbox where logs of attempts are left for the blob store; null: they are not kept
 */
export function createPlaces(dir: string, outbox: Outbox | null): Places {
  const mirrors = createMirrors(join(dir, "mirrors"));
  const crews = new Map<string, Promise<Crew>>();
  let tasks = 0;
  return {
    open: async (order) => {
      const read = readTerms(order.terms);
      if (!read.ok) throw new Error(describeProblems(read.problems));
      const terms = read.value;
      const folder = join(dir, "tasks", `${process.pid}-${++tasks}`);
      return await openPlace(order, terms, { folder, mirrors, outbox, crew: () => crewOf(crews, terms, dir) });
    },
    close: async () => {
      const all = await Promise.allSettled(crews.values());
      await Promise.all(all.map((crew) => (crew.status === "fulfilled" ? crew.value.close() : Promise.resolve())));
    },
  };
}

/** Agents are looked for once; one that is not here now may be later. */
async function crewOf(crews: Map<string, Promise<Crew>>, terms: WorkTerms, dir: string): Promise<Crew> {
  const { crew: names, limits, state_file } = terms;
  const key = JSON.stringify([names, limits, state_file]);
  const known = crews.get(key);
  if (known !== undefined) return await known;
  const made = gatherCrew({ ...names, limits, stateFile: join(dir, "project", state_file) }).then((gathered) => {
    if (gathered.ok) return gathered.value;
    throw new Error(describeProblems(gathered.problems));
  });
  crews.set(key, made);
  made.catch(() => crews.delete(key));
  return await made;
}

interface Ground {
  readonly folder: string;
  readonly mirrors: Mirrors;
  readonly outbox: Outbox | null;
  crew(): Promise<Crew>;
}

async function openPlace(order: TaskOrder, terms: WorkTerms, ground: Ground): Promise<TaskPlace> {
  const { name, task, loop, run } = order;
  const { objective } = loop.state;
  const crew = await ground.crew();
  const workspace = await openSharedWorkspace({
    mirrors: ground.mirrors,
    remote: terms.remote,
    loop: terms.line,
    prefix: terms.prefix,
    state_file: terms.state_file,
    run,
    protected: objective.protected ?? [],
    dir: ground.folder,
    ...(objective.aligned_commit === undefined ? {} : { aligned_commit: objective.aligned_commit }),
    ...(task.work === undefined ? {} : { work: task.work }),
  });
  const logs = await openLogs(ground, logName(name, task.id, run));
  return {
    ports: { ...crew, workspace, store: NO_STORE, clock: systemClock },
    limits: { ...terms.limits, logs: logs.folder },
    deliver: (attempt) => workspace.deliver(attempt),
    keepLogs: logs.keep,
    close: async () => {
      await logs.keep();
      await workspace.close();
    },
  };
}

/** The loop's state and journal are the engine's. */
const NO_STORE: Store = { append: () => accepted(null), save: () => accepted({}), look: () => ({}) };

interface Logs {
  readonly folder: string;
  /** Said again, it does nothing. */
  keep(): Promise<readonly Mark[]>;
}

async function openLogs({ folder, outbox }: Ground, under: string): Promise<Logs> {
  if (outbox === null) return { folder: join(folder, "logs"), keep: () => Promise.resolve([]) };
  let kept: Promise<readonly Mark[]> | null = null;
  const send = async (): Promise<readonly Mark[]> => {
    const why = await outbox.send(under);
    if (why === null) return [];
    const message = `logs of ${under} could not be kept: ${why}; they wait on the worker and are sent again`;
    return [{ event: "note", message }];
  };
  return { folder: await outbox.begin(under), keep: () => (kept ??= send()) };
}
