/** Runs a program in the sandbox: the only way in which attempts and checks start programs (SPEC section 15). */
import { NOTHING_RAN, runGroup, type GroupOptions, type GroupResult } from "../host/process.ts";
import type { Confinement, PlaceUse } from "./confinement.ts";

export interface ProgramOptions extends Omit<GroupOptions, "env" | "converse"> {
  /** The whole environment; the sandbox passes on only what it allows. */
  readonly env: NonNullable<GroupOptions["env"]>;
  /** Called before the program starts, with the folder as the program sees it. */
  readonly onEntered?: (cwd: string) => void;
  /** As in `GroupOptions`. @param cwd the folder as the program sees it */
  readonly converse?: (...given: [...Parameters<NonNullable<GroupOptions["converse"]>>, cwd: string]) => void;
}

/**
 * Runs a program and waits until all its processes are gone. If the sandbox cannot be made, the result is a start error.
 * Denied accesses are appended to stderr and output, and added to `place.refusals`.
 * @param place absent: no sandbox
 */
export async function runInPlace(
  { converse, onEntered, ...options }: ProgramOptions,
  use: PlaceUse,
  place: Confinement | undefined,
): Promise<GroupResult> {
  const talk = (cwd: string): Pick<GroupOptions, "converse"> =>
    converse === undefined ? {} : { converse: (stdin) => converse(stdin, cwd) };
  if (place === undefined) return await runGroup({ ...options, ...talk(options.cwd) });
  const { command, args = [], shell = false, cwd, env, ...rest } = options;
  const entered = await place.enter({ command, args, shell, cwd, env }, use);
  if (!entered.ok) return { ...NOTHING_RAN, start_error: entered.reason };
  onEntered?.(entered.cwd);
  const ran = await runGroup({ ...rest, ...entered.start, ...talk(entered.cwd) });
  const { began, refused: hosts, killed } = await entered.leave(ran.exit_code === null);
  const result = killed === true ? { ...ran, exit_code: null, signal: "SIGKILL" } : ran;
  if (!began && !result.aborted)
    return { ...NOTHING_RAN, start_error: `its place could not be entered: ${result.output.trim().slice(-TAIL)}` };
  const refused = [...hosts, ...refusedWrites(result.output)];
  if (refused.length === 0) return result;
  if (use.call !== undefined)
    place.refusals.set(use.call, [...new Set([...(place.refusals.get(use.call) ?? []), ...refused])]);
  const said = refused.map((one) => `sandbox: ${one}`).join("\n");
  return { ...result, stderr: `${result.stderr}\n${said}`, output: `${result.output}\n${said}` };
}

/** Error messages of programs whose write the sandbox denied. */
const DENIALS = [
  /(\/[^\s'":\\]+)\\?['"]?: read-only file system/gi,
  /read-only file system(?:, \w+|:) \\?['"](\/[^'"\\]+)/gi,
];
const MOST_DENIED_PATHS = 20;

function refusedWrites(output: string): readonly string[] {
  const paths = DENIALS.flatMap((pattern) => [...output.matchAll(pattern)].map(([, path = ""]) => path));
  const known = [...new Set(paths)].slice(0, MOST_DENIED_PATHS);
  return known.map((path) => `writing to ${path} is not allowed here (allow_write)`);
}

/** Characters of output, from its end, that a start error quotes. */
const TAIL = 500;
