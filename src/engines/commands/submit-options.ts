/** What flags and settings hand over with a loop to an engine (SPEC section 13). */
import type { Config } from "../../project/config.ts";
import { setUpOf } from "../../project/config-set-up.ts";
import { engineNamed } from "../client.ts";
import type { SubmitOptions } from "../submit-loop.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { originOf } from "../origin.ts";
import type { RunOptions } from "../../run/options.ts";
import { accepted, type Result } from "../../core/problem.ts";
import type { Call } from "../../command/call.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";

/** @param name the engine's. @param options what the flags of `aot run` say. @throws Unusable */
export async function submitOptions(
  call: Call,
  name: string,
  { settings: configured }: Config,
  { options, file }: { readonly options: Omit<RunOptions, "guard" | "engines">; readonly file: NamedFile },
): Promise<Result<SubmitOptions>> {
  const engine = engineNamed(name, call.io.env);
  if (!engine.ok) return engine;
  const remote = call.text("remote") ?? (await originOf(projectOf(file.path)));
  if (remote === null)
    throw new Unusable("no shared repository is named, and this one has no remote `origin`", "name it with --remote");
  const { settings, limits, agent, worker, probe, planner, judge, escalate } = options;
  const crew = Object.fromEntries(
    Object.entries({ agent, worker, probe, planner, judge, escalate }).filter(([, value]) => value !== undefined),
  );
  return accepted({
    stateFile: file.path,
    engine: engine.value,
    remote,
    crew,
    limits,
    settings: { ...settings, ...(planner === "none" ? {} : { planner: true }) },
    set_up: setUpOf(configured),
  });
}
