/** More tasks wait for a slot than Restate has places for calls, by itself: what else is asked is answered (SPEC section 13). */
import { describe, expect, onTestFinished, test } from "vitest";
import { registerWorker } from "../../src/engines/adapters/restate/restate-admin.ts";
import { createRestateEngine } from "../../src/engines/adapters/restate/restate-engine.ts";
import { loadRestateSdk } from "../../src/engines/adapters/restate/restate-sdk.ts";
import { serveWorker } from "../../src/engines/adapters/restate/restate-worker.ts";
import { restateProgram, startRestate } from "../support/engines/restate.ts";
import { createScript } from "../support/engines/script.ts";
import { patiently } from "../support/engines/site.ts";
import { stateOf } from "../support/loops.ts";

const TASKS = 1_100;
const LIMIT_MS = 120_000;
const program = restateProgram();

describe.skipIf(program === null)("a crowd, on a real server", () => {
  test(
    `SPEC 13: while ${TASKS} tasks wait for one slot a loop is seen and stopped`,
    { timeout: 4 * LIMIT_MS },
    async () => {
      // One partition, so that all of them want the same places.
      const server = await startRestate(program ?? "", "127.0.0.1", { RESTATE_DEFAULT_NUM_PARTITIONS: "1" });
      onTestFinished(() => server.close());
      const loaded = await loadRestateSdk();
      if (!loaded.ok) throw new Error(loaded.message);
      const script = createScript();
      const place = { host: "127.0.0.1", port: 0, ingress: { url: server.ingress } };
      const worker = await serveWorker(loaded.sdk, {
        ...place,
        name: "one",
        slots: 1,
        open: ({ task }) => script.open(task),
      });
      onTestFinished(() => worker.close());
      await registerWorker({ url: server.admin }, `http://127.0.0.1:${worker.port}`);

      const engine = createRestateEngine({ url: server.ingress });
      const ids = Array.from({ length: TASKS }, (_, index) => `A${index}`);
      for (const id of ids) script.lines.set(id, [{ hold: true }]);
      const state = stateOf({
        atoms: ids.map((id) => ({ id })),
        constraints: { max_parallel_agents: TASKS, max_iterations: 2 },
      });
      const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
      const settings = { verify_each: false, confirmed: false };
      expect(await engine.start("crowd", { state, memory, settings, terms: {} })).toMatchObject({ ok: true });
      await patiently(
        async () => expect([script.working.size, worker.figures.waiting]).toEqual([1, TASKS - 1]),
        LIMIT_MS,
      );
      expect((await engine.view("crowd"))?.working).toHaveLength(TASKS);
      expect(await engine.signal("crowd", { kind: "cancel", reason: "enough", id: "c" })).toMatchObject({ ok: true });
      const view = await patiently(async () => {
        const now = await engine.view("crowd");
        if (now?.state.control.outcome == null) throw new Error(`${now?.working.length} are left`);
        return now;
      }, LIMIT_MS);
      expect(view).toMatchObject({ working: [], state: { control: { outcome: "stop_requested" } } });
      expect(script.requests).toHaveLength(1);
    },
  );
});
