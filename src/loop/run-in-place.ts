/** Running a program where it is confined: the one way in which attempts and checks start theirs (SPEC section 15). */
import { NOTHING_RAN, runGroup, type GroupOptions, type GroupResult } from "../host/process.ts";
import type { Confinement, PlaceUse } from "./ports.ts";

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
 * started. What was refused to it is at the end of its stderr.
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
  const result = await runGroup({ ...rest, ...entered.start, ...talk(entered.cwd) });
  const { began, refused } = await entered.leave();
  if (!began && !result.aborted)
    return { ...NOTHING_RAN, start_error: `its place could not be entered: ${result.output.trim().slice(-SAID)}` };
  return refused.length === 0 ? result : { ...result, stderr: [result.stderr, ...refused].join("\n") };
}

/** Characters of the reason. */
const SAID = 500;
