/** Debian's Chromium, or whichever CHROMIUM names, with a fresh profile; and what the page must never do. */
import { createServer, connect, type Socket, type AddressInfo } from "node:net";
import { existsSync } from "node:fs";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";

const PROGRAM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Why there is no browser; null: there is one. */
export function whyNoBrowser(): string | null {
  return existsSync(PROGRAM) ? null : `there is no ${PROGRAM}: apt-get install chromium`;
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: PROGRAM,
    // Chromium's own sandbox does not work for root.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}

/** What the page did that it must not: requests elsewhere, breaches of its policy, errors. */
export function watchPage(page: Page): readonly string[] {
  const wrong: string[] = [];
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== "127.0.0.1" && protocol !== "data:") wrong.push(`asked ${request.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const lost = /ERR_(CONNECTION|SOCKET_NOT_CONNECTED|INCOMPLETE|EMPTY|NETWORK)|409 \(Conflict\)/.test(message.text());
    if (message.type() === "error" && !lost) wrong.push(`console: ${message.text()}`);
  });
  return wrong;
}

/** Violations of WCAG 2.2 AA and of best practice, each with where it is. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  // The page lets no script in but its own: axe comes past its policy, as a debugger does.
  const results = await page.evaluate(`${axe.source}; axe.run(document, { resultTypes: ["violations"] })`);
  const { violations } = results as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
}

/** A wire between the browser and the server that can be cut. */
export interface Wire {
  readonly port: number;
  /** Ends every connection, and refuses new ones until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openWire(to: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(to, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend: () => {
      isCut = false;
    },
    close: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
