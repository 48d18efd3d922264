/** Changes of a loop without a run (edit-loop.ts): who may not make them. */
import { runnerOf } from "../adapters/store/run-lock.ts";
import { refused } from "../core/problem.ts";
import { agentRefusal } from "../project/agent-restrictions.ts";

/** EDIT-LOOP-1. Null: nobody works the loop, and this process is none of its agents. */
export function runnerRefusal(stateFile: string): ReturnType<typeof refused> | null {
  const own = agentRefusal(stateFile);
  if (own !== null) return own;
  const runner = runnerOf(stateFile);
  return runner === null
    ? null
    : refused(
        `a run works this loop: pid ${runner.pid} on host ${runner.host}, since ${runner.since}`,
        "change a running loop with `aot redirect`, or end it with `aot stop`",
      );
}
