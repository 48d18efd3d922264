/**
 * One listener per AbortSignal, however many runs share it: many listeners on one signal make Node warn
 * of a leak (MaxListenersExceededWarning), and a finished run must leave none behind.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `then` once when the signal aborts; not if it has aborted already.
 * @returns takes the subscription back; harmless when called twice
 */
export function onAbort(signal: AbortSignal, then: () => void): () => void {
  const known = waiting.get(signal);
  const subscribers = known ?? new Set<() => void>();
  if (known === undefined) {
    waiting.set(signal, subscribers);
    signal.addEventListener("abort", () => [...subscribers].forEach((call) => call()), {
      once: true,
    });
  }
  // A closure of its own, so that the same function subscribed twice is two subscriptions.
  const call = (): void => {
    subscribers.delete(call);
    then();
  };
  subscribers.add(call);
  return () => {
    subscribers.delete(call);
  };
}
