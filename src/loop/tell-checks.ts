/** Journals which check is running, once it has run for a second, and its result (SPEC section 6). */
import type { Mark } from "../core/journal.ts";
import { CHECK_SAID_AFTER_MS } from "../core/journal-line.ts";
import type { Clock, Verifier } from "./ports.ts";

/** A verifier that tells of its commands. */
export function tellingVerifier(verifier: Verifier, clock: Clock, send: (mark: Mark) => void): Verifier {
  const took = new Map<string, number>();
  return {
    ...verifier,
    verify: async (baseCase, dir, signal, given) => {
      const why = given.why ?? given.how ?? "first";
      let isSaid = false;
      let unsay = (): void => {};
      try {
        return await verifier.verify(baseCase, dir, signal, {
          ...given,
          before: ({ item }) => {
            isSaid = false;
            unsay();
            unsay = clock.after(CHECK_SAID_AFTER_MS, () => {
              const last_ms = took.get(item);
              isSaid = true;
              send({ event: "check_started", item, why, ...(last_ms !== undefined && { last_ms }) });
            });
          },
          after: async (leaf, result) => {
            unsay();
            const { item } = leaf;
            const { passed, evidence } = result;
            const duration_ms = "duration_ms" in evidence ? evidence.duration_ms : 0;
            took.set(item, duration_ms);
            if (isSaid || why === "first") send({ event: "check_ended", item, why, passed, duration_ms });
            return (await given.after?.(leaf, result)) ?? result;
          },
        });
      } finally {
        unsay();
      }
    },
  };
}
