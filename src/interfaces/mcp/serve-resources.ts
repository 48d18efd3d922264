/** The loop's resources at a server, and who hears that they changed. */
import {
  ResourceNotFoundError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { looks } from "../../history/follow.ts";
import { isFailure, type Reported } from "./call-command.ts";
import type { McpTarget } from "./place.ts";
import { readStateBytes } from "../../adapters/store/state-file.ts";
import { stampAt } from "../../adapters/store/file-bytes.ts";
import { journalOf } from "../../history/loop-log.ts";
import { findStateFile } from "../../project/find-state-file.ts";

interface Served {
  readonly place: () => Promise<McpTarget>;
  readonly closing: AbortSignal;
  readonly ask: (...asked: [...Parameters<Ask>, gone: AbortSignal]) => Promise<Reported>;
}

/** @param era `modern`: who subscribed is known at the transport, which passes on what was asked for */
export function serveResources(server: Server, era: "legacy" | "modern", { place, closing, ask }: Served): void {
  const wanted = new Set<string>();
  server.setRequestHandler("resources/list", () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...RESOURCE_TEMPLATES] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => {
    const read = await readResource(uri, (tool, given) => ask(tool, given, mcpReq.signal), await place());
    if (read.kind === "read") return { contents: read.contents };
    if (read.kind === "missing") throw new ResourceNotFoundError(uri);
    throw invalid(read.message);
  });
  const watch = createWatch(place, closing, () => {
    const changed = era === "modern" ? RESOURCES.map((resource) => resource.uri) : [...wanted];
    for (const uri of changed) server.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  if (era === "modern") return watch();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, { mcpReq }) => {
    // A loop that cannot be read yet may appear later; an unknown address never will.
    const read = await readResource(uri, (tool, given) => ask(tool, given, mcpReq.signal), await place());
    if (read.kind === "missing") throw new ResourceNotFoundError(uri);
    wanted.add(uri);
    watch();
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    wanted.delete(uri);
    return {};
  });
}

/** A function that begins to look, once, whether the loop's files change. */
function createWatch(place: () => Promise<McpTarget>, closing: AbortSignal, changed: () => void): () => void {
  let begun = false;
  const rounds = async (): Promise<void> => {
    let last: string | undefined;
    for await (const _ of looks(closing)) {
      const stamp = stampOf(await place());
      if (last !== undefined && stamp !== last) changed();
      last = stamp;
    }
  };
  return () => {
    if (!begun) void rounds();
    begun = true;
  };
}

// The loop as resources (SPEC section 10): the state, the file itself, the graph, the journal's end, and each atom.

const JSON_TYPE = "application/json";
const STATE = "aot://state";
const FILE = "aot://state/file";
const GRAPH = "aot://graph";
const MERMAID = "aot://graph/mermaid";
const JOURNAL = "aot://journal";
const ATOM = "aot://atom/";

const RESOURCES: readonly Resource[] = [
  [STATE, "state", "Loop state", "Status, measure, atoms, what may run next, bindings, objective.", JSON_TYPE],
  [FILE, "state-file", "State file", "The state file as it is on disk.", "text/markdown"],
  [GRAPH, "graph", "Work graph", "Nodes and edges.", JSON_TYPE],
  [MERMAID, "graph-mermaid", "Work graph (Mermaid)", "The work graph as a Mermaid diagram.", "text/vnd.mermaid"],
  [JOURNAL, "journal", "Journal", "The newest 100 events of the loop, oldest first.", JSON_TYPE],
].map(([uri = "", name = "", title, description, mimeType]) => ({ uri, name, title, description, mimeType }));

const RESOURCE_TEMPLATES: readonly ResourceTemplateType[] = [
  {
    uriTemplate: `${ATOM}{id}`,
    name: "atom",
    title: "Atom",
    description: "One atom: what it is, its binding, whether it may run now, and its newest events.",
    mimeType: JSON_TYPE,
  },
];

/** Asks a command of the table, by the name of its tool. */
export type Ask = (tool: string, given: Readonly<Record<string, unknown>>) => Promise<Reported>;

/** `missing`: there is no such resource. `failed`: why it cannot be read. */
type ResourceRead =
  | { readonly kind: "read"; readonly contents: ReadResourceResult["contents"] }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly message: string };

async function readResource(uri: string, ask: Ask, place: McpTarget): Promise<ResourceRead> {
  switch (uri) {
    case STATE:
      return jsonOf(uri, await ask("aot_state_show", {}));
    case FILE:
      return fileOf(uri, place);
    case GRAPH:
      return jsonOf(uri, await ask("aot_graph", { format: "json" }));
    case MERMAID:
      return mermaidOf(uri, await ask("aot_graph", { format: "mermaid" }));
    case JOURNAL:
      return jsonOf(uri, await ask("aot_logs", { last: 100 }));
    default:
      return uri.startsWith(ATOM) ? await atomOf(uri, ask) : { kind: "missing" };
  }
}

/** Differs once a resource may read differently. */
function stampOf(place: McpTarget): string {
  const stateFile = findStateFile(place.cwd, place.stateFile);
  return `${stampAt(stateFile) ?? "-"} ${stampAt(journalOf(stateFile)) ?? "-"}`;
}

function failed(reported: Reported): ResourceRead {
  return { kind: "failed", message: reported.text };
}

function jsonOf(uri: string, reported: Reported): ResourceRead {
  return isFailure(reported) ? failed(reported) : json(uri, reported.document);
}

function json(uri: string, value: unknown): ResourceRead {
  return { kind: "read", contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
}

function mermaidOf(uri: string, reported: Reported): ResourceRead {
  if (isFailure(reported)) return failed(reported);
  return { kind: "read", contents: [{ uri, mimeType: "text/vnd.mermaid", text: String(reported.document["text"]) }] };
}

function fileOf(uri: string, { cwd, stateFile }: McpTarget): ResourceRead {
  const read = readStateBytes(findStateFile(cwd, stateFile));
  if (!read.ok) {
    const words = read.problems.map(({ message, hint }) => `${message}${hint === undefined ? "" : `\n  ${hint}`}`);
    return { kind: "failed", message: words.join("\n") };
  }
  const text = Buffer.from(read.value).toString("utf8");
  return { kind: "read", contents: [{ uri, mimeType: "text/markdown", text }] };
}

const MOST_EVENTS = 20;

async function atomOf(uri: string, ask: Ask): Promise<ResourceRead> {
  const id = decoded(uri.slice(ATOM.length));
  const shown = await ask("aot_state_show", {});
  if (isFailure(shown)) return failed(shown);
  const { atoms, bindings, executable_atoms } = shown.document;
  const atom = listOf(atoms).find((one) => Object(one)["id"] === id);
  if (atom === undefined) return { kind: "missing" };
  const log = await ask("aot_logs", { atom: id, events: true, last: MOST_EVENTS });
  return json(uri, {
    atom,
    binding: Object(bindings)[id] ?? null,
    executable: listOf(executable_atoms).includes(id),
    events: listOf(log.document["lines"]),
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A request that cannot be answered: what a client asked for is not there, or cannot be read. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
