/** A dashboard of a test: its server in this process, and requests as a browser sends them. */
import { request } from "node:http";
import { shownLoops, type ShownLoop } from "../../../src/dashboard/loops.ts";
import { openDashboard, type Dashboard } from "../../../src/interfaces/dashboard/server.ts";
import { temporaryFolder } from "../../support/bundle.ts";

export const TOKENS = { act: "act-".padEnd(32, "x"), read: "read-".padEnd(32, "x") };

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface OpenServer {
  readonly address: string;
  loop(name?: string): ShownLoop;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  act(key: string, asked: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Events until `enough`; rejects when they do not come. */
  events(path: string, enough: (events: readonly Reported[]) => boolean): Promise<readonly Reported[]>;
  close(): Promise<void>;
}

export interface Reported {
  readonly event: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const LIMIT_MS = 30_000;

interface Builder {
  buildPage(dir: string): Promise<void>;
}

/** The page as the build makes it. */
export async function builtPage(): Promise<string> {
  const folder = temporaryFolder();
  const script: string = new URL("../../../scripts/build-page.mjs", import.meta.url).href;
  const builder = (await import(script)) as Builder;
  await builder.buildPage(folder);
  return folder;
}

export async function openServer(
  page: string,
  cwd: string,
  more: { readonly loops?: readonly string[]; readonly tokens?: { readonly act?: string; readonly read: string } } = {},
): Promise<OpenServer> {
  const loops = (): readonly ShownLoop[] => shownLoops(cwd, more.loops ?? []);
  const tokens = more.tokens ?? TOKENS;
  const place = { cwd, env: {} };
  const dashboard: Dashboard = await openDashboard({ loops, tokens, page, port: 0, place });
  const { address } = dashboard;
  const host = new URL(address).host;
  const own = { authorization: `Bearer ${TOKENS.act}`, host };
  return {
    address,
    loop: (name) => {
      const found = loops().find((one) => name === undefined || one.name === name);
      if (found === undefined) throw new Error(`no loop ${name ?? ""}`);
      return found;
    },
    get: (path, headers = {}) => ask(address, "GET", path, { ...own, ...headers }),
    act: (key, asked, headers = {}) => {
      const origin = { origin: address, "content-type": "application/json" };
      const body = typeof asked === "string" ? asked : JSON.stringify(asked);
      return ask(address, "POST", `/api/loops/${key}/actions`, { ...own, ...origin, ...headers }, body);
    },
    events: (path, enough) => follow(`${address}${path}`, own, enough),
    close: () => dashboard.close(),
  };
}

/** With any header that is wanted: `fetch` does not let a Host be chosen. */
function ask(
  address: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { method, headers, timeout: LIMIT_MS, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        const isJson = String(answer.headers["content-type"]).startsWith("application/json");
        const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.on("error", reject);
    sent.end(body);
  });
}

async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  enough: (events: readonly Reported[]) => boolean,
): Promise<readonly Reported[]> {
  const { authorization = "" } = headers;
  const stop = AbortSignal.timeout(LIMIT_MS);
  const answer = await fetch(url, { headers: { authorization }, signal: stop });
  if (!answer.ok || answer.body === null) throw new Error(`${answer.status}`);
  const reported: Reported[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of answer.body) {
    text += decoder.decode(part, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== "") reported.push({ event, value: JSON.parse(data) as Reported["value"] });
    }
    if (enough(reported)) return reported;
  }
  throw new Error(`the stream ended behind ${reported.map(({ event }) => event).join(", ")}`);
}
