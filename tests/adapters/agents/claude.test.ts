/** The claude adapter over a real process that speaks the client's wire; the real client: tests/e2e/claude.test.ts. */
import { describe, expect } from "vitest";
import { createClaudeAgent } from "../../../src/adapters/agents/claude.ts";
import { agentContract } from "../../contracts/agent.ts";
import { behaving, fixture, hangingParent } from "./clients.ts";

const command = fixture("fake-claude.mjs");

describe.skipIf(process.platform === "win32")("a fake claude (a program by its first line)", () => {
  agentContract({
    name: "claude",
    agent: (behaviour) => Promise.resolve(createClaudeAgent({ command, env: behaving(behaviour) })),
    usage: { cost_usd: 0.25, input_tokens: 12, output_tokens: 3 },
    patience_ms: 3_000,
    processes: true,
    // By the moment at which the limit ends, which has come nearer since.
    retry_after_ms: expect.any(Number),
    parent: (cwd) => hangingParent("claude", command, cwd),
    skips: {},
  });
});
