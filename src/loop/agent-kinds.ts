/**
 * The agents that `--agent` and similar flags accept, one row each (SPEC section 10); help and labels come from these rows.
 * The drivers: `adapters/agents/find.ts`.
 */
import { ACP_CLIENTS, type AcpClientName } from "./acp-clients.ts";

interface AgentKindRow {
  /** What follows `NAME:`; a model may be left out. */
  readonly takes: "model" | "command" | "shell command" | "file";
  /** Tried, in row order, if no agent is named. */
  readonly tried?: true;
}

export type AgentKind = "claude" | "codex" | AcpClientName | "acp" | "command" | "replay";

const ROWS: readonly (readonly [AgentKind, AgentKindRow])[] = [
  ["claude", { takes: "model", tried: true }],
  ["codex", { takes: "model", tried: true }],
  ...ACP_CLIENTS.map(({ name }) => [name, { takes: "model" }] as const),
  ["acp", { takes: "command" }],
  ["command", { takes: "shell command" }],
  ["replay", { takes: "file" }],
];

/** Undefined: `name` is no agent. */
export function agentKind(name: string): AgentKindRow | undefined {
  return ROWS.find(([kind]) => kind === name)?.[1];
}

/** Agents that take an optional model, so that their bare name is enough. */
export const WITH_MODEL = ROWS.flatMap(([kind, { takes }]) => (takes === "model" ? [kind] : []));
const OTHERS = ROWS.filter(([, { takes }]) => takes !== "model");
export const TRIED = ROWS.flatMap(([kind, { tried }]) => (tried === true ? [kind] : []));

/** The values that `--agent` accepts, as patterns. */
export const AGENT_FORMS: readonly string[] = ROWS.flatMap(([kind, { takes }]) => [
  ...(takes === "model" ? [kind] : []),
  `${kind}:<${takes}>`,
]);

/** The same as one sentence, for the help. */
export const AGENT_WORDS = `${WITH_MODEL.join(", ")} (also NAME:MODEL), ${OTHERS.map(
  ([kind, { takes }]) => `${kind}:${takes.replace(" ", "_").toUpperCase()}`,
)
  .join(", ")
  .replace(/, ([^,]*)$/, " or $1")}`;

/** The comma before the next agent of a list: a command may contain commas itself. */
export const NEXT_AGENT = new RegExp(
  `,\\s*(?=(?:${WITH_MODEL.join("|")})\\s*(?:[:,]|$)|(?:${OTHERS.map(([kind]) => kind).join("|")}):)`,
);
