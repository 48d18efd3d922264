import { readStateFile } from "../../adapters/store/state-file.ts";
import { projectOf } from "../../app/find-state-file.ts";
import { tamperingTold } from "../../app/tampered-files.ts";
import { verifyIn } from "../../app/verify-loop.ts";
import { decidersOf, verdictText } from "../decided-by.ts";
import { interruptible } from "../interrupt.ts";
import { painterFor } from "../paint.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const deciders = decidersOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const { objective } = read.value.state;
  const verified = await interruptible(call.io, (signal) =>
    verifyIn(objective, projectOf(file.path), deciders, signal),
  );
  if (!verified.ok) return failure(verified.problems, call.text("scores"));
  const verdict = verified.value;
  const { tampered, notes } = await tamperingTold(file.path, objective);
  return {
    exit: verdict.passed === true ? 0 : 1,
    json: (objective.protected ?? []).length === 0 ? verdict : { ...verdict, tampered },
    notes,
    text: call.json ? "" : verdictText(verdict, await painterFor(call.io)),
  };
};
