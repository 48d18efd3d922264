/** Tasks that wait for each other (PORTS-3). One that fails does not keep the next from running. */
export type Queue = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs tasks in the order in which they were given. @param most how many at once */
export function createQueue(most = 1): Queue {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
