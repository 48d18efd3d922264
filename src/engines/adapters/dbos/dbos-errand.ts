/** What DBOS is asked to run: a workflow, from a queue. */
import { PERFORM, TASKS } from "./dbos-names.ts";

export interface Errand {
  readonly id: string;
  readonly workflow: string;
  readonly queue: string;
  readonly args: readonly string[];
  /** Of those with the same one only one runs at a time, the lowest priority first. */
  readonly partition?: string;
  readonly priority?: number;
  readonly delay_ms?: number;
}

/** A task that changes no integration branch. */
export function taskErrand(loop: string, task: string): Errand {
  return { id: `${loop}/${task}`, args: [loop, task], workflow: PERFORM, queue: TASKS };
}
