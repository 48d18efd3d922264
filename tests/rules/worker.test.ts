/** The agents of `aot run` and guard rules (SPEC section 12). */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentEnvironment, projectAbove } from "../../src/project/agent-restrictions.ts";
import { workerSettings } from "../../src/rules/worker.ts";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";

interface Hooks {
  readonly hooks: Readonly<
    Record<string, readonly [{ readonly hooks: readonly [{ command: string; args: string[] }] }]>
  >;
}

test("a client with hooks is asked to ask about tools, as long as a rule is about them; the answer is the project's rules'", async () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, ".claude"));
  const state = join(dir, ".claude", "aot-loop-state.md");
  const settings = () => workerSettings(dir, [process.execPath, aotPath()]);
  const rule = (name: string, event: string, more = "pattern: rm\naction: block"): void =>
    writeFileSync(
      join(dir, ".claude", `hookify.${name}.local.md`),
      `---\nname: ${name}\nevent: ${event}\n${more}\n---\nno`,
    );
  expect(await settings()).toBeUndefined();
  rule("asked", "prompt");
  rule("off", "bash", "pattern: rm\nenabled: false");
  expect(await settings()).toBeUndefined();
  rule("no-rm", "bash");
  const { hooks } = JSON.parse((await settings()) ?? "") as Hooks;
  expect(Object.keys(hooks)).toEqual(["PreToolUse"]);
  const hook = hooks["PreToolUse"]?.[0].hooks[0];
  // A hook that is killed or hangs denies, too.
  expect(hook).toMatchObject({ onFailure: "block" });
  rule("result", "bash", "conditions: [{field: output, pattern: x}]");
  const asked = JSON.parse((await settings()) ?? "") as Hooks;
  expect(Object.keys(asked.hooks)).toEqual(["PreToolUse", "PostToolUse", "PostToolUseFailure"]);
  const env = agentEnvironment(state, cleanEnv({ HOME: temporaryFolder() }));
  const ask = (event: string, more: object): string =>
    spawnSync(hook?.command ?? "", hook?.args ?? [], {
      cwd: temporaryFolder(),
      env,
      encoding: "utf8",
      input: JSON.stringify({ session_id: "S", hook_event_name: event, ...more }),
    }).stdout;
  const call = { tool_name: "Bash", tool_input: { command: "rm x" } };
  expect(JSON.parse(ask("PreToolUse", call))).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect(ask("UserPromptSubmit", { prompt: "rm" })).toBe("");
  expect(projectAbove(env)).toBe(dir);
  expect(projectAbove({})).toBeNull();
});

test("an agent of another version says which loop it belongs to, and not which project", () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, ".claude"));
  const { AOT_LOOP_ROOT: _, ...env } = agentEnvironment(join(dir, ".claude", "aot-loop-state.md"), {});
  expect(projectAbove(env)).toBe(dir);
});
