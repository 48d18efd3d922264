/** What each client needs of a place beside its folder (SPEC section 15); those of ACP: `loop/acp-clients.ts`. */
import { join } from "node:path";
import { textAt } from "../../host/regular-file.ts";
import { ACP_CLIENTS, NO_NEEDS, type AcpClientName, type ClientNeeds } from "../../loop/acp-clients.ts";
import type { PlaceUse } from "../../loop/confinement.ts";

const CLAUDE: ClientNeeds = {
  own: [".claude", ".claude.json"],
  renews: [".claude/.credentials.json"],
  env: /^(?:ANTHROPIC_|CLAUDE_|DISABLE_|ENABLE_|MAX_|BASH_|MCP_|API_TIMEOUT_MS$)/,
  hosts: ["*.anthropic.com", "*.claude.com", "claude.ai"],
  base_urls: ["ANTHROPIC_BASE_URL"],
  settings: [".claude/settings.json"],
};
const CODEX: ClientNeeds = {
  own: [".codex"],
  renews: [".codex/auth.json"],
  env: /^(?:OPENAI_|CODEX_)/,
  hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
  base_urls: ["OPENAI_BASE_URL"],
  settings: [".codex/config.toml"],
};
/** Those of the table of ACP clients. */
function needsOf(name: AcpClientName): ClientNeeds {
  return { ...NO_NEEDS, ...ACP_CLIENTS.find((client) => client.name === name)?.needs };
}
const [GEMINI, OPENCODE] = [needsOf("gemini"), needsOf("opencode")];

/** Any program behind the protocol: which client it drives is not known. */
const ACP: ClientNeeds = {
  own: [...CLAUDE.own, ...CODEX.own, ...GEMINI.own, ...OPENCODE.own, ".qwen"],
  renews: [...CLAUDE.renews, ...CODEX.renews, ...GEMINI.renews, ...OPENCODE.renews],
  env: new RegExp([CLAUDE, CODEX, GEMINI].map(({ env }) => env.source).join("|")),
  hosts: [...CLAUDE.hosts, ...CODEX.hosts, ...GEMINI.hosts],
  base_urls: [...CLAUDE.base_urls, ...CODEX.base_urls, ...GEMINI.base_urls],
  settings: [...CLAUDE.settings, ...CODEX.settings, ".config/opencode/opencode.json"],
};

export const CLIENT_NEEDS: Readonly<Record<PlaceUse["user"], ClientNeeds>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
  goose: needsOf("goose"),
  copilot: needsOf("copilot"),
  "cursor-agent": needsOf("cursor-agent"),
  acp: ACP,
  // What else it needs a person names: `allow_write`, `allow_domains`, `allow_env`.
  command: NO_NEEDS,
  replay: NO_NEEDS,
  check: NO_NEEDS,
  // Its hosts: registries.ts.
  set_up: NO_NEEDS,
};

/** The hosts of a client, with those that its variables and settings name. */
export function hostsOf(
  user: PlaceUse["user"],
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): readonly string[] {
  const { hosts, base_urls, settings } = CLIENT_NEEDS[user];
  const named = settings.flatMap((file) => [...(textAt(join(home, file)) ?? "").matchAll(BASE_URL)]);
  return [...hosts, ...base_urls.flatMap((name) => hostIn(env[name])), ...named.flatMap(([, url]) => hostIn(url))];
}

const BASE_URL = /base_?url"?\s*[:=]\s*["'](https?:\/\/[^"'\s]+)/gi;

function hostIn(address: string | undefined): readonly string[] {
  if (address === undefined || !URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  return [`${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`];
}
