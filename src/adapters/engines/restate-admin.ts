/** What a worker asks of Restate's admin interface: to be called. */
import { createIngress, type IngressOptions } from "./ingress.ts";

/**
 * Tells Restate where to call a worker, or the balancer in front of several. Told again, nothing changes; a worker of
 * another version belongs behind an address of its own, since what began on the old one ends there.
 * @throws EngineUnreachable
 */
export async function registerWorker(admin: IngressOptions, uri: string): Promise<void> {
  await createIngress(admin).call("/deployments", { uri });
}
