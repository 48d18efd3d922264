/**
 * Which workers there are, as they reported last (SPEC section 13). For people who watch: who is dead and what is begun
 * again is Restate's to decide, and nothing is decided by this.
 *
 * RESTATE-WORKERS-1 a worker that was not heard of for a day is forgotten, and of more than MOST the ones heard of last
 *    are known;
 * RESTATE-WORKERS-2 whatever a worker tells is cut to what a page shows.
 */
import type { ObjectContext, ObjectSharedContext } from "@restatedev/restate-sdk";
import type { HeldUp, WorkerView } from "../../../loop/engine.ts";
import type { RestateSdk } from "./restate-sdk.ts";
import type { Beat } from "../worker-figures.ts";

export const WORKERS = "AotWorkers";

const DAY_MS = 24 * 3_600_000;
const MOST = 1_000;
const MOST_HELD_UP = 50;
const LONGEST = 200;

/** The type of the handlers' definition is the library's own. */
export function workersObject(sdk: RestateSdk): ReturnType<RestateSdk["object"]> {
  const KNOWN = "known";
  return sdk.object({
    name: WORKERS,
    options: { journalRetention: 0 },
    handlers: {
      seen: async (ctx: ObjectContext, beat: Beat): Promise<null> => {
        const known = (await ctx.get<readonly WorkerView[]>(KNOWN)) ?? [];
        ctx.set(KNOWN, withBeat(known, beat, await ctx.date.toJSON()));
        return null;
      },
      list: sdk.handlers.object.shared(
        async (ctx: ObjectSharedContext): Promise<readonly WorkerView[]> =>
          (await ctx.get<readonly WorkerView[]>(KNOWN)) ?? [],
      ),
    },
  });
}

/** RESTATE-WORKERS-1, RESTATE-WORKERS-2. By name. @param at ISO 8601 */
export function withBeat(known: readonly WorkerView[], beat: Beat, at: string): readonly WorkerView[] {
  const reported: WorkerView = {
    name: text(beat.name),
    address: text(beat.address),
    version: text(beat.version),
    slots: count(beat.slots),
    working: count(beat.working),
    waiting: count(beat.waiting),
    ...(beat.held_up === undefined ? {} : { held_up: beat.held_up.slice(0, MOST_HELD_UP).map(heldUp) }),
    draining: beat.draining,
    seen_at: at,
  };
  const oldest = Date.parse(at) - DAY_MS;
  const others = known.filter(({ name, seen_at }) => name !== reported.name && Date.parse(seen_at) > oldest);
  return [reported, ...others.toSorted((a, b) => (a.seen_at < b.seen_at ? 1 : -1))]
    .slice(0, MOST)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function heldUp(one: HeldUp): HeldUp {
  return { loop: text(one.loop), task: text(one.task), for: text(one.for) };
}

function text(value: string): string {
  return value.slice(0, LONGEST);
}

function count(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
