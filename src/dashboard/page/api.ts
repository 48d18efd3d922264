/** Requests to this page's server, with the token; streams reconnect by themselves. */

export interface LoopEntry {
  readonly key: string;
  readonly kind: "atoms" | "phases";
  readonly name: string;
  readonly file: string;
}

export interface Listing {
  readonly version: string;
  readonly can_act: boolean;
  readonly share: string;
  readonly loops: readonly LoopEntry[];
}

export type Link = "connecting" | "live" | "lost" | "refused";

export interface Reply {
  readonly ok: boolean;
  readonly text: string;
}

const TOKEN_KEY = "aot-token";
const FIRST_RETRY_MS = 400;
const LONGEST_RETRY_MS = 5_000;
/** A stream that is silent for that long is dead: the server sends something every ten seconds. */
const SILENCE_MS = 25_000;

/** The token from the URL's fragment; it is removed from the URL and kept for reloads of this tab. */
export function takeToken(): string {
  const given = location.hash.replace(/^#/, "");
  if (/^[\w-]{16,128}$/.test(given)) {
    sessionStorage.setItem(TOKEN_KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(TOKEN_KEY) ?? "";
}

export interface Api {
  listing(): Promise<Listing | null>;
  read(path: string): Promise<unknown>;
  act(key: string, action: object): Promise<Reply>;
  /** Server-sent events, until the returned function is called. */
  follow(path: string, tell: (event: string, value: unknown) => void, link: (state: Link) => void): () => void;
}

export function createApi(token: string): Api {
  const own = { Authorization: `Bearer ${token}` };
  const ask = (path: string, init: Omit<RequestInit, "headers"> = {}, more: Record<string, string> = {}) =>
    fetch(path, { ...init, headers: { ...own, ...more }, cache: "no-store" });
  return {
    async listing() {
      const answer = await ask("/api/loops");
      return answer.ok ? ((await answer.json()) as Listing) : null;
    },
    async read(path) {
      const answer = await ask(path);
      return (await answer.json()) as unknown;
    },
    async act(key, action) {
      try {
        const answer = await ask(
          `/api/loops/${key}/actions`,
          { method: "POST", body: JSON.stringify(action) },
          { "Content-Type": "application/json" },
        );
        const { text } = (await answer.json()) as { readonly text?: string };
        return { ok: answer.ok, text: text ?? (answer.ok ? "done" : "refused") };
      } catch (error) {
        return { ok: false, text: `the dashboard does not answer: ${String(error)}` };
      }
    },
    follow(path, tell, link) {
      const stop = new AbortController();
      void followed(stop.signal, (signal) => ask(path, { signal }), tell, link);
      return () => stop.abort();
    },
  };
}

async function followed(
  stop: AbortSignal,
  open: (signal: AbortSignal) => Promise<Response>,
  tell: (event: string, value: unknown) => void,
  link: (state: Link) => void,
): Promise<void> {
  let wait = FIRST_RETRY_MS;
  link("connecting");
  while (!stop.aborted) {
    const silence = new AbortController();
    let watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
    const heard = (): void => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    try {
      const answer = await open(AbortSignal.any([stop, silence.signal]));
      if (answer.status === 401 || answer.status === 404) return link("refused");
      if (answer.ok && answer.body !== null) {
        link("live");
        wait = FIRST_RETRY_MS;
        await readEvents(answer.body, tell, heard);
      }
    } catch {
      // The connection broke: retried below.
    } finally {
      clearTimeout(watchdog);
    }
    if (stop.aborted) return;
    link("lost");
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(LONGEST_RETRY_MS, wait * 1.7);
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  tell: (event: string, value: unknown) => void,
  heard: () => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    heard();
    text += decoder.decode(part.value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) tell(event, JSON.parse(data) as unknown);
    }
  }
}
