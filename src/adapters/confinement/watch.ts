/**
 * What no limit of a process bounds: the memory of all processes of a place together, processes that multiply without end,
 * and the disk. Looked at from outside, where nothing inside can reach; what goes beyond ends the whole place.
 */
import { processIds, readStat } from "../../host/liveness.ts";
import { textAt } from "../../host/regular-file.ts";

/** Between two looks. */
const PAUSE_MS = 1_000;
/** Looks in a row with nearly all processes taken before the place is ended: a build may need them for a moment. */
const LOOKS_BEFORE_END = 5;
const NEARLY_ALL = 0.95;

export interface Watched {
  /** Of all processes together, bytes; absent: not bounded. */
  readonly memory?: number;
  /** Threads count as processes. */
  readonly processes: number;
  /** Why the disk has too little space; null: it has enough. */
  readonly full?: () => string | null;
}

export interface Watch {
  /** @returns why the place was ended, if it was */
  stop(): readonly string[];
}

/**
 * @param mark an argument of the place's first process, and of no other process but the one that this process started
 * @param parent who starts that one: a child of this process, or an engine's service
 */
export function watchPlace(mark: string, limits: Watched, parent: "child" | "engine" = "child"): Watch {
  let reason: string | null = null;
  let looks = 0;
  const timer = setInterval(() => {
    const pids = placeOf(mark, parent);
    const { memory, threads } = usedBy(pids, limits.memory ?? Infinity);
    looks = threads >= limits.processes * NEARLY_ALL ? looks + 1 : 0;
    const why = whyTooMuch(memory, limits) ?? (looks >= LOOKS_BEFORE_END ? tooMany(limits.processes) : null);
    if (why === null) return;
    reason ??= why;
    for (const pid of pids) kill(pid);
  }, PAUSE_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return reason === null ? [] : [reason];
    },
  };
}

function whyTooMuch(memory: number, { memory: most = Infinity, full }: Watched): string | null {
  if (memory > most) return `more than ${Math.round(most / 1024 ** 2)} MB of memory in all its processes (max_memory)`;
  return full?.() ?? null;
}

function tooMany(processes: number): string {
  return `it took all of its ${processes} processes for ${(LOOKS_BEFORE_END * PAUSE_MS) / 1000} seconds`;
}

/** The place's processes, the first one first: its end takes the namespace with it. */
function placeOf(mark: string, parent: "child" | "engine"): readonly number[] {
  const children = new Map<number, number[]>();
  for (const pid of processIds()) {
    const above = readStat(pid)?.parent ?? 0;
    children.set(above, [...(children.get(above) ?? []), pid]);
  }
  const below = (pid: number): readonly number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  const own = children.get(process.pid) ?? [];
  const marked = (pid: number): boolean => (textAt(`/proc/${pid}/cmdline`) ?? "").split("\0").includes(mark);
  const first =
    parent === "child"
      ? own.filter(marked).flatMap((pid) => children.get(pid) ?? [])
      : [...children.values()].flat().filter((pid) => !own.includes(pid) && marked(pid));
  return first.flatMap(below);
}

/** Bytes in memory or swapped out. What processes share is counted once, but only where it matters: that takes longer. */
function usedBy(pids: readonly number[], most: number): { readonly memory: number; readonly threads: number } {
  const all = pids.map((pid) => numbersIn(`/proc/${pid}/status`));
  const sum = (tables: readonly Numbers[], names: readonly string[]): number =>
    tables.reduce((total, table) => names.reduce((part, name) => part + (table.get(name) ?? 0), total), 0);
  const threads = sum(all, ["Threads"]);
  const atMost = sum(all, ["RssAnon", "RssShmem", "VmSwap"]) * 1024;
  if (atMost <= most) return { memory: atMost, threads };
  const shared = pids.map((pid) => numbersIn(`/proc/${pid}/smaps_rollup`));
  return { memory: sum(shared, ["Pss_Anon", "Pss_Shmem", "SwapPss"]) * 1024, threads };
}

type Numbers = ReadonlyMap<string, number>;

function numbersIn(path: string): Numbers {
  const lines = (textAt(path) ?? "").matchAll(/^(\w+):\s+(\d+)/gm);
  return new Map([...lines].map(([, name = "", value]) => [name, Number(value)]));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
