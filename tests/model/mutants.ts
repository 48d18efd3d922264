/** The real runner with one planted fault each, bundled from patched sources: what the laws have to find. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleSource } from "../../scripts/bundle-source.mjs";
import type { createCoordinator } from "../../src/loop/coordinator.ts";
import { temporaryFolder } from "../support/bundle.ts";

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** In its file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Only the model finds it, command by command. */
  readonly shy?: true;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "effects are performed before their journal lines (COORDINATOR-1)",
    file: "src/loop/coordinator.ts",
    find: "    orThrow(ports.store.append(lines));\n",
    replace:
      "    for (const effect of effects.splice(0)) performer.perform(effect);\n    orThrow(ports.store.append(lines));\n",
  },
  {
    name: "a change of structure is saved when there is time (COORDINATOR-2)",
    file: "src/loop/coordinator.ts",
    find: "saver.offer(isUrgent(before, current.state))",
    replace: "saver.offer(isUrgent(before, before))",
  },
  {
    name: "the last state is not saved (COORDINATOR-2)",
    file: "src/loop/coordinator.ts",
    find: "      orThrow(saver.flush());\n      return current;",
    replace: "      return current;",
  },
  {
    name: "the run does not wait for what it started (COORDINATOR-3)",
    file: "src/loop/coordinator.ts",
    find: "  await performer.settled();\n",
    replace: "",
  },
  {
    name: "an effect is performed twice (PERFORM-1)",
    file: "src/loop/coordinator.ts",
    find: "    for (const effect of effects) performer.perform(effect);\n",
    replace:
      '    for (const effect of effects) (performer.perform(effect), effect.type === "shelve" && performer.perform(effect));\n',
  },
  {
    name: "a timer is left behind (COORDINATOR-3)",
    file: "src/loop/saver.ts",
    find: "      stopLooking();\n",
    replace: "",
  },
  {
    name: "what waits to be saved is never saved (COORDINATOR-2)",
    shy: true,
    file: "src/loop/saver.ts",
    find: "cancel ??= clock.after(wait, flushOrFail);",
    replace: "cancel ??= () => {};",
  },
  {
    name: "an attempt that was aborted before its agent ran is not reported (PERFORM-1)",
    file: "src/loop/work-attempt.ts",
    find: 'if (signal.aborted) return context.answer({ type: "attempt_aborted", attempt: id });',
    replace: "if (signal.aborted) return;",
  },
  {
    name: "a check that was aborted counts",
    shy: true,
    file: "src/loop/check-base-case.ts",
    find: '    if (signal.aborted) return context.answer({ type: "background_aborted", call: "check", ...spent(outcome) });\n',
    replace: "",
  },
  {
    name: "an abort does not reach the agent",
    file: "src/loop/perform.ts",
    find: "context.controllers.get(effect.attempt.id)?.abort();",
    replace: "",
  },
  {
    name: "an answer is asked for without end (ASK-1)",
    file: "src/loop/ask.ts",
    find: "const second = await call({ ...request, repair, ...budget });",
    replace:
      'const second = await call({ ...request, repair, ...budget });\n  if (second.kind === "unfit") return askTwice({ ...request, repair }, call, signal);',
  },
  {
    name: "the first call's cost is forgotten when it is asked again (ASK-2)",
    file: "src/loop/ask.ts",
    find: "const both = sum(first.usage, second.usage);",
    replace: "const both = second.usage;",
  },
  {
    name: "redirects are lost while the base case is checked",
    file: "src/core/step.ts",
    find: 'case "redirect_requested":\n',
    replace: 'case "redirect_requested":\n      if (draft.loop.run.check !== null) return;\n',
  },
  {
    name: "a slot is not freed when its attempt is aborted",
    file: "src/core/attempt-end.ts",
    find: '  settle(draft, running);\n  if (event.type !== "attempt_integrated")',
    replace:
      '  if (event.type !== "attempt_aborted") settle(draft, running);\n  if (event.type !== "attempt_integrated")',
  },
  {
    name: "an iteration takes one attempt too many (SCHEDULE-2)",
    file: "src/core/schedule.ts",
    find: "last.issued < parallel)",
    replace: "last.issued <= parallel)",
  },
  {
    name: "what fails is tried again in its own iteration (SCHEDULE-2)",
    file: "src/core/schedule.ts",
    find: "free.find((one) => !isIn(loop, last, one))",
    replace: "free[0]",
  },
  {
    name: "a crash gives fuel back (SPEC section 4)",
    file: "src/core/step.ts",
    find: 'status: "running" as const,',
    replace:
      'status: "running" as const,\n    iteration: event.from === "crashed" ? state.control.iteration - 1 : state.control.iteration,',
  },
  {
    name: "work starts while other work is taken out (SCHEDULE-5)",
    file: "src/core/advance.ts",
    find: 'midway.kind === "continue" && draft.loop.run.reverting === 0',
    replace: 'midway.kind === "continue"',
  },
];

export type Create = typeof createCoordinator;

/** The mutant's `createCoordinator`; without one, the real thing bundled in the same way. */
export async function bundled(mutant?: Mutant): Promise<Create> {
  const file = join(temporaryFolder(), "coordinator.mjs");
  await bundleSource("src/loop/coordinator.ts", file, mutant);
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { createCoordinator: Create };
  return module.createCoordinator;
}
