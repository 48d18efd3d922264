/** Calls of Restate's ingress and admin interfaces: outbound HTTP, from any host, without Restate's own library. */

/** The engine cannot be asked; what was asked may have been done or not, and may be asked again. */
export class EngineUnreachable extends Error {
  readonly hint: string;
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineUnreachable";
    this.hint = hint;
  }
}

export interface IngressOptions {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Sent as a bearer token: what a proxy in front of the engine asks for. */
  readonly token?: string;
  /** How long one call may take, milliseconds. */
  readonly timeout_ms?: number;
}

export interface Ingress {
  /** The handler's answer; undefined: there is none of that name, or nothing there. */
  call(path: string, body?: unknown): Promise<unknown>;
}

const TIMEOUT_MS = 30_000;

/** @throws EngineUnreachable when nobody answers, or answers with an error */
export function createIngress({ url, token, timeout_ms = TIMEOUT_MS }: IngressOptions): Ingress {
  const base = url.replace(/\/+$/, "");
  return {
    call: async (path, body) => {
      const response = await asked(`${base}${path}`, {
        method: "POST",
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeout_ms),
      });
      const text = await response.text();
      if (!response.ok) throw refusal(base, response.status, text);
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    },
  };
}

async function asked(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const { origin } = new URL(url);
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineUnreachable(
      `the engine at ${origin} does not answer: ${why}`,
      "start one with `aot engine up`, or name the right one with --engine",
      { cause: error },
    );
  }
}

function refusal(base: string, status: number, text: string): EngineUnreachable {
  const message = `the engine at ${base} answered ${status}: ${text.slice(0, 500)}`;
  if (status === 401 || status === 403)
    return new EngineUnreachable(message, "its proxy asks for a token: set AOT_ENGINE_TOKEN");
  // Services that nobody offers yet.
  if (status === 404) return new EngineUnreachable(message, "no worker has registered there yet: start `aot worker`");
  return new EngineUnreachable(message, "see the logs of the engine and of its workers");
}
