/** `aot loops logs`: what an attempt's agent and checks printed, as the engine keeps it. */
import { asking } from "../client.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { refused } from "../../core/problem.ts";
import type { KeptLog } from "../../loop/engine.ts";
import { loopOf } from "./call.ts";

export const run: Run = async (call) => {
  const found = await loopOf(call);
  if (!found.ok) return failure(found.problems);
  const { engine, loop } = found.value;
  const task = call.arg("task") ?? "";
  const logs = await asking(() => engine.logs(loop, task));
  await engine.close();
  return logs.ok ? answered(call, { loop, task, logs: logs.value }) : failure(logs.problems);
};

function answered(
  call: Call,
  { loop, task, logs }: { readonly loop: string; readonly task: string; readonly logs: readonly KeptLog[] },
): Answer {
  const latest = logs.at(-1);
  if (latest === undefined)
    return failure(
      refused(`the engine has no log of ${task} of ${loop}`, "it is there once the attempt is over").problems,
    );
  const names = logs.map(({ text: _, ...log }) => log);
  const about = { success: true, loop, logs: names };
  if (call.isSet("list")) return { exit: 0, json: about, text: names.map(lineOf).join("\n") };
  const notes = logs.length === 1 ? [] : [`${lineOf(latest)}; ${logs.length - 1} earlier: --list names them`];
  return { exit: 0, json: { ...about, log: latest }, text: latest.text, notes };
}

function lineOf({ task, run, file, bytes, at }: Omit<KeptLog, "text">): string {
  return `${task} (run ${run})  ${file}  ${bytes} bytes  ${at}`;
}
