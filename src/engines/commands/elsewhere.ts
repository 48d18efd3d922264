/** Flags by which commands on a loop reach one that an engine works, and what carries them out (SPEC section 13). */
import type { Elsewhere } from "../../command/spec.ts";
import type { Redirect } from "../../core/redirect.ts";
import type { PreparedRun } from "../../run/commands/run-options.ts";

export const RUN_ELSEWHERE: Elsewhere<PreparedRun> = {
  flags: [
    {
      name: "engine",
      value: "URL",
      summary: "Have an engine's workers do it (docs/engine.md).",
    },
  ],
  take: async (call, run) => {
    const engine = call.text("engine");
    if (engine === undefined) return null;
    const { hostedRun } = await import("./hosted-run.ts");
    return await hostedRun(call, engine, run);
  },
};

export const REDIRECT_ELSEWHERE: Elsewhere<Redirect> = {
  // A program redirects the loop of its own project.
  flags: [
    {
      name: "loop",
      value: "LOOP",
      summary: "A loop of an engine, by its name there (aot loops).",
      fallback: "the loop of this project",
      unattended: "absent",
    },
    {
      name: "engine",
      value: "URL",
      env: "AOT_ENGINE",
      summary: "The engine of --loop.",
      fallback: "the one that works the loop of this project",
      unattended: "absent",
    },
  ],
  take: async (call, redirect) => {
    const loop = call.text("loop");
    if (loop === undefined) return null;
    const { redirectNamed } = await import("./loops-steer.ts");
    return await redirectNamed(call, loop, redirect);
  },
};
