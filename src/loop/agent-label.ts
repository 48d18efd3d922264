import { agentKind } from "./agent-kinds.ts";

/**
 * An agent's name that is safe to write into a journal or a recording: kind and model. Of a command only the program is
 * kept, since its arguments may hold a secret; of an unknown kind only the kind.
 */
export function agentLabel(name: string): string {
  const [, kind = name, rest = ""] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  if (rest === "") return name;
  const takes = agentKind(kind)?.takes;
  if (takes === "model") return name;
  if (takes === "file") return /^[\w:.,+-]*$/.test(rest) ? name : kind;
  return takes === "command" || takes === "shell command" ? ofCommand(kind, rest) : kind;
}

function ofCommand(kind: string, line: string): string {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  const program = words.find((word) => !word.includes("="))?.replace(/^.*[\\/]/, "") ?? "";
  return /^[\w.+-]+$/.test(program) ? `${kind}:${program}` : kind;
}
