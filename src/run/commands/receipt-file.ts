/** `aot receipt` and `aot receipt verify` (SPEC section 16). */
import { parseObject } from "../../core/reading.ts";
import type { Objective } from "../../core/state.ts";
import { describeCheck, leavesOf } from "../../core/verdict.ts";
import { required, type Call } from "../../command/call.ts";
import { whileWaiting } from "../../terminal/wait-row.ts";
import { failure } from "../../command/problem-text.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import { VERSION } from "../../command/version.ts";
import { askYes, needsPerson } from "../../terminal/ask-yes.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { makeReceipt, objectiveIn, verifyReceipt, type Finding } from "../receipt.ts";
import { readStatement } from "../statement.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const made = await makeReceipt(file.path, VERSION);
  if (!made.ok) return failure(made.problems, file.shown);
  return { exit: 0, json: made.value, text: JSON.stringify(made.value, null, 2) };
};

export const verify: Run = async (call) => {
  const receipt = parseObject(readTextFile(call.io, required(call.arg("file"), "file")));
  const read = readStatement(receipt);
  if (!read.ok) return failure(read.problems);
  const objective = objectiveIn(read.value.predicate);
  if (!objective.ok) return failure(objective.problems);
  await agreed(call, objective.value);
  const found = await whileWaiting(call.io, (signal, tell) => {
    tell("what the receipt says is looked at here");
    return verifyReceipt(receipt, call.io.cwd, signal);
  });
  if (!found.ok) return failure(found.problems);
  const holds = found.value.every((finding) => finding.holds !== false);
  const paint = await painterFor(call.io);
  const words = holds ? "the receipt holds, as far as it can be looked at here" : "the receipt does not hold";
  return {
    exit: holds ? 0 : 1,
    json: { success: holds, findings: found.value },
    text: [...found.value.map((finding) => findingLine(finding, paint)), "", words].join("\n"),
  };
};

/** Its commands are somebody else's: a person looks at them first. @throws Unusable */
async function agreed(call: Call, { base_case }: Pick<Objective, "base_case">): Promise<void> {
  if (call.isSet("yes")) return;
  const { io } = call;
  const checks = leavesOf(base_case).map(({ check }) => `  ${describeCheck(check)}`);
  io.err(["this runs the checks of the receipt, with your rights:", ...checks, ""].join("\n"));
  await needsPerson(call, "look at its checks, then pass --yes");
  if (!(await askYes("Run them?"))) throw new Unusable("nothing was run", "look at the checks first");
}

function findingLine({ what, holds, why }: Finding, paint: Painter): string {
  const mark = holds === null ? paint("dim", "-") : holds ? paint("green", "✓") : paint("red", "✗");
  return `${mark} ${what}: ${why}`;
}
