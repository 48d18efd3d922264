/** The real runner with one planted fault each, bundled from patched sources: what the laws have to find. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { createCoordinator } from "../../src/loop/coordinator.ts";
import { temporaryFolder } from "../support/bundle.ts";

export interface Mutant {
  readonly name: string;
  /** Below `src/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Only the model finds it, command by command. */
  readonly shy?: true;
}

/** Each `from` stands exactly once in its file. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "effects are performed before their journal lines (COORDINATOR-1)",
    file: "loop/coordinator.ts",
    from: "    orThrow(ports.store.append(lines));\n",
    to: "    for (const effect of effects.splice(0)) performer.perform(effect);\n    orThrow(ports.store.append(lines));\n",
  },
  {
    name: "a change of structure is saved when there is time (COORDINATOR-2)",
    file: "loop/coordinator.ts",
    from: "saver.offer(isUrgent(before, current.state))",
    to: "saver.offer(isUrgent(before, before))",
  },
  {
    name: "the last state is not saved (COORDINATOR-2)",
    file: "loop/coordinator.ts",
    from: "      orThrow(saver.flush());\n      return current;",
    to: "      return current;",
  },
  {
    name: "the run does not wait for what it started (COORDINATOR-3)",
    file: "loop/coordinator.ts",
    from: "  await performer.settled();\n",
    to: "",
  },
  {
    name: "an effect is performed twice (PERFORM-1)",
    file: "loop/coordinator.ts",
    from: "    for (const effect of effects) performer.perform(effect);\n",
    to: '    for (const effect of effects) (performer.perform(effect), effect.type === "shelve" && performer.perform(effect));\n',
  },
  {
    name: "a timer is left behind (COORDINATOR-3)",
    file: "loop/saver.ts",
    from: "      stopLooking();\n",
    to: "",
  },
  {
    name: "what waits to be saved is never saved (COORDINATOR-2)",
    shy: true,
    file: "loop/saver.ts",
    from: "cancel ??= clock.after(wait, flushOrFail);",
    to: "cancel ??= () => {};",
  },
  {
    name: "an attempt that was aborted before its agent ran is not reported (PERFORM-1)",
    file: "loop/work-attempt.ts",
    from: 'if (signal.aborted) return context.answer({ type: "attempt_aborted", attempt: id });',
    to: "if (signal.aborted) return;",
  },
  {
    name: "a check that was aborted counts",
    shy: true,
    file: "loop/check-base-case.ts",
    from: '    if (signal.aborted) return context.answer({ type: "background_aborted", ...spent(outcome) });\n',
    to: "",
  },
  {
    name: "an abort does not reach the agent",
    file: "loop/perform.ts",
    from: "context.controllers.get(effect.attempt.id)?.abort();",
    to: "",
  },
  {
    name: "an answer is asked for without end (ASK-1)",
    file: "loop/ask.ts",
    from: "const second = await call({ ...request, repair, ...budget });",
    to: 'const second = await call({ ...request, repair, ...budget });\n  if (second.kind === "unfit") return askTwice({ ...request, repair }, call, signal);',
  },
  {
    name: "the first call's cost is forgotten when it is asked again (ASK-2)",
    file: "loop/ask.ts",
    from: "const both = sum(first.usage, second.usage);",
    to: "const both = second.usage;",
  },
  {
    name: "redirects are lost while the base case is checked",
    file: "core/step.ts",
    from: 'case "redirect_requested":\n',
    to: 'case "redirect_requested":\n      if (draft.loop.run.background.kind !== "none") return;\n',
  },
  {
    name: "a slot is not freed when its attempt is aborted",
    file: "core/attempt-end.ts",
    from: '  settle(draft, running);\n  if (event.type !== "attempt_integrated")',
    to: '  if (event.type !== "attempt_aborted") settle(draft, running);\n  if (event.type !== "attempt_integrated")',
  },
  {
    name: "an iteration takes one attempt too many (SCHEDULE-2)",
    file: "core/schedule.ts",
    from: "last.issued < parallel)",
    to: "last.issued <= parallel)",
  },
  {
    name: "what fails is tried again in its own iteration (SCHEDULE-2)",
    file: "core/schedule.ts",
    from: "fits(loop, index) && !isIn(loop, last, index)",
    to: "fits(loop, index)",
  },
  {
    name: "a crash gives fuel back (SPEC section 4)",
    file: "core/start.ts",
    from: 'status: "running" as const,',
    to: 'status: "running" as const,\n    iteration: event.from === "crashed" ? state.control.iteration - 1 : state.control.iteration,',
  },
  {
    name: "work starts while other work is taken out (SCHEDULE-5)",
    file: "core/advance.ts",
    from: 'midway.kind === "continue" && draft.loop.run.reverting === 0',
    to: 'midway.kind === "continue"',
  },
];

export type Create = typeof createCoordinator;

/** The mutant's `createCoordinator`; without one, the real thing bundled in the same way. */
export async function bundled(mutant?: Mutant): Promise<Create> {
  const source = (path: string): string => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
  const patched = mutant === undefined ? null : source(mutant.file);
  const file = join(temporaryFolder(), "coordinator.mjs");
  const bundle = await rolldown({
    input: source("loop/coordinator.ts"),
    platform: "node",
    logLevel: "silent",
    plugins: [
      { name: "mutant", load: (id) => (mutant !== undefined && id === patched ? withFault(id, mutant) : null) },
    ],
  });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { createCoordinator: Create };
  return module.createCoordinator;
}

function withFault(path: string, { name, from, to }: Mutant): { code: string; moduleType: "ts" } {
  const parts = readFileSync(path, "utf8").split(from);
  if (parts.length !== 2) throw new Error(`${path} has changed: where does "${name}" go now?`);
  return { code: parts.join(to), moduleType: "ts" };
}
