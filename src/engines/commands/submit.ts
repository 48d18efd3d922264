import { withoutCredentials } from "../../adapters/workspace/credentials.ts";
import { agentRefusal, pullView } from "../owned-loop.ts";
import { followLoop } from "../follow.ts";
import { whatIsLocalOnly } from "../local-only.ts";
import { submitLoop, type SubmitOptions, type Submitted } from "../submit-loop.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { outcomeSentence } from "../../history/outcome-words.ts";
import { EXIT_CODES } from "../../core/state.ts";
import type { Call } from "../../command/call.ts";
import { configured } from "../../command/configured-call.ts";
import { submitOptions } from "./submit-options.ts";
import { interruptible } from "../../command/interrupt.ts";
import { painterFor } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import { nextStep } from "../../command/next-step.ts";
import { createRunView } from "../../terminal/run-view.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf, type NamedFile } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import { optionsOf } from "../../run/commands/run.ts";

export const run: Run = async (given) => {
  const refusal = agentRefusal(given.io.env);
  if (refusal !== null) return failure(refusal.problems);
  const file = stateFileOf(given);
  const known = await configured(given, projectOf(file.path));
  if ("answer" in known) return known.answer;
  const { call, config } = known;
  const name = call.text("engine");
  if (name === undefined) throw new Unusable("no engine is named", "name it with --engine or AOT_ENGINE");
  const request = await submitOptions(call, name, config, { options: optionsOf(call, file), file });
  if (!request.ok) return failure(request.problems);
  const done = await submitLoop(request.value);
  if (!done.ok)
    return { ...failure(done.problems, file.shown), ...("exit_code" in done ? { exit: Number(done.exit_code) } : {}) };
  const notes = await whatIsLocalOnly(projectOf(file.path));
  const answer = call.isSet("follow")
    ? await follow(call, request.value, done.value, file)
    : handed(done.value, request.value);
  return { ...answer, notes: [...notes, ...(answer.notes ?? [])] };
};

function handed({ owner, branch, message }: Submitted, request: SubmitOptions): Answer {
  const remote = withoutCredentials(request.remote);
  const next_step = "follow it with `aot loops`, steer it with `aot stop` and `aot redirect`";
  const text = `${message} on ${owner.engine}; its work is ${branch} of ${remote}\n${next_step}`;
  return { exit: 0, json: { success: true, ...owner, branch, remote, next_step }, text };
}

async function follow(
  call: Call,
  { engine }: SubmitOptions,
  { owner, branch }: Submitted,
  file: NamedFile,
): Promise<Answer> {
  const { io, json } = call;
  const write = json ? io.err : io.out;
  const view = createRunView({ write, paint: await painterFor(io, json ? 2 : 1), screen: () => null, now: Date.now });
  const followed = await interruptible(io, (signal) =>
    followLoop(engine, owner.loop, view.line, { signal, from: 0, say: view.say }),
  );
  view.close();
  if (!followed.ok) return failure(followed.problems);
  const pulled = await pullView(file.path, io.env);
  const notes = pulled.ok ? [] : pulled.problems.map(({ message }) => message);
  const outcome = followed.value?.state.control.outcome ?? null;
  if (outcome === null) {
    const text = `${owner.loop} goes on; look again with \`aot loops\``;
    return { exit: 0, json: { success: true, ...owner, branch, at_work: true }, text, notes };
  }
  const exit = EXIT_CODES[outcome];
  const { stop_reason } = followed.value?.state.control ?? {};
  const next_step = outcome === "verified" ? `git fetch its remote and take ${branch}` : nextStep({ outcome });
  const { words, reason } = outcomeSentence(outcome, stop_reason ?? "");
  const text = `${owner.loop}: ${words}${reason}\nnext: ${next_step}`;
  return { exit, json: { success: exit === 0, ...owner, branch, outcome, exit_code: exit, next_step }, text, notes };
}
