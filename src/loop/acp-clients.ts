/** Clients that speak the Agent Client Protocol, one row each: all that has to be known of one (SPEC sections 10 and 15). */

/** What a client needs of a place beside its folder. */
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

export const NO_NEEDS: ClientNeeds = { own: [], renews: [], env: /^$/, hosts: [], base_urls: [], settings: [] };

export type AcpClientName = "gemini" | "opencode" | "goose" | "copilot" | "cursor-agent";

export interface AcpClient {
  /** As given to `--agent`, and on PATH. */
  readonly name: AcpClientName;
  /** What makes it speak the protocol. */
  readonly args: string;
  readonly install: string;
  /** Names a model in the environment, which no shell reads. Absent: only the client's own settings name one. */
  readonly model?: (name: string) => Readonly<Record<string, string>>;
  readonly needs: Partial<ClientNeeds>;
}

export const ACP_CLIENTS: readonly AcpClient[] = [
  {
    name: "gemini",
    args: "--acp --skip-trust",
    install: "install Gemini CLI: npm install -g @google/gemini-cli",
    model: (name) => ({ GEMINI_MODEL: name }),
    needs: {
      own: [".gemini"],
      renews: [".gemini/oauth_creds.json"],
      env: /^(?:GEMINI_|GOOGLE_)/,
      hosts: ["*.googleapis.com", "accounts.google.com"],
      base_urls: ["GOOGLE_GEMINI_BASE_URL"],
    },
  },
  {
    name: "opencode",
    args: "acp",
    install: "install opencode: npm install -g opencode-ai",
    model: (name) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: name }) }),
    needs: {
      own: [".config/opencode", ".local/share/opencode"],
      renews: [".local/share/opencode/auth.json"],
      env: /^OPENCODE_/,
      settings: [".config/opencode/opencode.json"],
    },
  },
  {
    name: "goose",
    args: "acp",
    install: "install goose: https://block.github.io/goose",
    model: (name) => ({ GOOSE_MODEL: name }),
    needs: { own: [".config/goose", ".local/share/goose"], env: /^GOOSE_/ },
  },
  {
    name: "copilot",
    args: "--acp",
    install: "install Copilot CLI: npm install -g @github/copilot",
    model: (name) => ({ COPILOT_MODEL: name }),
    needs: {
      own: [".copilot"],
      env: /^(?:COPILOT_|GH_TOKEN$|GITHUB_TOKEN$)/,
      hosts: ["api.github.com", "*.githubcopilot.com"],
    },
  },
  {
    name: "cursor-agent",
    args: "acp",
    install: "install Cursor CLI: https://cursor.com/cli",
    needs: { own: [".cursor"], env: /^CURSOR_/, hosts: ["*.cursor.sh"] },
  },
];
