import { readStateFile } from "../../adapters/store/state-file.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { tamperingNotes } from "../tampered-files.ts";
import { verifyIn } from "../verify-loop.ts";
import { decidersOf, verdictText } from "./decided-by.ts";
import { whileWaiting } from "../../terminal/wait-row.ts";
import { painterFor } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const deciders = decidersOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const { objective } = read.value.state;
  const verified = await whileWaiting(call.io, (signal, tell) =>
    verifyIn(read.value.state, { dir: projectOf(file.path), stateFile: file.path, tell }, deciders, signal),
  );
  if (!verified.ok) return failure(verified.problems, call.text("scores"));
  const verdict = verified.value;
  const { tampered, notes } = await tamperingNotes(file.path, objective);
  return {
    exit: verdict.passed === true ? 0 : 1,
    json: (objective.protected ?? []).length === 0 ? verdict : { ...verdict, tampered },
    notes,
    text: call.json ? "" : verdictText(verdict, await painterFor(call.io)),
  };
};
