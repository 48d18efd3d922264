/**
 * An agent's name as it may be written into a journal or a recording: kind and model, of a command no more than the
 * program, since a command line may hold a secret.
 */
export function agentLabel(name: string): string {
  const [, kind = "", rest = ""] = /^(acp|command|replay):(.*)$/s.exec(name) ?? [];
  if (kind === "") return name;
  if (kind === "replay") return /^[\w:.,+-]*$/.test(rest) ? name : kind;
  const words = [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  const program = words.find((word) => !word.includes("="))?.replace(/^.*[\\/]/, "") ?? "";
  return /^[\w.+-]+$/.test(program) ? `${kind}:${program}` : kind;
}
