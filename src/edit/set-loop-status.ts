/**
 * `aot state set-status` (SPEC section 6): `completed` is set only together with a verdict of true, and never on
 * protected files that changed since the goal was aligned.
 */
import { readStateFile } from "../adapters/store/state-file.ts";
import { setStatus } from "../core/operations.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import type { ChecklistVerdict } from "../core/verdict.ts";
import { editLoop, type EditedLoop } from "./edit-loop.ts";
import { projectOf } from "../project/find-state-file.ts";
import { agentRefusal } from "../project/agent-restrictions.ts";
import type { Deciders } from "../verify/verify-loop.ts";

export type StatusSet =
  | { readonly kind: "set"; readonly edited: EditedLoop; readonly verdict?: ChecklistVerdict }
  /** The base case is not verified: nothing was written. */
  | { readonly kind: "unverified"; readonly verdict: ChecklistVerdict };

export async function setLoopStatus(
  stateFile: string,
  status: "running" | "stopped" | "completed",
  reason: string | null,
  { deciders, signal }: { readonly deciders: Deciders; readonly signal: AbortSignal },
): Promise<Result<StatusSet>> {
  if (status !== "completed") {
    const edited = await editLoop(stateFile, `set-status ${status}`, (state) =>
      setStatus(state, status, reason, false),
    );
    return edited.ok ? accepted({ kind: "set", edited: edited.value }) : edited;
  }
  const own = agentRefusal(stateFile);
  if (own !== null) return own;
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const { objective } = read.value.state;
  const { base_case } = objective;
  const [{ verifyIn }, { tamperedIn }] = await Promise.all([
    import("../verify/verify-loop.ts"),
    import("../verify/tampered-files.ts"),
  ]);
  const tampered = await tamperedIn(stateFile, objective);
  if (!tampered.ok) return tampered;
  if (tampered.value.length > 0)
    return refused(
      `protected files changed since the goal was aligned: ${tampered.value.join(", ")}`,
      "restore them (`git restore --source COMMIT PATH`), or align anew with `aot align --force`",
    );
  const verified = await verifyIn(read.value.state, { dir: projectOf(stateFile), stateFile }, deciders, signal);
  if (!verified.ok) return verified;
  const verdict = verified.value;
  const met = verdict.passed === true && !verdict.requires_user_confirmation;
  if (!met) return accepted({ kind: "unverified", verdict });
  const edited = await editLoop(stateFile, "set-status completed", (state) =>
    isSame(state.objective.base_case, base_case)
      ? setStatus(state, "completed", null, true)
      : refused("the base case was changed while it was being verified", "do it again"),
  );
  return edited.ok ? accepted({ kind: "set", edited: edited.value, verdict }) : edited;
}

function isSame(a: BaseCase, b: BaseCase): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
