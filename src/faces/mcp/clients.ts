/** The clients that can be told of this server: which file, and how it says a server. */
import { homedir } from "node:os";
import { join } from "node:path";
import { withJsonEntry } from "./json-entry.ts";
import type { EntryEdit, ServerEntry } from "./entry.ts";
import { withTomlEntry } from "./toml-entry.ts";

export type Scope = "project" | "user";

export interface Client {
  readonly name: string;
  /** Where its file is; null: it has none of this scope. */
  file(scope: Scope, ground: Ground): string | null;
  edit(text: string, name: string, entry: ServerEntry): EntryEdit;
}

export interface Ground {
  /** The project's folder. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export const CLIENTS: readonly Client[] = [
  {
    name: "claude-code",
    file: (scope, ground) =>
      scope === "project"
        ? join(ground.project, ".mcp.json")
        : join(ground.env["CLAUDE_CONFIG_DIR"] ?? home(ground), ".claude.json"),
    edit: (text, name, entry) => withJsonEntry(text, "mcpServers", name, { type: "stdio", ...entry }),
  },
  {
    name: "claude-desktop",
    file: (scope, ground) =>
      scope === "project" ? null : join(applications(ground), "Claude", "claude_desktop_config.json"),
    edit: inMcpServers,
  },
  {
    name: "codex",
    file: (scope, ground) =>
      scope === "project"
        ? join(ground.project, ".codex", "config.toml")
        : join(ground.env["CODEX_HOME"] ?? join(home(ground), ".codex"), "config.toml"),
    edit: (text, name, entry) => withTomlEntry(text, "mcp_servers", name, entry),
  },
  {
    name: "cursor",
    file: (scope, ground) => join(scope === "project" ? ground.project : home(ground), ".cursor", "mcp.json"),
    edit: inMcpServers,
  },
  {
    name: "gemini",
    file: (scope, ground) => join(scope === "project" ? ground.project : home(ground), ".gemini", "settings.json"),
    edit: inMcpServers,
  },
  {
    name: "vscode",
    file: (scope, ground) =>
      scope === "project"
        ? join(ground.project, ".vscode", "mcp.json")
        : join(applications(ground), "Code", "User", "mcp.json"),
    edit: (text, name, entry) => withJsonEntry(text, "servers", name, { type: "stdio", ...entry }),
  },
];

function inMcpServers(text: string, name: string, entry: ServerEntry): EntryEdit {
  return withJsonEntry(text, "mcpServers", name, entry);
}

function home({ env, platform }: Ground): string {
  const named = platform === "win32" ? env["USERPROFILE"] : env["HOME"];
  return named === undefined || named === "" ? homedir() : named;
}

/** Where programs with windows keep their settings. */
function applications(ground: Ground): string {
  const { env, platform } = ground;
  if (platform === "darwin") return join(home(ground), "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] ?? join(home(ground), "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] ?? join(home(ground), ".config");
}
