/**
 * `aot run` for a client: a process of its own, so that what works for hours neither holds the server up nor falls
 * with it.
 *
 * RUN-PROCESS-1 without `wait` it is detached (`run/detach.ts`): it goes on when the client leaves, `aot_stop` ends it;
 *    cancelled before it was reported as started it is asked to stop, for nobody knows of it;
 * RUN-PROCESS-2 waited for, it ends with its call: cancelled it is asked to stop as by Ctrl-C, and killed when the
 *    server closes;
 * RUN-PROCESS-3 memory is bounded, whatever it prints.
 */
import { onceAborted } from "../../command/interrupt.ts";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { findStateFile } from "../../project/find-state-file.ts";
import { findPhaseFile } from "../../project/find-phase-file.ts";
import { pausePhases } from "../../phases/pause.ts";
import { EXTENSIONS } from "../../extensions.ts";
import { stopLoop } from "../../run/stop.ts";
import type { CommandSpec } from "../../command/spec.ts";
import type { Values } from "../../command/values.ts";
import { reportedOf, type Surroundings, type Reported } from "./call-command.ts";
import { WAIT } from "./tool-list.ts";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

interface RunSurroundings extends Surroundings {
  readonly launch: Launch;
  readonly closing: AbortSignal;
}

/** @param path the command's words behind the program's name */
export async function callProcess(
  command: CommandSpec,
  path: readonly string[],
  values: Values,
  around: RunSurroundings,
): Promise<Reported> {
  const { launch, cwd, env } = around;
  const alone = !values.flags.has(WAIT.name) && !values.flags.has("plan");
  const words = [...launch.args, ...path, "--json", ...(alone ? ["--detach"] : []), ...wordsOf(command, values)];
  const child = spawn(launch.command, words, {
    cwd,
    env: { ...env },
    // Out of the client's reach: it ends its servers by their process group.
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = (): Promise<unknown> => (path[0] === "phases" ? pausedBy(cwd, values) : stoppedBy(cwd, values));
  if (!alone) return await ended(child, stop, around);
  const started = await ended(child, stop, { ...around, gone: around.closing });
  if (around.gone.aborted && !around.closing.aborted && started.document["started"] === true) await stop();
  return started;
}

function stoppedBy(cwd: string, { flags }: Values): Promise<unknown> {
  return stopLoop(
    findStateFile(cwd, flags.get("state-file")?.at(-1)),
    "the client cancelled the run",
    EXTENSIONS.engines,
  );
}

async function pausedBy(cwd: string, { flags }: Values): Promise<unknown> {
  const file = findPhaseFile(cwd, flags.get("state-file")?.at(-1), flags.get("loop")?.at(-1));
  return file.ok ? await pausePhases(file.value) : null;
}

/** As typed: nothing of a value can be taken for a flag. */
function wordsOf(command: CommandSpec, { args, flags }: Values): string[] {
  const words = [...flags].flatMap(([name, texts]) => {
    if (name === WAIT.name) return [];
    const boolean = command.flags?.some((flag) => flag.name === name && flag.value === undefined) === true;
    return texts.map((text) => (boolean ? `--${name}` : `--${name}=${text}`));
  });
  const placed = (command.args ?? []).flatMap((arg) => args.get(arg.name) ?? []);
  return [...words, ...(placed.length === 0 ? [] : ["--", ...placed])];
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** @param stop asks the run by its files */
async function ended(child: Child, stop: () => Promise<unknown>, around: RunSurroundings): Promise<Reported> {
  const { gone, closing } = around;
  const ask = (): void => {
    // There is no Ctrl-C for another process on Windows.
    if (process.platform !== "win32") child.kill("SIGINT");
    else void stop();
  };
  // The second signal kills. Another one than before, for the same twice can arrive as one; and both are sent here, for
  // whether its call was cancelled before depends on how the client left.
  const kill = (): void => {
    ask();
    child.kill("SIGTERM");
  };
  const release = [onceAborted(gone, ask), onceAborted(closing, kill)];
  try {
    return await documentOf(child, around.tell);
  } finally {
    for (const off of release) off();
  }
}

// ── what it prints ──────────────────────────────────────────────────────────

const LONGEST_DOCUMENT = 32 * 1024 * 1024;
const LONGEST_LINE = 4 * 1024;
/** How much of stderr is quoted when a run printed no JSON document. */
const LONGEST_TAIL = 4 * 1024;

function documentOf(child: Child, tell: (text: string) => void): Promise<Reported> {
  let printed = "";
  let line = "";
  let tail = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (printed.length < LONGEST_DOCUMENT) printed += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-LONGEST_TAIL);
    const lines = (line + text).split("\n");
    line = (lines.pop() ?? "").slice(-LONGEST_LINE);
    for (const whole of lines) if (whole.trim() !== "") tell(whole);
  });
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(broken(`aot run could not be started: ${error.message}`)));
    child.on("close", (code, signal) => resolve(documentIn(printed) ?? broken(ending(code, signal, tail))));
  });
}

function documentIn(printed: string): Reported | null {
  try {
    const value: unknown = JSON.parse(printed);
    return typeof value === "object" && value !== null ? reportedOf(value, "") : null;
  } catch {
    return null;
  }
}

function ending(code: number | null, signal: string | null, tail: string): string {
  const said = tail.trim();
  return `aot run ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}${said === "" ? "" : `: ${said}`}`;
}

function broken(message: string): Reported {
  const hint = "look at aot_logs, then call aot_run again: it goes on where it stood";
  return reportedOf({ success: false, errors: [{ code: "run_ended", message, hint }] }, `${message}\n  ${hint}`);
}
