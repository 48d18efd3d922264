/**
 * Loops as a worker saw them last, so that a step need not read what it wrote a moment ago.
 *
 * LOOP-CACHE-1 it is never a second truth: what stands is asked for each time, and a kept loop is used only for the
 *    very same bytes;
 * LOOP-CACHE-2 memory is bounded: MOST_BYTES of what was written; what was used longest ago goes first.
 */
import type { HostedLoop } from "../../loop/hosted-loop.ts";
import { loopOf, recordOf, type LoopRecord } from "../../loop/loop-record.ts";

/** What is kept of a loop: all but what follows from it. Each engine has it as its own kind of text. */
export function keptText(hosted: HostedLoop): string {
  return JSON.stringify({ ...hosted, loop: recordOf(hosted.loop) } satisfies Kept);
}

/** @param text as `keptText` gave it */
export function hostedIn(text: string): HostedLoop {
  const kept = JSON.parse(text) as Kept;
  return { ...kept, loop: loopOf(kept.loop) };
}

type Kept = Omit<HostedLoop, "loop"> & { readonly loop: LoopRecord };

export interface LoopCache {
  /** @param bytes as `write` gave them, here or elsewhere */
  read(name: string, bytes: Uint8Array): HostedLoop;
  write(hosted: HostedLoop): Uint8Array;
}

const MOST_BYTES = 8 * 1024 * 1024;

export function createLoopCache(most_bytes = MOST_BYTES): LoopCache {
  const known = new Map<string, { readonly bytes: Uint8Array; readonly hosted: HostedLoop }>();
  let size = 0;
  const forget = (name: string): void => {
    size -= known.get(name)?.bytes.length ?? 0;
    known.delete(name);
  };
  const keep = (name: string, bytes: Uint8Array, hosted: HostedLoop): void => {
    forget(name);
    known.set(name, { bytes, hosted });
    size += bytes.length;
    for (const oldest of known.keys()) {
      if (size <= most_bytes) break;
      forget(oldest);
    }
  };
  return {
    read: (name, bytes) => {
      const last = known.get(name);
      const hosted =
        last !== undefined && Buffer.compare(last.bytes, bytes) === 0
          ? last.hosted
          : hostedIn(Buffer.from(bytes).toString());
      keep(name, bytes, hosted);
      return hosted;
    },
    write: (hosted) => {
      const bytes = Buffer.from(keptText(hosted));
      keep(hosted.name, bytes, hosted);
      return bytes;
    },
  };
}
