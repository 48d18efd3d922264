/**
 * A loop's agents may look at the loop that runs them, and not change it: a limit is raised, a verdict recorded and a run
 * started by a person (SPEC sections 4, 6 and 8).
 *
 * The mark is in the agents' environment. It stops an agent that calls `aot`, which is what a model does that wants to be
 * helpful; it cannot stop a program that empties its environment first.
 */
import { resolve } from "node:path";
import { refused, type Refused } from "../core/problem.ts";
import { ownName } from "../host/atomic-write.ts";
import { projectOf } from "./find-state-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Holds the state files of the loops above, outermost first, as a JSON list: an inner loop's agent belongs to all of them. */
const LOOPS_VARIABLE = "AOT_LOOPS";
/** Holds the project of the innermost of them, which its state file does not tell where `.claude` is a link. */
const ROOT_VARIABLE = "AOT_LOOP_ROOT";

/**
 * The environment of a loop's agents.
 * @param root the project that they work for
 */
export function agentEnvironment(
  stateFile: string,
  base: Environment = process.env,
  root: string = projectOf(stateFile),
): Environment {
  const loops = JSON.stringify([...loopsAbove(base), ownName(stateFile)]);
  return { ...base, [LOOPS_VARIABLE]: loops, [ROOT_VARIABLE]: resolve(root) };
}

/** The project of the loop that this process is an agent of; null: it is none. */
export function projectAbove(base: Environment): string | null {
  const stateFile = loopsAbove(base).at(-1);
  return stateFile === undefined ? null : (base[ROOT_VARIABLE] ?? projectOf(stateFile));
}

/** Why this process may not change a loop: it is one of its agents. Null: it may. */
export function agentRefusal(stateFile: string, base: Environment = process.env): Refused | null {
  const above = loopsAbove(base);
  if (above.length === 0 || !above.includes(ownName(stateFile))) return null;
  const { AOT_CALL: call = "" } = base;
  return refused(
    `this is ${call === "" ? "an agent" : `the agent of ${call}`} of the loop ${stateFile}, and agents do not change the loop that runs them`,
    "say what you need in your answer (`success: false` with the reason, or `split`); a human changes the loop from another terminal",
  );
}

/** The state files of the loops that this process is an agent of, outermost first. */
export function loopsAbove(base: Environment): readonly string[] {
  try {
    const value: unknown = JSON.parse(base[LOOPS_VARIABLE] ?? "[]");
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
