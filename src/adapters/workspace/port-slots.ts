/**
 * Ports for what is started in a slot. The lowest free slot is taken first, so that the same numbers come again from
 * run to run; a slot with a port that somebody listens on is passed over.
 *
 * Free means free when it was looked at: nobody is kept from taking it afterwards.
 */
import { createServer } from "node:net";

/** A place of work has this many, from its first one on. */
const PORTS_PER_SLOT = 10;
const LAST_PORT = 65_535;
/** How many slots are looked at before it is given up. */
const SLOTS_TRIED = 100;

export interface PortSlot {
  /** The first of its ports. */
  readonly port: number;
  release(): void;
}

export interface PortSlots {
  /** Null: no slot is free. */
  take(): Promise<PortSlot | null>;
}

/** @param base the first port of the first slot */
export function createPortSlots(base: number): PortSlots {
  const taken = new Set<number>();
  return {
    take: async () => {
      for (let slot = 0; slot < SLOTS_TRIED; slot++) {
        const port = base + slot * PORTS_PER_SLOT;
        if (port + PORTS_PER_SLOT - 1 > LAST_PORT) return null;
        if (taken.has(slot)) continue;
        taken.add(slot);
        if (await areFree(port)) return { port, release: () => void taken.delete(slot) };
        taken.delete(slot);
      }
      return null;
    },
  };
}

async function areFree(first: number): Promise<boolean> {
  const ports = Array.from({ length: PORTS_PER_SLOT }, (_, i) => first + i);
  const free = await Promise.all(ports.flatMap((port) => [isFree(port, "127.0.0.1"), isFree(port, "::1")]));
  return free.every((one) => one);
}

/** A machine may have no such address: nobody listens there, then. */
function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "EADDRINUSE" && error.code !== "EACCES"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
