/** What each client needs of a place beside its folder (SPEC section 15): one row each. */
import { join } from "node:path";
import { textAt } from "../../host/regular-file.ts";
import type { PlaceUse } from "../../loop/confinement.ts";

export interface ClientNeeds {
  /** Below the home folder, where the client keeps itself: hidden from every other program. */
  readonly own: readonly string[];
  /** Of these, what it renews itself (a login): written for good. Everything else that it writes there is private. */
  readonly renews: readonly string[];
  /** Variables beside those that every program gets. */
  readonly env: RegExp;
  /** Hosts that it talks to: `name`, `*.name` (all below it), either with `:port`. */
  readonly hosts: readonly string[];
  /** Variables that name a service of the person's choice. */
  readonly base_urls: readonly string[];
  /** Settings below the home folder that may name one (`base_url = "..."`): no attempt writes them for good. */
  readonly settings: readonly string[];
}

const NOTHING: ClientNeeds = { own: [], renews: [], env: /^$/, hosts: [], base_urls: [], settings: [] };

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
const GEMINI: ClientNeeds = {
  own: [".gemini"],
  renews: [".gemini/oauth_creds.json"],
  env: /^(?:GEMINI_|GOOGLE_)/,
  hosts: ["*.googleapis.com", "accounts.google.com"],
  base_urls: ["GOOGLE_GEMINI_BASE_URL"],
  settings: [],
};

const OPENCODE: ClientNeeds = {
  own: [".config/opencode", ".local/share/opencode"],
  renews: [".local/share/opencode/auth.json"],
  env: /^OPENCODE_/,
  hosts: [],
  base_urls: [],
  settings: [".config/opencode/opencode.json"],
};
const GOOSE: ClientNeeds = { ...NOTHING, own: [".config/goose", ".local/share/goose"], env: /^GOOSE_/ };
const COPILOT: ClientNeeds = {
  ...NOTHING,
  own: [".copilot"],
  env: /^(?:COPILOT_|GH_TOKEN$|GITHUB_TOKEN$)/,
  hosts: ["api.github.com", "*.githubcopilot.com"],
};
const CURSOR: ClientNeeds = { ...NOTHING, own: [".cursor"], env: /^CURSOR_/, hosts: ["*.cursor.sh"] };

/** Its models are whose the person chose: a host that is not here is named with `allow_domains`. */
const AIDER: ClientNeeds = {
  ...NOTHING,
  own: [".aider", ".aider.conf.yml", ".aider.model.settings.yml"],
  env: /^(?:AIDER_|OPENAI_|ANTHROPIC_|GEMINI_|DEEPSEEK_|OPENROUTER_)/,
  hosts: ["api.openai.com", "*.anthropic.com", "*.googleapis.com", "api.deepseek.com", "openrouter.ai"],
  base_urls: ["OPENAI_API_BASE"],
};

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
  goose: GOOSE,
  copilot: COPILOT,
  "cursor-agent": CURSOR,
  aider: AIDER,
  acp: ACP,
  // What else it needs a person names: `allow_write`, `allow_domains`, `allow_env`.
  command: NOTHING,
  replay: NOTHING,
  check: NOTHING,
  // Its hosts: registries.ts.
  set_up: NOTHING,
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
