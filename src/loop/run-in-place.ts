/** Running a program where it is confined: the one way in which attempts and checks start theirs (SPEC section 15). */
import { NOTHING_RAN, runGroup, type GroupOptions, type GroupResult } from "../host/process.ts";
import type { Confinement, PlaceUse } from "./confinement.ts";

export interface ProgramOptions extends Omit<GroupOptions, "env" | "converse"> {
  /** The whole environment, of which a place passes what its list names. */
  readonly env: NonNullable<GroupOptions["env"]>;
  /** Called before the program starts, with its folder as it sees it. */
  readonly onEntered?: (cwd: string) => void;
  /** As of a group. @param cwd the folder as the program sees it */
  readonly converse?: (...given: [...Parameters<NonNullable<GroupOptions["converse"]>>, cwd: string]) => void;
}

/**
 * Runs a program in its place and waits until all of it is gone. A place that cannot be made is a program that cannot be
 * started. What was refused to it is at the end of its stderr and output, and in the place's `refusals`.
 * @param place absent: in its folder, with all rights
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
    return { ...NOTHING_RAN, start_error: `its place could not be entered: ${result.output.trim().slice(-SAID)}` };
  const refused = [...hosts, ...refusedWrites(result.output)];
  if (refused.length === 0) return result;
  if (use.call !== undefined)
    place.refusals.set(use.call, [...new Set([...(place.refusals.get(use.call) ?? []), ...refused])]);
  const said = refused.map((one) => `sandbox: ${one}`).join("\n");
  return { ...result, stderr: `${result.stderr}\n${said}`, output: `${result.output}\n${said}` };
}

/** How programs say that a file system cannot be written to: in a place that is what is kept from them. */
const WRITES = [
  /(\/[^\s'":\\]+)\\?['"]?: read-only file system/gi,
  /read-only file system(?:, \w+|:) \\?['"](\/[^'"\\]+)/gi,
];
const MOST_REFUSED = 20;

function refusedWrites(output: string): readonly string[] {
  const paths = WRITES.flatMap((pattern) => [...output.matchAll(pattern)].map(([, path = ""]) => path));
  const known = [...new Set(paths)].slice(0, MOST_REFUSED);
  return known.map((path) => `writing to ${path} is not allowed here (allow_write)`);
}

/** Characters of the reason. */
const SAID = 500;
