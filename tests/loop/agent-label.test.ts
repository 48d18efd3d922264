import { expect, test } from "vitest";
import { agentLabel } from "../../src/loop/agent-label.ts";

test.each([
  ["claude", "claude"],
  ["claude:opus", "claude:opus"],
  ["codex:gpt-5.1 high", "codex:gpt-5.1 high"],
  ["acp:gemini --acp", "acp:gemini"],
  ["command:/usr/bin/node agent.mjs --key=abc", "command:node"],
  ["command:KEY=abc sh work.sh", "command:sh"],
  ['command:"/opt/my tools/agent" --token abc', "command:agent"],
  ["command:$(secret) x", "command"],
  ["replay:codex", "replay:codex"],
  ["in-process:secret --key=abc", "in-process"],
  ["replay:/home/me/run.jsonl", "replay"],
])("an agent's name %j is written down as %j: never a secret of its command line", (name, label) => {
  expect(agentLabel(name)).toBe(label);
});
