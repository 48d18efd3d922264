import { loopStatus } from "../../status/loop-status.ts";
import { phasesStatus } from "../status.ts";
import type { Call } from "../../command/call.ts";
import { fold } from "../../terminal/fold.ts";
import { painterFor } from "../../terminal/paint.ts";
import { failure, problemsText } from "../../command/problem-text.ts";
import { isScreen, screenOf } from "../../terminal/screen.ts";
import type { Answer, Run } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { watchText } from "../../terminal/watch-text.ts";
import { loopJson, phaseFileOf, stepsHere } from "./answer.ts";
import { phasesPicture, phasesText } from "./text.ts";

export const run: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  if (call.isSet("watch")) return await watch(call, file.value);
  const read = phasesStatus(file.value.path);
  if (!read.ok) return failure(read.problems, file.value.shown);
  const { definition, loop, error, halted, answers, works, runner } = read.value;
  const text = stepsHere(phasesText(read.value, await painterFor(call.io), call.io.cwd), call);
  return {
    exit: 0,
    json: {
      success: true,
      state_file: file.value.path,
      ...loopJson(definition, loop),
      error,
      halted,
      answers,
      works,
      runner,
    },
    text: (await isScreen(call.io, 1)) ? fold(text, screenOf(process.stdout).columns) : text,
  };
};

async function watch(call: Call, { path, shown }: NamedFile): Promise<Answer> {
  return await watchText(call, "aot phases status", async (paint, screen) => {
    const read = phasesStatus(path);
    if (!read.ok) return problemsText(read.problems, shown);
    const work = read.value.work === null ? null : await loopStatus(read.value.work);
    return phasesPicture(read.value, work?.ok === true ? work.value : null, paint, screen);
  });
}
