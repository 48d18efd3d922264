/**
 * A worker's way to the database, which can be cut: a proxy on loopback that lets nothing through then. Nobody is informed:
 * connections stay, and what is sent is not answered.
 */
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

export interface Link {
  /** Where the worker reaches the server. */
  readonly port: number;
  cut(): void;
  heal(): void;
  close(): Promise<void>;
}

/** @param to port of the server */
export async function createLink(to: number): Promise<Link> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    const ends = [near, far] as const;
    for (const [one, other] of [ends, [far, near] as const]) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("data", (part) => void other.write(part));
      // Of an end that comes while the way is cut nobody hears.
      one.on("close", () => {
        sockets.delete(one);
        if (!isCut) other.destroy();
      });
      if (isCut) one.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    heal: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
