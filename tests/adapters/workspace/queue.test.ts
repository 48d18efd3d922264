/** PORTS-3: tasks of a queue, in any order of their ends, failures among them. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createQueue } from "../../../src/adapters/workspace/queue.ts";

const tasks = fc.array(fc.boolean(), { maxLength: 12 });

test("PORTS-3: tasks begin in their order, as many at once as there may be and no more, whichever fail", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 4 }), tasks, async (scheduler, most, succeed) => {
      const queue = createQueue(most);
      const begun: number[] = [];
      let [running, highest] = [0, 0];
      const all = succeed.map((ok, at) =>
        queue(async () => {
          begun.push(at);
          highest = Math.max(highest, ++running);
          await scheduler.schedule(Promise.resolve());
          running--;
          if (!ok) throw new Error("failed");
          return at;
        }),
      );
      const ended = Promise.allSettled(all);
      await scheduler.waitFor(ended);
      expect((await ended).map(({ status }) => status === "fulfilled")).toEqual(succeed);
      expect(begun).toEqual([...succeed.keys()]);
      expect(highest).toBe(Math.min(most, succeed.length));
    }),
  );
});
