/** The groups that this process has running, so that none outlives it (SPEC section 7). */
import { killGroupNow, type ProcessGroup } from "./process-group.ts";

/** Someone outside this process who kills the groups it watches when this process dies. */
export interface GroupWatch {
  /** A group is just being started: until `watch` or `spare` it can be found by its mark alone. */
  expect(): void;
  spare(): void;
  watch(pid: number): void;
  forget(pid: number): void;
}

const live = new Set<ProcessGroup>();
let watcher: GroupWatch | null = null;
let hooked = false;

/** Every group that runs now or starts later is watched by this guardian; null: by none. */
export function setGuardian(guardian: GroupWatch | null): void {
  watcher = guardian;
  for (const group of live) watcher?.watch(group.pid);
}

/** Before a leader is started: this process may die in the middle of it. */
export function announce(): void {
  watcher?.expect();
}

/** It could not be started. */
export function retract(): void {
  watcher?.spare();
}

export function enrol(group: ProcessGroup): void {
  live.add(group);
  watcher?.watch(group.pid);
  if (hooked) return;
  hooked = true;
  process.once("exit", killAllGroups);
}

export function dismiss(group: ProcessGroup): void {
  live.delete(group);
  watcher?.forget(group.pid);
}

/** Kills every running group with SIGKILL, synchronously. Runs when the process exits. */
function killAllGroups(): void {
  for (const group of live) killGroupNow(group);
}
