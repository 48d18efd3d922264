/** The clients that can be told of this server: which file, and how it says a server. */
import { homedir } from "node:os";
import { join } from "node:path";
import { jsonEntryOf, withJsonEntry } from "./json-entry.ts";
import type { EntryEdit, EntryRead, ServerEntry } from "./entry.ts";
import { tomlEntryOf, withTomlEntry } from "./toml-entry.ts";

/** The name of this server in each client's file. */
const SERVER_NAME = "aot";
/** How many bytes of a client's file are read. */
export const LARGEST_FILE = 64 * 1024 * 1024;

export const SCOPES = ["project", "user"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Client extends Form {
  readonly name: string;
  /** Where its file is; null: it has none of this scope. */
  file(scope: Scope, ground: Ground): string | null;
}

interface Form {
  edit(text: string, entry: ServerEntry): EntryEdit;
  read(text: string): EntryRead;
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
    ...inJson("mcpServers", { type: "stdio" }),
  },
  {
    name: "claude-desktop",
    file: (scope, ground) =>
      scope === "project" ? null : join(applications(ground), "Claude", "claude_desktop_config.json"),
    ...inJson("mcpServers"),
  },
  {
    name: "codex",
    file: (scope, ground) =>
      scope === "project"
        ? join(ground.project, ".codex", "config.toml")
        : join(ground.env["CODEX_HOME"] ?? join(home(ground), ".codex"), "config.toml"),
    ...inToml("mcp_servers"),
  },
  {
    name: "cursor",
    file: (scope, ground) => join(scope === "project" ? ground.project : home(ground), ".cursor", "mcp.json"),
    ...inJson("mcpServers"),
  },
  {
    name: "gemini",
    file: (scope, ground) => join(scope === "project" ? ground.project : home(ground), ".gemini", "settings.json"),
    ...inJson("mcpServers"),
  },
  {
    name: "vscode",
    file: (scope, ground) =>
      scope === "project"
        ? join(ground.project, ".vscode", "mcp.json")
        : join(applications(ground), "Code", "User", "mcp.json"),
    ...inJson("servers", { type: "stdio" }),
  },
];

/** @param more what the entry says besides */
function inJson(section: string, more: object = {}): Form {
  return {
    edit: (text, entry) => withJsonEntry(text, section, SERVER_NAME, { ...more, ...entry }),
    read: (text) => jsonEntryOf(text, section, SERVER_NAME),
  };
}

function inToml(section: string): Form {
  return {
    edit: (text, entry) => withTomlEntry(text, section, SERVER_NAME, entry),
    read: (text) => tomlEntryOf(text, section, SERVER_NAME),
  };
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
