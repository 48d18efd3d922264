/** `aot mcp install`: tells clients of this server, in their own configuration files. */
import { copyFileSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, readBytes, stampAt, write } from "../../adapters/store/file-bytes.ts";
import { findStateFile, projectOf } from "../../project/find-state-file.ts";
import type { Problem, Result } from "../../core/problem.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { CLIENTS, LARGEST_FILE, type Client, type InstallContext, type Scope } from "../../mcp-clients/clients.ts";
import type { ServerEntry } from "../../mcp-clients/entry.ts";
import { ownServer, type OwnServer } from "../../mcp-clients/own-server.ts";

interface Installed {
  readonly client: string;
  readonly scope: Scope;
  readonly file: string;
  /** What the file says, or is to say. */
  readonly entry: ServerEntry;
  /** The entry as a file that says nothing else. Of the client's own file nothing is shown: it may hold secrets. */
  readonly snippet: string;
  /** False: it said so already. */
  readonly changed: boolean;
  readonly backup: string | null;
  /** What the person has to know about the entry. */
  readonly notes: readonly string[];
}

export const run: Run = (call) => {
  const scope = scopeOf(call);
  const context: InstallContext = {
    project: projectOf(findStateFile(call.io.cwd)),
    env: call.io.env,
    platform: process.platform,
  };
  const names = call.texts("client");
  const clients = CLIENTS.filter(({ name }) => (names.length === 0 ? name === "claude-code" : names.includes(name)));
  const dry = call.isSet("print");
  const server = ownServer(process.execPath, process.argv[1] ?? "");
  if (!server.ok) return failure(server.problems);
  const done: Installed[] = [];
  for (const client of clients) {
    const installed = install(client, { wanted: scope, dry }, context, server.value);
    if (!installed.ok) return failure(installed.problems);
    done.push(installed.value);
  }
  return {
    exit: 0,
    json: { success: true, written: !dry, clients: done },
    text: done.map((one) => sentence(one, dry)).join("\n"),
  };
};

function scopeOf(call: Call): Scope | undefined {
  if (call.isSet("project") && call.isSet("user"))
    throw new Unusable("--project and --user exclude each other", "use one of them");
  return call.isSet("project") ? "project" : call.isSet("user") ? "user" : undefined;
}

function install(
  client: Client,
  { wanted, dry }: { readonly wanted: Scope | undefined; readonly dry: boolean },
  context: InstallContext,
  { entry, note }: OwnServer,
): Result<Installed> {
  const scope = wanted ?? (client.file("project", context) === null ? "user" : "project");
  const file = client.file(scope, context);
  if (file === null)
    throw new Unusable(`${client.name} has no configuration of a project`, `say --user for ${client.name}`);
  const read = readBytes(file, LARGEST_FILE, "");
  if (!read.ok && read.problems[0]?.code !== "file_missing") return read;
  const before = read.ok ? Buffer.from(read.value.bytes).toString("utf8") : "";
  const edit = client.edit(before, entry);
  if (!edit.ok) return { ok: false, problems: [unreadable(file, edit.message, edit.at)] };
  const changed = edit.text !== before;
  const alone = client.edit("", entry);
  const snippet = alone.ok ? alone.text : "";
  const notes = [...(scope === "project" ? [OF_THIS_MACHINE] : []), ...(note === null ? [] : [note])];
  const reported = { client: client.name, scope, file, entry, snippet, changed, notes };
  if (dry || !changed) return { ok: true, value: { ...reported, backup: null } };
  const written = replace(file, edit.text, read.ok ? read.value.stamp : null);
  return written.ok ? { ok: true, value: { ...reported, backup: written.value } } : written;
}

/** @returns where the old file is kept */
function replace(file: string, text: string, stamp: string | null): Result<string | null> {
  const folder = makeFolder(dirname(file));
  if (!folder.ok) return folder;
  const backup = stamp === null ? null : freeName(file);
  if (backup !== null) copyFileSync(file, backup);
  if (stampAt(file) !== stamp) {
    const message = `${file} was changed by another program just now`;
    return { ok: false, problems: [{ code: "file_locked", message, hint: "do it again" }] };
  }
  const written = write(file, text);
  return written.ok ? { ok: true, value: backup } : written;
}

function freeName(file: string): string {
  for (let number = 1; ; number++) if (!existsSync(`${file}.bak-${number}`)) return `${file}.bak-${number}`;
}

function unreadable(file: string, message: string, at?: { readonly line: number; readonly column: number }): Problem {
  const place = at === undefined ? file : `${file}:${at.line}:${at.column}`;
  const hint = "put it right, or write the entry by hand: `aot mcp install --print` in an empty folder shows it";
  return { code: "file_unreadable", message: `${place}: ${message}; nothing was written`, hint };
}

const OF_THIS_MACHINE =
  "the paths in it are of this machine: whoever else works on the project runs `aot mcp install` too";

function sentence({ client, file, snippet, changed, backup, notes }: Installed, dry: boolean): string {
  const kept = backup === null ? "" : ` (the old file is kept as ${backup})`;
  const done = `written into ${file}${kept}; start the client anew`;
  const reported = !changed ? `${file} says it already` : dry ? `${file} would get\n${snippet.trimEnd()}` : done;
  return [`${client}: ${reported}`, ...notes.map((note) => `  ${note}`)].join("\n");
}
