/** The row of `aot mcp` in the table of all commands. */
import type { CommandSpec } from "../../command/spec.ts";

export const MCP: CommandSpec = {
  name: "mcp",
  summary: "Serve the loop to an MCP client over stdin and stdout.",
  description: [
    "The commands that a goal needs are tools, every other one is called by the tool aot_more; the state, the graph and the journal are resources. The client starts it: docs/clients.md has the lines for each.",
    "It works in the folder that it was started in, or in the client's own (its first root) where that is another one.",
  ],
  flags: [
    {
      name: "tools",
      value: "WHICH",
      choices: ["usual", "all"],
      summary: "Which commands are tools of their own.",
      fallback: "usual",
    },
  ],
  examples: [{ command: "aot mcp", note: "what a client starts; it ends with its stdin" }],
  effect: "changes",
  lasting: true,
  load: () => import("./serve.ts"),
};
