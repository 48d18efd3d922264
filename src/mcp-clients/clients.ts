/** The clients that can be informed of this server: which file, and how it says a server. */
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
  file(scope: Scope, context: InstallContext): string | null;
}

interface Form {
  edit(text: string, entry: ServerEntry): EntryEdit;
  read(text: string): EntryRead;
}

export interface InstallContext {
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export const CLIENTS: readonly Client[] = [
  {
    name: "claude-code",
    file: (scope, context) =>
      scope === "project"
        ? join(context.project, ".mcp.json")
        : join(context.env["CLAUDE_CONFIG_DIR"] ?? home(context), ".claude.json"),
    ...inJson("mcpServers", { type: "stdio" }),
  },
  {
    name: "claude-desktop",
    file: (scope, context) =>
      scope === "project" ? null : join(applications(context), "Claude", "claude_desktop_config.json"),
    ...inJson("mcpServers"),
  },
  {
    name: "codex",
    file: (scope, context) =>
      scope === "project"
        ? join(context.project, ".codex", "config.toml")
        : join(context.env["CODEX_HOME"] ?? join(home(context), ".codex"), "config.toml"),
    ...inToml("mcp_servers"),
  },
  {
    name: "cursor",
    file: (scope, context) => join(scope === "project" ? context.project : home(context), ".cursor", "mcp.json"),
    ...inJson("mcpServers"),
  },
  {
    name: "gemini",
    file: (scope, context) => join(scope === "project" ? context.project : home(context), ".gemini", "settings.json"),
    ...inJson("mcpServers"),
  },
  {
    name: "vscode",
    file: (scope, context) =>
      scope === "project"
        ? join(context.project, ".vscode", "mcp.json")
        : join(applications(context), "Code", "User", "mcp.json"),
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

function home({ env, platform }: InstallContext): string {
  const named = platform === "win32" ? env["USERPROFILE"] : env["HOME"];
  return named === undefined || named === "" ? homedir() : named;
}

/** Where programs with windows keep their settings. */
function applications(context: InstallContext): string {
  const { env, platform } = context;
  if (platform === "darwin") return join(home(context), "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] ?? join(home(context), "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] ?? join(home(context), ".config");
}
