/** How many may work at a time; who comes later waits in the order of coming. */
export interface Slots {
  /** Answers with what gives the slot back, or null if the signal ended the wait. */
  take(signal: AbortSignal): Promise<(() => void) | null>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const giver = (): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      free++;
      waiting.shift()?.();
    };
  };
  return {
    take: (signal) =>
      new Promise((resolve) => {
        const begin = (): void => {
          signal.removeEventListener("abort", leave);
          free--;
          resolve(giver());
        };
        const leave = (): void => {
          const place = waiting.indexOf(begin);
          if (place >= 0) waiting.splice(place, 1);
          resolve(null);
        };
        if (signal.aborted) return resolve(null);
        if (free > 0) return begin();
        waiting.push(begin);
        signal.addEventListener("abort", leave, { once: true });
      }),
  };
}
