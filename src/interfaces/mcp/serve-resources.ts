/** The loop's resources at a server, and who hears that they changed (`resources.ts` says what they are). */
import { ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import { looks } from "../../history/follow.ts";
import type { Told } from "./call-command.ts";
import type { Place } from "./place.ts";
import { invalid } from "./protocol-error.ts";
import { readResource, RESOURCE_TEMPLATES, RESOURCES, stampOf } from "./resources.ts";

/** @param era `modern`: who subscribed is known at the transport, which passes on what was asked for */
export function serveResources(
  server: Server,
  era: "legacy" | "modern",
  {
    place,
    closing,
    ask,
  }: {
    readonly place: () => Promise<Place>;
    readonly closing: AbortSignal;
    readonly ask: (tool: string, given: Readonly<Record<string, unknown>>, gone: AbortSignal) => Promise<Told>;
  },
): void {
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
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
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
function createWatch(place: () => Promise<Place>, closing: AbortSignal, changed: () => void): () => void {
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
