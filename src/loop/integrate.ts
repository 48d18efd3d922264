/** What becomes of an attempt's work: into the integration branch, aside, or out again. */
import { boundedNames, namesInWords } from "../core/bounded-text.ts";
import type { Attempt, Effect } from "../core/effect.ts";
import { indexIn } from "../core/graph.ts";
import { at } from "../core/vec.ts";
import type { EffectContext } from "./effect-context.ts";

export async function integrate(context: EffectContext, effect: Extract<Effect, { type: "integrate" }>): Promise<void> {
  const {
    attempt: { id, atom },
    summary,
    artifacts,
  } = effect;
  const { state, view } = context.stateNow();
  const { description } = at(state.atoms, indexIn(view.graph, atom));
  const result = await context.ports.workspace.integrate(effect.attempt, { description, summary, artifacts });
  switch (result.kind) {
    case "integrated": {
      const { ignored } = result;
      const made = artifacts.filter((path) => ignored?.files.includes(path) !== true);
      const { kept, left_out } = boundedNames(made.length > 0 ? made : result.files);
      const rest = `${left_out} more files of ${id} are not named in its binding: its commit has them`;
      if (left_out > 0) context.send({ event: "note", message: rest });
      if (ignored !== undefined) context.send({ event: "note", message: `${id}: ${ignored.message}` });
      // Whoever builds on it, or plans anew because of it, reads there what is missing.
      const named = ignored === undefined ? kept : [...kept, ignored.message];
      return context.answer({ type: "attempt_integrated", attempt: id, commit: result.commit, artifacts: named });
    }
    case "conflict":
      return context.answer({
        type: "attempt_failed",
        attempt: id,
        kind: "conflict",
        reason: `merge conflict in ${namesInWords(result.files)}: others changed the same lines meanwhile; work from what is there now`,
      });
    case "protected":
      return context.answer({
        type: "attempt_failed",
        attempt: id,
        kind: "protected",
        reason: `it changed protected files: ${namesInWords(result.files)}; they decide the verdict and no attempt may touch them`,
      });
    case "failed":
      return context.answer({ type: "attempt_failed", attempt: id, kind: "failed", reason: result.reason });
  }
}

export async function shelve(context: EffectContext, shelved: Attempt, reason: string): Promise<void> {
  const shelving = context.ports.workspace.shelve(shelved, reason);
  const ended = shelving.then(
    () => undefined,
    () => undefined,
  );
  context.shelving.add(ended);
  void ended.then(() => context.shelving.delete(ended));
  const { kept } = await shelving;
  if (kept !== null) context.send({ event: "note", message: `the work of ${shelved.id} is kept in ${kept}` });
}

export async function revert(context: EffectContext, atoms: readonly string[], reason: string): Promise<void> {
  const { commit, lost } = await context.ports.workspace.revert(atoms, reason);
  context.answer({ type: "work_reverted", commit, lost });
}
