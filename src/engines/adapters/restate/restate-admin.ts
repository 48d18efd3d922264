/**
 * What a worker asks of Restate's admin interface: to be called, also in place of another one that is gone.
 *
 * RESTATE-ADMIN-1 Restate keeps what a worker began at its address, for ever. So a worker that does not answer at its
 *    address for a while is replaced there by one that has the same services;
 * RESTATE-ADMIN-2 who was replaced, and is there all the same, registers again.
 */
import { connect } from "node:http2";
import { createIngress, type IngressOptions } from "./ingress.ts";

const ASK_EVERY_MS = 500;

/**
 * Tells Restate where to call a worker, or the balancer in front of several. Reported again, nothing changes; a worker of
 * another version belongs behind an address of its own, since what began on the old one ends there.
 * @param patience_ms how long to ask again: a balancer notices a new worker a moment after it listens
 * @throws EngineUnreachable
 */
export async function registerWorker(admin: IngressOptions, uri: string, patience_ms = 0): Promise<void> {
  const { call, close } = createIngress(admin);
  try {
    for (const end = performance.now() + patience_ms; ;) {
      try {
        return void (await call("/deployments", { uri }));
      } catch (error) {
        if (performance.now() >= end) throw error;
        await new Promise((resume) => setTimeout(resume, ASK_EVERY_MS));
      }
    }
  } finally {
    close();
  }
}

const LOOK_EVERY_MS = 5_000;
const MOST_UNANSWERED = 4;
const ANSWER_MS = 3_000;
/** RESTATE-ADMIN-1: how long it takes at most until a worker that is gone is replaced, milliseconds. */
export const REPLACED_MS = MOST_UNANSWERED * (LOOK_EVERY_MS + ANSWER_MS);

interface Deployment {
  readonly id: string;
  readonly uri?: string;
  readonly services: readonly { readonly name: string }[];
}

export interface StandInOptions {
  readonly admin: IngressOptions;
  /** Where this worker is registered. */
  readonly address: string;
  readonly every_ms?: number;
  warn(message: string): void;
}

/** RESTATE-ADMIN-1, RESTATE-ADMIN-2. @returns what ends it */
export function standIn({ admin, address, every_ms = LOOK_EVERY_MS, warn }: StandInOptions): () => void {
  const { call, close } = createIngress(admin);
  const own = new URL(address).href;
  const unanswered = new Map<string, number>();
  const over = new AbortController();
  const { signal } = over;
  const look = async (): Promise<void> => {
    const found = (await call("/deployments", undefined, signal, "GET")) as { readonly deployments: Deployment[] };
    const mine = found.deployments.find(({ uri }) => uri === own);
    if (mine === undefined) return void (await call("/deployments", { uri: address }, signal));
    for (const { id, uri, services } of found.deployments) {
      if (uri === undefined || uri === own || namesOf(services) !== namesOf(mine.services)) continue;
      const times = (await answers(uri)) ? 0 : (unanswered.get(id) ?? 0) + 1;
      unanswered.set(id, times);
      if (times < MOST_UNANSWERED || signal.aborted) continue;
      await call(`/deployments/${id}`, { uri: address }, signal, "PATCH");
      warn(`nobody answers at ${uri}: what Restate calls there, it calls here from now on`);
    }
  };
  let timer: NodeJS.Timeout;
  const later = (): void => {
    // A server that is away is asked again the next time.
    timer = setTimeout(
      () =>
        void look()
          .catch(() => {})
          .finally(() => signal.aborted || later()),
      every_ms,
    );
    timer.unref();
  };
  later();
  return () => {
    over.abort();
    clearTimeout(timer);
    close();
  };
}

function namesOf(services: Deployment["services"]): string {
  return services
    .map(({ name }) => name)
    .toSorted()
    .join(" ");
}

/** Whatever it says. */
function answers(uri: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(uri);
    const end = (is: boolean): void => {
      clearTimeout(late);
      session.destroy();
      resolve(is);
    };
    const late = setTimeout(() => end(false), ANSWER_MS);
    session.on("error", () => end(false));
    const request = session.request({ ":path": "/health" });
    request.on("error", () => end(false));
    request.on("response", () => end(true));
    request.end();
  });
}
