import { agentKind } from "./agent-kinds.ts";

/**
 * An agent's name as it may be written into a journal or a recording: kind and model, of a command no more than the
 * program, since a command line may hold a secret. Of a kind that is not known, the kind alone.
 */
export function agentLabel(name: string): string {
  const [, kind = name, rest = ""] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  if (rest === "") return name;
  switch (agentKind(kind)?.takes) {
    case "model":
      return name;
    case "file":
      return /^[\w:.,+-]*$/.test(rest) ? name : kind;
    case "command":
    case "shell command":
      return ofCommand(kind, rest);
    default:
      return kind;
  }
}

function ofCommand(kind: string, line: string): string {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  const program = words.find((word) => !word.includes("="))?.replace(/^.*[\\/]/, "") ?? "";
  return /^[\w.+-]+$/.test(program) ? `${kind}:${program}` : kind;
}
