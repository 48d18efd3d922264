import { setLoopStatus } from "../set-loop-status.ts";
import { failingLeaves } from "../../core/verdict.ts";
import { required } from "../../command/call.ts";
import { decidersOf, verdictText } from "../../verify/commands/decided-by.ts";
import { editAnswer } from "./edit-answer.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const status = required(call.arg("status"), "status") as "running" | "stopped" | "completed";
  const deciders = decidersOf(call);
  const reason = call.text("reason") ?? null;
  const set = await untilInterrupted(call.io, (signal) =>
    setLoopStatus(file.path, status, reason, { deciders, signal }),
  );
  if (!set.ok) return failure(set.problems, file.shown);
  if (set.value.kind === "set")
    return editAnswer(
      file,
      { ok: true, value: set.value.edited },
      { json: () => ({}), text: () => `the loop is ${status}` },
    );
  const { verdict } = set.value;
  const failing = failingLeaves(verdict).map((leaf) => leaf.item);
  const message = "the base case is not verified: the loop is not completed";
  const hint =
    verdict.passed === false
      ? `make these pass first: ${failing.join(", ")}`
      : "decide what is open: --judge AGENT, --scores FILE, or confirm the assertions: --confirm";
  const errors = [{ code: "refused", message, hint }];
  return {
    exit: 1,
    json: { success: false, errors, ...verdict },
    text: "",
    trouble: `${verdictText(verdict)}\n${message}`,
  };
};
