/** What clients' files say about the MCP server, as `aot mcp install` writes it. Of those that name none nothing is said. */
import { LARGEST_FILE, CLIENTS, SCOPES, type Client, type InstallContext, type Scope } from "../mcp-clients/clients.ts";
import { whatIsWrongWith } from "../mcp-clients/own-server.ts";
import { readBytes } from "../adapters/store/file-bytes.ts";
import type { Finding } from "./finding.ts";

/** @param project its folder */
export function examineClients(project: string, env: InstallContext["env"]): readonly Finding[] {
  const context: InstallContext = { project, env, platform: process.platform };
  return CLIENTS.flatMap((client) => SCOPES.flatMap((scope) => lookAt(client, scope, context) ?? []));
}

function lookAt(client: Client, scope: Scope, context: InstallContext): Finding | null {
  const file = client.file(scope, context);
  const bytes = file === null ? null : readBytes(file, LARGEST_FILE, "");
  if (file === null || bytes === null || (!bytes.ok && bytes.problems[0]?.code === "file_missing")) return null;
  const name = `mcp ${client.name}`;
  if (!bytes.ok) return { name, level: "warn", detail: bytes.problems[0]?.message ?? file };
  const read = client.read(Buffer.from(bytes.value.bytes).toString("utf8"));
  if (!read.ok) {
    const place = read.at === undefined ? file : `${file}:${read.at.line}:${read.at.column}`;
    return { name, level: "warn", detail: `${place}: ${read.message}`, hint: "put it right: the client reads it, too" };
  }
  if (read.entry === null) return null;
  const wrong = whatIsWrongWith(read.entry);
  if (wrong === null) return { name, level: "good", detail: file };
  const hint = `\`aot mcp install --client ${client.name} --${scope}\` writes the path of this aot instead`;
  return { name, level: "warn", detail: `${file} ${wrong}`, hint };
}
