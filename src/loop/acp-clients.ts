/** Clients that speak the Agent Client Protocol, one row each with everything the loop knows about it (SPEC sections 10 and 15). */

/** What a client needs inside its sandbox, besides its working folder. */
export interface ClientNeeds {
  /** Paths below the home folder that hold the client's own files: hidden from every other program. */
  readonly own: readonly string[];
  /** Those of `own` that the client itself renews (a login): such writes persist, all others are private to the sandbox. */
  readonly renews: readonly string[];
  /** Environment variables that it gets besides those that every program gets. */
  readonly env: RegExp;
  /** Hosts that it talks to: `name` or `*.name` (all subdomains), either one with an optional `:port`. */
  readonly hosts: readonly string[];
  /** Environment variables in which a person may name another host. */
  readonly base_urls: readonly string[];
  /** Settings files below the home folder that may name one (`base_url = "..."`): what an attempt writes there is dropped. */
  readonly settings: readonly string[];
}

export const NO_NEEDS: ClientNeeds = { own: [], renews: [], env: /^$/, hosts: [], base_urls: [], settings: [] };

export type AcpClientName = "gemini" | "opencode" | "goose" | "copilot" | "cursor-agent";

export interface AcpClient {
  /** As given to `--agent`; also the name of the program on PATH. */
  readonly name: AcpClientName;
  /** Arguments that make it speak the protocol. */
  readonly args: string;
  readonly install: string;
  /** Environment variables that select a model (no shell has to quote its name). Absent: only the client's settings can. */
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
