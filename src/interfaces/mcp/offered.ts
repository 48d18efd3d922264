/**
 * The commands that are offered as tools: those that a goal needs are in the list from the start, the rest is reached by
 * one more tool. Clients do not look at the list again when it changes (Claude Code, Codex), so that it never does.
 */
import type { Tool } from "@modelcontextprotocol/server";
import type { CommandSpec } from "../../command/spec.ts";
import { COMMANDS, PHASES } from "../../commands.ts";
import { RULES } from "../../rules/commands/spec.ts";
import type { CommandTool } from "./tool-list.ts";

export const OFFERED: readonly CommandSpec[] = [...COMMANDS, PHASES, RULES];

/** Those of the list, and which arguments it shows; null: all but the state file's name. `aot_more` takes every one. */
const FIRST: Readonly<Record<string, readonly string[] | null>> = {
  align:
    "goal check invariant atom background deliverables done prompt protect touches probe max_iterations max_cost_usd max_duration from force".split(
      " ",
    ),
  run: "agent plan wait parallel restart max_iterations max_cost_usd max_duration".split(" "),
  status: null,
  attach: null,
  stop: null,
  verify: null,
  redirect: null,
  logs: null,
  diff: null,
};

export const MORE = "aot_more";

/** @param all every command as a tool of its own */
export function listed(tools: readonly CommandTool[], all: boolean): Tool[] {
  if (all) return tools.map(({ tool }) => tool);
  const first = tools.filter(isFirst);
  return [...first.map(shortened), moreTool(tools.length - first.length)];
}

function isFirst({ path }: CommandTool): boolean {
  return Object.hasOwn(FIRST, path.join(" "));
}

function shortened({ path, tool }: CommandTool): Tool {
  const shown = FIRST[path.join(" ")] ?? null;
  const properties = Object.entries(tool.inputSchema.properties ?? {}).filter(([key]) =>
    shown === null ? key !== "state_file" : shown.includes(key),
  );
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: Object.fromEntries(properties) } };
}

function moreTool(rest: number): Tool {
  return {
    name: MORE,
    title: "aot: the other tools",
    description: `The ${rest} tools that are not in this list (atoms and the state file, single redirects, phase loops, guard rules, reports, receipts, logs), and what the listed ones take beside what is shown here. Without arguments it lists them; with tool it describes that one; with tool and arguments it calls it.`,
    inputSchema: {
      type: "object",
      properties: {
        tool: { type: "string", description: "Its name, such as aot_atom_add." },
        arguments: { type: "object", description: "What that tool takes; {} for nothing." },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  };
}

/** What `aot_more` answers about a tool that it is not to call; null: about all. */
export function described(tools: readonly CommandTool[], one: CommandTool | null): object {
  if (one !== null) return { success: true, ...one.tool };
  const rest = tools.filter((other) => !isFirst(other));
  return { success: true, tools: Object.fromEntries(rest.map(({ command, tool }) => [tool.name, command.summary])) };
}
