/** What becomes of an attempt's work: into the integration branch, aside, or out again. */
import { boundedNames, namesInWords } from "../core/bounded-text.ts";
import type { Attempt, Effect } from "../core/effect.ts";
import { indexIn } from "../core/graph.ts";
import { at } from "../core/vec.ts";
import type { Desk } from "./desk.ts";

export async function integrate(desk: Desk, effect: Extract<Effect, { type: "integrate" }>): Promise<void> {
  const {
    attempt: { id, atom },
    summary,
    artifacts,
  } = effect;
  const { state, view } = desk.stateNow();
  const { description } = at(state.atoms, indexIn(view.graph, atom));
  const result = await desk.ports.workspace.integrate(effect.attempt, { description, summary, artifacts });
  switch (result.kind) {
    case "integrated": {
      const { ignored } = result;
      const made = artifacts.filter((path) => ignored?.files.includes(path) !== true);
      const { kept, left_out } = boundedNames(made.length > 0 ? made : result.files);
      const rest = `${left_out} more files of ${id} are not named in its binding: its commit has them`;
      if (left_out > 0) desk.send({ event: "note", message: rest });
      if (ignored !== undefined) desk.send({ event: "note", message: `${id}: ${ignored.message}` });
      // Whoever builds on it, or plans anew because of it, reads there what is missing.
      const named = ignored === undefined ? kept : [...kept, ignored.message];
      return desk.answer({ type: "attempt_integrated", attempt: id, commit: result.commit, artifacts: named });
    }
    case "conflict":
      return desk.answer({
        type: "attempt_failed",
        attempt: id,
        kind: "conflict",
        reason: `merge conflict in ${namesInWords(result.files)}: others changed the same lines meanwhile; work from what is there now`,
      });
    case "protected":
      return desk.answer({
        type: "attempt_failed",
        attempt: id,
        kind: "protected",
        reason: `it changed protected files: ${namesInWords(result.files)}; they decide the verdict and no attempt may touch them`,
      });
    case "failed":
      return desk.answer({ type: "attempt_failed", attempt: id, kind: "failed", reason: result.reason });
  }
}

export async function shelve(desk: Desk, shelved: Attempt, reason: string): Promise<void> {
  const { kept } = await desk.ports.workspace.shelve(shelved, reason);
  if (kept !== null) desk.send({ event: "note", message: `the work of ${shelved.id} is kept in ${kept}` });
}

export async function revert(desk: Desk, atoms: readonly string[], reason: string): Promise<void> {
  const { commit, lost } = await desk.ports.workspace.revert(atoms, reason);
  desk.answer({ type: "work_reverted", commit, lost });
}
