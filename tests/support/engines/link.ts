/**
 * A worker's way to the engine and back, which can be cut. On Linux, as root, the worker is in a network namespace of its
 * own; else, or with AOT_TEST_LINK=proxies, its traffic goes through proxies on loopback that let nothing through. Either
 * way nobody is informed: connections stay, and what is sent is not answered.
 */
import { execFileSync } from "node:child_process";
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";
import { freePorts } from "./restate.ts";

export interface Link {
  readonly how: "network namespace" | "proxies on loopback";
  /** The host that servers bind to, so that both sides reach them. */
  readonly host: string;
  /** What the worker's command begins with. */
  readonly prefix: readonly string[];
  /** What the worker listens on, and where the others reach it. */
  listen(): Promise<{ readonly own: string; readonly reached: string }>;
  /** A server's port as the worker reaches it: `host:port`. */
  toward(port: number): Promise<string>;
  cut(): void;
  heal(): void;
  close(): Promise<void>;
}

export async function createLink(): Promise<Link> {
  return (process.env["AOT_TEST_LINK"] === "proxies" ? null : namespaced()) ?? (await proxied());
}

const ip = (...args: string[]): void => void execFileSync("ip", args, { stdio: "pipe" });

function namespaced(): Link | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const id = process.pid % 10_000;
  const [name, outside, inside] = [`aot-test-${process.pid}`, `aoth${id}`, `aotn${id}`];
  const network = `10.213.${process.pid % 250}`;
  const [host, own] = [`${network}.1`, `${network}.2`];
  const remove = (): void => {
    for (const line of [
      ["link", "del", outside],
      ["netns", "del", name],
    ])
      try {
        ip(...line);
      } catch {
        // It was not made, or went with the other.
      }
  };
  try {
    ip("netns", "add", name);
    ip("link", "add", outside, "type", "veth", "peer", "name", inside);
    ip("link", "set", inside, "netns", name);
    ip("addr", "add", `${host}/24`, "dev", outside);
    ip("link", "set", outside, "up");
    ip("-n", name, "addr", "add", `${own}/24`, "dev", inside);
    ip("-n", name, "link", "set", "lo", "up");
    ip("-n", name, "link", "set", inside, "up");
  } catch {
    remove();
    return null;
  }
  const carrier = (state: "up" | "down"): void => ip("-n", name, "link", "set", inside, state);
  return {
    how: "network namespace",
    host,
    prefix: ["ip", "netns", "exec", name],
    listen: () => Promise.resolve({ own: `${own}:9080`, reached: `${own}:9080` }),
    toward: (port) => Promise.resolve(`${host}:${port}`),
    cut: () => carrier("down"),
    heal: () => carrier("up"),
    close: () => Promise.resolve(remove()),
  };
}

async function proxied(): Promise<Link> {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  let isCut = false;
  const proxy = async (port: number): Promise<number> => {
    const server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
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
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  return {
    how: "proxies on loopback",
    host: "127.0.0.1",
    prefix: [],
    listen: async () => {
      const [port = 0] = await freePorts(1);
      return { own: `127.0.0.1:${port}`, reached: `127.0.0.1:${await proxy(port)}` };
    },
    toward: async (port) => `127.0.0.1:${await proxy(port)}`,
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
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
