/** Loops that wait for a person hold nothing but their state (SPEC section 13): no process, no task. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { LoopView } from "../../src/loop/engine.ts";
import { postgresPrograms } from "../support/engines/dbos-postgres.ts";
import { patiently, startSite } from "../support/engines/site.ts";
import { stateOf } from "../support/loops.ts";

const LOOPS = 60;
const programs = postgresPrograms();

describe.skipIf(programs === null)("loops that wait for a person, on a real PostgreSQL", () => {
  test(
    `SPEC 13: ${LOOPS} loops wait without a task or a process, and each goes on once with its yes`,
    { timeout: 300_000 },
    async () => {
      const { engine, server, workers, close } = await startSite(programs ?? "", {
        workers: 1,
        agent_ms: 0,
        confirm: true,
      });
      onTestFinished(close);
      const names = Array.from({ length: LOOPS }, (_, index) => `waiting-${index}`);
      const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
      const settings = { verify_each: false, confirmed: false };
      const state = stateOf({ atoms: [{ id: "A1" }] });
      await Promise.all(
        names.map((name) => patiently(() => engine.start(name, { state, memory, settings, terms: {} }))),
      );
      const ended = (name: string, outcome: string): Promise<LoopView> =>
        patiently(async () => {
          const view = await engine.view(name);
          if (view?.state.control.outcome === outcome) return view;
          throw new Error(`${name}: ${view?.state.control.outcome ?? "at work"}`);
        }, 120_000);
      for (const name of names) expect((await ended(name, "needs_confirmation")).working).toEqual([]);

      // Nobody is there any more; what waits is there when they come back.
      await Promise.all([server, ...workers].map((one) => one.kill()));
      for (const one of [server, ...workers]) await one.start();
      for (const id of ["yes", "yes"])
        await Promise.all(names.map((name) => patiently(() => engine.signal(name, { kind: "approve", id }))));
      for (const name of names)
        expect(await ended(name, "verified")).toMatchObject({ attempts: 1, reruns: 0, refused: [] });
    },
  );
});
