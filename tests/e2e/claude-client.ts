/**
 * The real Claude Code against a scripted model on loopback. No credential and no setting of the machine can
 * reach it: its environment is the list below, its HOME a scratch folder, and its proxy a closed port,
 * so that anything but loopback is refused.
 */
import { claudeEnvironment as claudeOnLoopback } from "../../benches/claude-environment.mjs";
import { createClaudeAgent, type ClaudeOptions } from "../../src/adapters/agents/claude.ts";
import type { Agent } from "../../src/loop/ports.ts";
import type { Model } from "./scripted-model.ts";

/** The agent under test, with nothing of this machine in its environment. */
export function scrubbedClaude(command: string, model: Model, home: string, more: ClaudeOptions = {}): Agent {
  return createClaudeAgent({ command, env: { ...claudeEnvironment(model, home), ...more.env }, ...without(more) });
}

/** A client that asks the model once, and what an outer session would leave behind: the agent has to take that out. */
export function claudeEnvironment(model: Model, home: string): Record<string, string | undefined> {
  const outer = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "outer" };
  return { ...sessionEnvironment(home, model.url), ...outer };
}

/** The whole environment of a client. */
export function sessionEnvironment(home: string, url: string): Record<string, string> {
  return { ...claudeOnLoopback(home, url), CLAUDE_CODE_MAX_RETRIES: "0" };
}

function without({ env: _, ...rest }: ClaudeOptions): ClaudeOptions {
  return rest;
}
