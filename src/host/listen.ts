/** A server of ours, on its port. */
import type { AddressInfo, Server } from "node:net";

/** @param port 0: any that is free @returns the port that it has @throws the system's error when it cannot be had */
export async function listenOn(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Settles when nothing is connected any more. @param cut ends what is connected; Node ends idle connections by itself */
export async function closeServer(server: Server, cut: () => void = () => {}): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  cut();
  await closed;
}
