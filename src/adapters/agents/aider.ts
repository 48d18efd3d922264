/**
 * `aider`, `aider:MODEL`: the person's own aider, one `aider --message` per call, by its documented flags (SPEC section 10).
 *
 * It knows no schema and no price: an exit code of 0 of a worker claims success, its changes are the work, the checks decide.
 * Whoever only reads asks in its chat mode that changes nothing.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Confinement } from "../../loop/confinement.ts";
import type { Agent, AgentRequest } from "../../loop/ports.ts";
import { callEnvironment } from "./call-environment.ts";
import { answerIn, cutShort, howEnded, KEPT_BYTES, notRun, runCall, tailOf } from "./call-end.ts";
import { installedVersion } from "./client-login.ts";
import { claimOf } from "./command.ts";

export interface AiderOptions {
  readonly model?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly place?: Confinement;
}

/** Nobody answers, nothing is committed, nothing is written that is not the work. */
const FLAGS = [
  "--yes-always",
  "--no-auto-commits",
  "--no-dirty-commits",
  "--no-gitignore",
  "--no-check-update",
  "--no-suggest-shell-commands",
  "--no-stream",
  "--no-pretty",
];
/** What it keeps beside the work: of an attempt it is no part. */
const OWN_FILES = /^\.aider\.(?:tags\.cache|chat\.history|input\.history|llm\.history)/;

export function createAiderAgent({ model, env, place }: AiderOptions): Agent {
  return {
    name: model === undefined ? "aider" : `aider:${model}`,
    async call(request, signal) {
      const before = new Set(ownFilesIn(request.cwd));
      const program = {
        command: "aider",
        args: argsFor(request, model),
        env: callEnvironment(request, env),
        keep_bytes: KEPT_BYTES,
        signal,
      };
      const result = await runCall(request, program, { user: "aider", place });
      for (const file of ownFilesIn(request.cwd))
        if (!before.has(file)) rmSync(join(request.cwd, file), { recursive: true, force: true });
      const cut = cutShort(result, request) ?? notRun("aider", result);
      if (cut !== undefined) return cut;
      if (result.exit_code !== 0)
        return { kind: "failed", reason: `${howEnded(result)}: ${tailOf(result.stderr || result.stdout)}` };
      return request.role === "worker" || request.role === "probe"
        ? claimOf(request.role, result)
        : answerIn(result.stdout);
    },
    available: () => installedVersion("aider", env, "install aider: https://aider.chat"),
    close: () => Promise.resolve(),
  };
}

function argsFor({ role, prompt, repair }: AgentRequest, model: string | undefined): readonly string[] {
  const again = repair === undefined ? "" : `\n\nYour last answer could not be read: ${repair.problem}`;
  return [
    ...FLAGS,
    ...(model === undefined ? [] : ["--model", model]),
    ...(role === "worker" ? [] : ["--chat-mode", "ask"]),
    "--message",
    `${prompt}${again}`,
  ];
}

function ownFilesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => OWN_FILES.test(name));
}
