import { withoutCredentials } from "../../adapters/workspace/credentials.ts";
import { agentRefusal } from "../owned-loop.ts";
import { whatIsLocalOnly } from "../local-only.ts";
import { submitLoop, type SubmitOptions, type Submitted } from "../submit-loop.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { configOf } from "../../run/commands/call-config.ts";
import { submitOptions } from "./hosted-run.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import { optionsOf } from "../../run/commands/run-options.ts";

export const run: Run = async (call) => {
  const refusal = agentRefusal(call.io.env);
  if (refusal !== null) return failure(refusal.problems);
  const file = stateFileOf(call);
  const config = await configOf(call, projectOf(file.path));
  if ("answer" in config) return config.answer;
  const name = call.text("engine");
  if (name === undefined) throw new Unusable("no engine is named", "name it with --engine or AOT_ENGINE");
  const request = await submitOptions(
    name,
    { options: optionsOf(call, file, config.settings), file, config },
    call.io.env,
  );
  if (!request.ok) return failure(request.problems);
  const done = await submitLoop(request.value);
  if (!done.ok)
    return { ...failure(done.problems, file.shown), ...("exit_code" in done ? { exit: Number(done.exit_code) } : {}) };
  return { ...handed(done.value, request.value), notes: await whatIsLocalOnly(projectOf(file.path)) };
};

function handed({ owner, branch, message }: Submitted, request: SubmitOptions): Answer {
  const remote = withoutCredentials(request.remote);
  const next_step = "follow it with `aot loops`, steer it with `aot stop` and `aot redirect`";
  const text = `${message} on ${owner.engine}; its work is ${branch} of ${remote}\n${next_step}`;
  return { exit: 0, json: { success: true, ...owner, branch, remote, next_step }, text };
}
