/** The front of an engine's server: tokens, TLS, and what it is doing in figures (SPEC section 13). */
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { openFront, type Front } from "./adapters/front/front.ts";
import { createRestateEngine } from "./adapters/restate/restate-engine.ts";
import { createTokenFile, readTokenList } from "./adapters/front/front-tokens.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { closeServer, listenOn } from "../host/listen.ts";
import { systemClock } from "../project/clock.ts";
import { createEngineMetrics } from "./metrics.ts";
import { watchEngine } from "./watch.ts";

export interface EngineFrontOptions {
  readonly host: string;
  readonly port: number;
  readonly token_file: string;
  /** PEM files. */
  readonly cert?: string;
  readonly key?: string;
  readonly tell: (message: string) => void;
}

/** Whether it can be opened once the server is up: what is wrong is said before that takes its time. */
export function checkFrontOptions({ token_file, cert, key }: EngineFrontOptions): Result<null> {
  if (!existsSync(token_file))
    return refused(
      `there is no file of tokens ${token_file}`,
      `make one: aot engine token NAME --token-file ${token_file}`,
    );
  const { problems } = readTokenList(token_file);
  const [problem] = problems;
  if (problem !== undefined) return refused(problem, "correct that line, or take it out");
  if ((cert === undefined) !== (key === undefined))
    return refused("TLS needs both the certificate and its key", "name them with --cert and --key");
  const missing = [cert, key].find((path) => path !== undefined && !existsSync(path));
  if (missing !== undefined) return refused(`there is no file ${missing}`, "name the PEM file with --cert or --key");
  return accepted(null);
}

/** @param server where the server itself listens, on loopback */
export async function openEngineFront(
  request: EngineFrontOptions,
  server: { readonly ingress: string; readonly admin: string },
): Promise<Result<Front>> {
  const { host, port, token_file, cert, key, tell } = request;
  const answers = new Map<string, number>();
  const watch = watchEngine(createRestateEngine({ url: server.ingress }), systemClock.now);
  try {
    const front = await openFront({
      host,
      port,
      tokens: createTokenFile(token_file, tell),
      ...server,
      metrics: createEngineMetrics(watch, answers, systemClock.monotonic),
      watch: ({ route, status }) => {
        const answered = `${route} ${status}`;
        answers.set(answered, (answers.get(answered) ?? 0) + 1);
      },
      ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
    });
    return accepted(front);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(
      `the front cannot listen on ${host}:${port}: ${why}`,
      "choose another --port, or correct --cert and --key",
    );
  }
}

/** A port of this host's loopback that nobody has. */
export async function freeLoopbackPort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server, 0, "127.0.0.1");
  await closeServer(server);
  return port;
}
