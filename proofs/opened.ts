/** Iterations between their opening and their judgement, told from the facts alone (SPEC section 4). */
import type { Stepped } from "./take.ts";
import type { Opened } from "./world.ts";

/**
 * What is open after a step, and what was to be said of those that were judged in it.
 * @param opened before the step
 */
export function openedAfter(
  opened: ReadonlyMap<number, Opened>,
  { before, event, facts }: Stepped,
): { readonly opened: ReadonlyMap<number, Opened>; readonly judging: ReadonlyMap<number, Opened> } {
  const now = new Map(event.type === "run_started" ? [] : opened);
  const judging = new Map<number, Opened>();
  let last = before.state.control.prev_pending_count;
  let { measure } = before.view;
  for (const fact of facts) {
    switch (fact.fact) {
      case "iteration_opened":
        now.set(fact.iteration, { before: last, attempts: [], interrupted: [] });
        break;
      case "attempt_started":
        change(now, (open, number) =>
          number === fact.iteration ? { ...open, attempts: [...open.attempts, fact.attempt] } : open,
        );
        break;
      case "iteration_judged":
        judging.set(fact.iteration, now.get(fact.iteration) ?? { before: NaN, attempts: [], interrupted: [] });
        now.delete(fact.iteration);
        last = fact.measure;
        break;
      case "redirected": {
        const moved = fact.measure - measure;
        const along = (count: number): number => (count < 0 ? count : Math.max(0, count + moved));
        const ended = fact.interrupted ?? [];
        last = along(last);
        change(now, (open) => ({
          ...open,
          before: along(open.before),
          interrupted: [...open.interrupted, ...open.attempts.filter((attempt) => ended.includes(attempt))],
        }));
        break;
      }
    }
    if ("measure" in fact) ({ measure } = fact);
  }
  return { opened: now, judging };
}

function change(opened: Map<number, Opened>, to: (open: Opened, number: number) => Opened): void {
  for (const [number, open] of opened) opened.set(number, to(open, number));
}
