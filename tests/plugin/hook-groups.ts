/** Which of the plugin's hooks a client calls: its matchers are lists of names, or else regular expressions. */
import { readFileSync } from "node:fs";

interface Group {
  readonly matcher?: string;
  readonly hooks: readonly { readonly args: readonly string[] }[];
}

/** The arguments of each hook that is called, of an event of a tool by its name. */
export function calledWith(event: string, tool: string): readonly (readonly string[])[] {
  const { hooks } = JSON.parse(readFileSync("plugin/hooks/hooks.json", "utf8")) as {
    readonly hooks: Readonly<Record<string, readonly Group[]>>;
  };
  return (hooks[event] ?? []).flatMap((group) =>
    isMatched(group.matcher, tool) ? group.hooks.map(({ args }) => args) : [],
  );
}

function isMatched(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  if (/^[\w|, -]+$/.test(matcher)) return matcher.split(/[|,]/).includes(tool);
  return new RegExp(matcher).test(tool);
}
