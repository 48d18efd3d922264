/**
 * The agents that `--agent` and its kin name, one row each (SPEC section 10): names, help and labels are made of
 * these. How each one is driven: `adapters/agents/find.ts`.
 */
import { ACP_CLIENTS, type AcpClientName } from "./acp-clients.ts";

interface AgentKindRow {
  /** What follows the colon; a model may be left out. */
  readonly takes: "model" | "command" | "shell command" | "file";
  /** Tried, in the order of the rows, where no agent is named. */
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

/** The row of a name that may be that of no agent. */
export function agentKind(name: string): AgentKindRow | undefined {
  return ROWS.find(([kind]) => kind === name)?.[1];
}

/** Which can do without what follows the colon. */
export const WITH_MODEL = ROWS.flatMap(([kind, { takes }]) => (takes === "model" ? [kind] : []));
const OTHERS = ROWS.filter(([, { takes }]) => takes !== "model");
export const TRIED = ROWS.flatMap(([kind, { tried }]) => (tried === true ? [kind] : []));

/** What `--agent` and its kin take, one line each. */
export const AGENT_FORMS: readonly string[] = ROWS.flatMap(([kind, { takes }]) => [
  ...(takes === "model" ? [kind] : []),
  `${kind}:<${takes}>`,
]);

/** The same in a sentence, for the help. */
export const AGENT_WORDS = `${WITH_MODEL.join(", ")} (also NAME:MODEL), ${OTHERS.map(
  ([kind, { takes }]) => `${kind}:${takes.replace(" ", "_").toUpperCase()}`,
)
  .join(", ")
  .replace(/, ([^,]*)$/, " or $1")}`;

/** A comma that an agent's name follows: commands may hold commas of their own. */
export const NEXT_AGENT = new RegExp(
  `,\\s*(?=(?:${WITH_MODEL.join("|")})\\s*(?:[:,]|$)|(?:${OTHERS.map(([kind]) => kind).join("|")}):)`,
);
