/**
 * Performs the effects that `step` returns, one small function per effect.
 *
 * PERFORM-1 each effect that needs an answer gets exactly one event, whatever the port does;
 * PERFORM-2 workspace effects start in the order in which `step` returned them;
 * PERFORM-3 a rejected promise of a port is a defect: it fails the run and never counts as a result.
 */
import type { Effect, Attempt } from "../core/effect.ts";
import { isCallWanted } from "./agent-call.ts";
import { askPlanner, replan } from "./ask-planner.ts";
import { checkBaseCase } from "./check-base-case.ts";
import { createEffectContext, type EffectContext, type PerformerOptions } from "./effect-context.ts";
import { tellingVerifier } from "./tell-checks.ts";
import { workAttempt } from "./work-attempt.ts";
import { boundedNames, namesInWords } from "../core/bounded-text.ts";
import { indexIn } from "../core/graph.ts";
import { at } from "../core/vec.ts";

export type { CallLimits, Ports } from "./effect-context.ts";

export interface Performer {
  perform(effect: Effect): void;
  /** To be called when the loop changed: ends waits for a rate limit if no call is wanted any more. */
  look(): void;
  /** Aborts every agent and check that is running. */
  kill(): void;
  /** Resolves when everything that was started has ended. */
  settled(): Promise<void>;
}

export function createPerformer(options: PerformerOptions): Performer {
  const open = new Set<Promise<void>>();
  const { ports, send } = options;
  const verifier = tellingVerifier(ports.verifier, ports.clock, send);
  const context = createEffectContext({ ...options, ports: { ...ports, verifier } });
  return {
    perform: (effect) => {
      const task = performing(context, effect);
      if (task === null) return;
      const ended = (): void => void open.delete(tracked);
      const tracked = task.then(ended, (error: unknown) => {
        options.fail(error);
        ended();
      });
      open.add(tracked);
    },
    look: () => {
      if (context.stateNow().state.control.stop_requested) context.spare?.end();
      if (context.waits.size === 0 || isCallWanted(context.stateNow(), context.ports.clock.now())) return;
      for (const end of context.waits) end();
    },
    kill: () => {
      context.spare?.end();
      for (const controller of context.controllers.values()) controller.abort();
      for (const cancel of context.timers) cancel();
      context.timers.clear();
    },
    settled: async () => {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

function performing(context: EffectContext, effect: Effect): Promise<void> | null {
  switch (effect.type) {
    case "start_attempt":
      return underControl(context, effect.attempt.id, async (signal) => {
        await Promise.all([workAttempt(context, effect, signal), context.spare?.gather(context)]);
      });
    case "integrate":
      return integrate(context, effect);
    case "shelve":
      return shelve(context, effect.attempt, effect.reason);
    case "revert":
      return revert(context, effect.atoms, effect.reason);
    case "check_base_case":
      return underControl(context, "check", (signal) => checkBaseCase(context, signal));
    case "replan":
      return underControl(context, "planner", (signal) => replan(context, effect.failing, signal));
    case "ask_planner":
      return underControl(context, "planner", (signal) => askPlanner(context, effect, signal));
    case "abort_attempt":
      context.controllers.get(effect.attempt.id)?.abort();
      return null;
    case "abort_background":
      context.controllers.get(effect.call)?.abort();
      return null;
    case "wake_in":
      context.timers.add(context.ports.clock.after(effect.ms, () => context.answer({ type: "time_passed" })));
      return null;
    case "halt":
      return null;
  }
}

async function underControl(
  context: EffectContext,
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  context.controllers.set(name, controller);
  try {
    await work(controller.signal);
  } finally {
    // The next call of this name may have begun while this one cleaned up: its controller has to stay.
    if (context.controllers.get(name) === controller) context.controllers.delete(name);
  }
}

async function integrate(context: EffectContext, effect: Extract<Effect, { type: "integrate" }>): Promise<void> {
  const { type: _, attempt, ...work } = effect;
  const { id, atom } = attempt;
  const { artifacts } = work;
  if (attempt.role === "probe") {
    // It was to read only: what it left behind is no work.
    await shelve(context, attempt, "probed");
    return context.answer({ type: "attempt_integrated", attempt: id, commit: null, artifacts: [] });
  }
  const { state, view } = context.stateNow();
  // Of a goal in one piece the commit is the goal's.
  const { atoms, objective } = state;
  const description = atoms.length === 1 ? objective.goal : at(atoms, indexIn(view.graph, atom)).description;
  const result = await context.ports.workspace.integrate(attempt, { description, ...work });
  switch (result.kind) {
    case "integrated": {
      const { ignored } = result;
      // Work that changed nothing made none of what it names.
      const made = result.files.length === 0 ? [] : artifacts.filter((path) => ignored?.files.includes(path) !== true);
      const { kept, left_out } = boundedNames(made.length > 0 ? made : result.files);
      const rest = `${left_out} more files of ${id} are not named in its binding: its commit has them`;
      if (left_out > 0) context.send({ event: "note", message: rest });
      if (ignored !== undefined) context.send({ event: "note", message: `${id}: ${ignored.message}` });
      // Dependent atoms and the planner read the artifacts, so this is where they learn what git ignored.
      const named = ignored === undefined ? kept : [...kept, ignored.message];
      return context.answer({ type: "attempt_integrated", attempt: id, commit: result.commit, artifacts: named });
    }
    case "conflict":
    case "protected": {
      const { kind, files } = result;
      const reason =
        kind === "conflict"
          ? `merge conflict in ${namesInWords(files)}: others changed the same lines meanwhile; work from what is there now`
          : `it changed protected files: ${namesInWords(files)}; they decide the verdict and no attempt may touch them`;
      const where = kind === "conflict" ? { files: boundedNames(files).kept } : {};
      return context.answer({ type: "attempt_failed", attempt: id, kind, reason, ...where });
    }
    case "failed":
      return context.answer({ type: "attempt_failed", attempt: id, kind: "failed", reason: result.reason });
  }
}

async function shelve(context: EffectContext, shelved: Attempt, reason: string): Promise<void> {
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

async function revert(context: EffectContext, atoms: readonly string[], reason: string): Promise<void> {
  context.answer({ type: "work_reverted", ...(await context.ports.workspace.revert(atoms, reason)) });
}
