/** What a worker asks of Restate's admin interface: to be called. */
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
