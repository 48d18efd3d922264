import { originOf } from "../origin.ts";
import { agentRefusal } from "../owned-loop.ts";
import { takeBackLoop } from "../take-back.ts";
import { refused } from "../../core/problem.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const file = stateFileOf(call);
  const remote = call.text("remote") ?? (await originOf(projectOf(file.path)));
  if (remote === null)
    return failure(refused("no remote is named, and there is no origin here", "name it with --remote").problems);
  const done = await takeBackLoop(file.path, remote, call.io.env);
  if (!done.ok) return failure(done.problems, file.shown);
  const { owner, branch, outcome } = done.value;
  const text = `${file.shown} is the loop again, as it ended there (${outcome}); its work is ${branch}\nnext: \`aot run\``;
  return { exit: 0, json: { success: true, ...owner, branch, outcome }, text };
};
