/** The row of `aot mcp` in the table of all commands. */
import type { CommandSpec } from "../../command/spec.ts";

export const MCP: CommandSpec = {
  name: "mcp",
  summary: "Serve the loop to an MCP client over stdin and stdout.",
  description: [
    "The commands that a goal needs are tools, every other one is called by the tool aot_more; the state, the graph and the journal are resources, and aligning, entering, leaving and redirecting are prompts. The client starts it: `aot mcp install` sets it up.",
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
  commands: [
    {
      name: "install",
      summary: "Write this server into a client's configuration file; everything else in it stays as it is.",
      flags: [
        {
          name: "client",
          value: "NAME",
          repeatable: true,
          choices: ["claude-code", "claude-desktop", "codex", "cursor", "gemini", "vscode"],
          summary: "Which client.",
          fallback: "claude-code",
        },
        { name: "project", summary: "Into the project's file. The paths in it are of this machine." },
        { name: "user", summary: "Into your own file, for all your projects." },
        { name: "print", summary: "Show what would be written, and write nothing." },
      ],
      exits: [[2, "bad usage, or the client's file cannot be read as what it should be"]],
      examples: [
        { command: "aot mcp install --print", note: "what would be written for Claude Code?" },
        { command: "aot mcp install --client cursor --client vscode --project", note: "two clients of this project" },
      ],
      effect: "changes",
      settles: true,
      load: () => import("./install.ts"),
    },
  ],
};
