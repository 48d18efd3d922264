/** `aot loops log`: what an attempt's agent printed, from the store that its worker kept it in. */
import { openBlobs, keptLogs, type KeptLog } from "../logs.ts";
import { ownerAt } from "../owned-loop.ts";
import { accepted, refused, type Problem, type Result } from "../../core/problem.ts";
import type { BlobStore } from "../../loop/blob-store.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";

/** A document holds no more of a log than its end. */
const LARGEST_IN_DOCUMENT = 256 * 1024;

export const run: Run = async (call) => {
  const address = call.text("blobs");
  if (address === undefined)
    throw new Unusable("no blob store is named", "name the one that the workers write to: --blobs or AOT_BLOBS");
  const task = call.arg("task") ?? "";
  const loop = await loopIn(call);
  if (!loop.ok) return failure(loop.problems);
  const blobs = await openBlobs(address, call.io.cwd);
  if (!blobs.ok) return failure(blobs.problems);
  try {
    return await printed(call, blobs.value, loop.value, task);
  } catch (error) {
    return failure([unusable(error)]);
  }
};

async function loopIn(call: Call): Promise<Result<string>> {
  const named = call.arg("loop");
  if (named !== undefined) return accepted(named);
  const owner = await ownerAt(stateFileOf(call).path);
  if (owner !== null) return accepted(owner.loop);
  return refused("no loop is named, and no engine works the loop of this project", "`aot loops` names them");
}

function unusable(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return { code: "refused", message, hint: "see that it is up, and that its credentials are set here (AWS_*)" };
}

async function printed(call: Call, blobs: BlobStore, loop: string, task: string): Promise<Answer> {
  const logs = await keptLogs(blobs, loop, task);
  const [latest] = logs.slice(-1);
  if (latest === undefined)
    return failure([
      {
        code: "refused",
        message: `${blobs.name} holds no log of ${task} of ${loop}`,
        hint: "it is there once the attempt is over, if its worker was started with --blobs",
      },
    ]);
  const about = { success: true, loop, blobs: blobs.name, logs };
  if (call.isSet("list")) return { exit: 0, json: about, text: logs.map(lineOf).join("\n") };
  const bytes = await blobs.get(latest.blob);
  if (bytes === null) throw new Error(`${blobs.name} holds ${latest.blob} no more`);
  if (call.json) return { exit: 0, json: { ...about, log: { ...latest, ...(await endOf(bytes)) } }, text: "" };
  const decoder = new TextDecoder();
  for await (const part of bytes) call.io.out(decoder.decode(part, { stream: true }));
  const notes = logs.length === 1 ? [] : [`${lineOf(latest)}; ${logs.length - 1} earlier: --list names them`];
  return { exit: 0, json: {}, text: "", notes };
}

async function endOf(bytes: AsyncIterable<Uint8Array>): Promise<{ readonly text: string; readonly dropped: number }> {
  let kept = Buffer.alloc(0);
  let all = 0;
  for await (const part of bytes) {
    all += part.length;
    kept = Buffer.concat([kept, part]).subarray(-LARGEST_IN_DOCUMENT);
  }
  return { text: kept.toString(), dropped: all - kept.length };
}

function lineOf({ task, run, file, bytes, at }: KeptLog): string {
  return `${task} (run ${run})  ${file}  ${bytes} bytes  ${at}`;
}
