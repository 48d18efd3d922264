/** How much of the machine a place may take (SPEC section 15): what its processes are started with, and its folders in memory. */
import { release, totalmem } from "node:os";
import { runGroup } from "../../host/process.ts";
import { textAt } from "../../host/regular-file.ts";
import type { PlaceLimits } from "./place-parts.ts";

const MOST_PROCESSES = 4_096;
/** A kernel keeps 300 numbers back once it has given them. */
const LEAST_PROCESSES = 1_024;
/** Of the machine's process ids; attempts side by side cannot take all. */
const SHARE_OF_IDS = 16;
const FILE_BYTES = 16 * 1024 ** 3;
/** From this kernel on a PID namespace has a limit of its own, which holds for root's processes as well. */
const OWN_PID_MAX = [6, 14] as const;
const LEAST_PID_MAX = 301;

/** Of the machine's memory, or of what a place may have: for the files in one folder that is in memory. */
const SHARE_OF_MEMORY = 4;

/** What a program may take, as `aot doctor` says it. */
export function limitsHeld(given: PlaceLimits): string {
  const { memory, processes, file, inMemory } = limitsHere(given);
  const all =
    memory === undefined ? "memory without a limit (`--set max_memory=4G` sets one)" : `${sized(memory)} of memory`;
  return `at most ${processes} processes, ${all}, ${sized(inMemory)} of files in /dev/shm and in /run, ${sized(file)} in one file`;
}

function sized(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}

export function limitsHere(given: PlaceLimits): PlaceLimits & Record<"processes" | "file" | "inMemory", number> {
  const inMemory = Math.ceil((given.memory ?? totalmem()) / SHARE_OF_MEMORY);
  return { processes: processesHere(), file: FILE_BYTES, ...given, inMemory };
}

/** For a shell: the limits of one process, from its first arguments, which it takes: processes (0: none), file, memory (0: none). */
export const SET_LIMITS = `
if [ "$1" -gt 0 ]; then if (ulimit -u "$1") 2>/dev/null; then ulimit -u "$1"; else ulimit -p "$1"; fi; fi
ulimit -c 0; ulimit -f "$2"
if [ "$3" -gt 0 ]; then ulimit -d "$3"; fi
shift 3
`;

/** Arguments of a place's first program: what its own PID namespace may have, and those of SET_LIMITS. */
export function limitsOf({ memory = 0, processes, file }: ReturnType<typeof limitsHere>): readonly string[] {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const own = major > OWN_PID_MAX[0] || (major === OWN_PID_MAX[0] && minor >= OWN_PID_MAX[1]);
  // A shell counts files in blocks of 512 bytes, memory in KiB.
  const counts = [own ? Math.max(LEAST_PID_MAX, processes) : 0, processes, file / 512, memory / 1024];
  return counts.map((count) => String(Math.ceil(count)));
}

/** Arguments of bwrap for folders in memory, whose size is bounded. */
export interface FoldersInMemory {
  /** As large as a place's limit. */
  whole(path: string): readonly string[];
  /** Of the empty folder that hides another one. */
  small(path: string): readonly string[];
}

/** Bubblewrap before 0.7 bounds none: half of the machine's memory each. */
export async function foldersInMemory({ inMemory }: ReturnType<typeof limitsHere>): Promise<FoldersInMemory> {
  sizes ??= runGroup({ command: "bwrap", args: ["--help"], cwd: "/", env: process.env }).then(({ output }) =>
    output.includes("--size"),
  );
  const bounded = await sizes;
  const folder = (bytes: number, path: string): readonly string[] =>
    bounded ? ["--size", String(bytes), "--tmpfs", path] : ["--tmpfs", path];
  return { whole: (path) => folder(inMemory, path), small: (path) => folder(Math.min(inMemory, SMALL_BYTES), path) };
}

let sizes: Promise<boolean> | undefined;
const SMALL_BYTES = 16 * 1024 ** 2;

function processesHere(): number {
  const ids = Number(textAt("/proc/sys/kernel/pid_max")?.trim() ?? Infinity);
  return Math.max(LEAST_PROCESSES, Math.min(MOST_PROCESSES, Math.floor(ids / SHARE_OF_IDS)));
}
