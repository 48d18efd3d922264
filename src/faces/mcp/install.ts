/** `aot mcp install`: tells clients of this server, in their own configuration files. */
import { copyFileSync, existsSync, realpathSync } from "node:fs";
import { dirname, sep } from "node:path";
import { makeFolder, readBytes, stampAt, write } from "../../adapters/store/file-bytes.ts";
import { findStateFile, projectOf } from "../../app/find-state-file.ts";
import type { Problem, Result } from "../../core/problem.ts";
import type { Call } from "../../commands/call.ts";
import { failure } from "../../commands/problem-text.ts";
import type { Run } from "../../commands/spec.ts";
import { Unusable } from "../../commands/unusable.ts";
import { CLIENTS, type Client, type Ground, type Scope } from "./clients.ts";
import type { ServerEntry } from "./entry.ts";

const NAME = "aot";
const LARGEST = 64 * 1024 * 1024;

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
  /** Where the old file is kept. */
  readonly backup: string | null;
}

export const run: Run = (call) => {
  const scope = scopeOf(call);
  const ground: Ground = {
    project: projectOf(findStateFile(call.io.cwd)),
    env: call.io.env,
    platform: process.platform,
  };
  const names = call.texts("client");
  const clients = CLIENTS.filter(({ name }) => (names.length === 0 ? name === "claude-code" : names.includes(name)));
  const dry = call.isSet("print");
  const done: Installed[] = [];
  for (const client of clients) {
    const installed = install(client, scope, ground, dry);
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
    throw new Unusable("--project and --user exclude each other", "say one of them");
  return call.isSet("project") ? "project" : call.isSet("user") ? "user" : undefined;
}

function install(client: Client, wanted: Scope | undefined, ground: Ground, dry: boolean): Result<Installed> {
  const scope = wanted ?? (client.file("project", ground) === null ? "user" : "project");
  const file = client.file(scope, ground);
  if (file === null)
    throw new Unusable(`${client.name} has no configuration of a project`, `say --user for ${client.name}`);
  const read = readBytes(file, LARGEST, "");
  if (!read.ok && read.problems[0]?.code !== "file_missing") return read;
  const before = read.ok ? Buffer.from(read.value.bytes).toString("utf8") : "";
  const entry = entryFor(scope);
  const edit = client.edit(before, NAME, entry);
  if (!edit.ok) return { ok: false, problems: [unreadable(file, edit.message, edit.at)] };
  const changed = edit.text !== before;
  const alone = client.edit("", NAME, entry);
  const snippet = alone.ok ? alone.text : "";
  const told = { client: client.name, scope, file, entry, snippet, changed };
  if (dry || !changed) return { ok: true, value: { ...told, backup: null } };
  const written = replace(file, edit.text, read.ok ? read.value.stamp : null);
  return written.ok ? { ok: true, value: { ...told, backup: written.value } } : written;
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

/**
 * How a client starts the server. A project's file is shared: it names no folder of this machine. A program with
 * windows has not the path of a shell: there the file of the program is named, unless it lies where npx keeps it for
 * a while.
 */
function entryFor(scope: Scope): ServerEntry {
  const bin = realpathSync(process.argv[1] ?? "");
  if (scope === "project" || bin.includes(`${sep}_npx${sep}`))
    return { command: "npx", args: ["-y", "aot-loop", "mcp"] };
  return { command: process.execPath, args: [bin, "mcp"] };
}

function sentence({ client, file, snippet, changed, backup }: Installed, dry: boolean): string {
  if (!changed) return `${client}: ${file} says it already`;
  if (dry) return `${client}: ${file} would get\n${snippet}`;
  return `${client}: written into ${file}${backup === null ? "" : ` (the old file is kept as ${backup})`}; start the client anew`;
}
