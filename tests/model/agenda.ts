/** Whose turn it is: every promise of the world waits here until fast-check's scheduler, or a command, lets it go. */
import type { Scheduler } from "fast-check";

export interface Agenda {
  /** Resolves when its turn comes. */
  turn(label: string): Promise<void>;
}

export function scheduledAgenda(scheduler: Scheduler): Agenda {
  return { turn: (label) => scheduler.schedule(Promise.resolve(), label) };
}

export interface Item {
  readonly label: string;
  /** Lets it go. */
  readonly go: () => void;
}

/** An agenda by hand: what waits can be seen, and is let go one by one. */
export interface ListedAgenda extends Agenda {
  readonly items: readonly Item[];
  take(item: Item): void;
  clear(): void;
}

export function listedAgenda(): ListedAgenda {
  const items: Item[] = [];
  return {
    items,
    turn: (label) => new Promise((go) => void items.push({ label, go })),
    take: (item) => {
      const place = items.indexOf(item);
      if (place < 0) throw new RangeError(`${item.label} does not wait`);
      items.splice(place, 1);
      item.go();
    },
    clear: () => void items.splice(0),
  };
}
