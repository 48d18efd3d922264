/** Which of the plugin's hooks a client calls: its matchers are lists of names, or else regular expressions. */
import { readFileSync } from "node:fs";

interface Group {
  readonly matcher?: string;
  readonly hooks: readonly { readonly command: string }[];
}

/** The shell commands of an event's hooks; of a tool's event those that are called for it. */
export function commandsOf(event: string, tool: string | null): readonly string[] {
  const { hooks } = JSON.parse(readFileSync("plugin/hooks/hooks.json", "utf8")) as {
    readonly hooks: Readonly<Record<string, readonly Group[]>>;
  };
  return (hooks[event] ?? []).flatMap((group) =>
    tool === null || isMatched(group.matcher, tool) ? group.hooks.map(({ command }) => command) : [],
  );
}

/** With what the front is called by each hook, of an event of a tool by its name. */
export function calledWith(event: string, tool: string): readonly (readonly string[])[] {
  return commandsOf(event, tool).map((command) => (/^set -- ([\w ]+); /.exec(command)?.[1] ?? "").split(" "));
}

/** What a shell is started with: the first hook's command, as Claude Code does; without one the front as a program. */
export function shellArgs(front: string, event: string, tool: string | null): readonly string[] {
  const [command] = commandsOf(event, tool);
  return command === undefined ? [front, event] : ["-c", command];
}

function isMatched(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  if (/^[\w|, -]+$/.test(matcher)) return matcher.split(/[|,]/).includes(tool);
  return new RegExp(matcher).test(tool);
}
