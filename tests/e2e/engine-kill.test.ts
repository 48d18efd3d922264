/**
 * Three workers, a server, and somebody who kills them at random (SPEC section 13): every loop ends as it would have ended
 * undisturbed, no attempt beyond its fuel, nothing integrated twice, each run that was begun again recorded.
 * `npm run prove:engine`: 50 loops of 20 atoms, two minutes. KILL_LOOPS, KILL_ATOMS and KILL_SECONDS say otherwise; the
 * test's name has the seed, KILL_SEED draws the same numbers again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { LoopView } from "../../src/loop/engine.ts";
import { restateProgram } from "../support/engines/restate.ts";
import { journalOf, patiently, pause, startSite } from "../support/engines/site.ts";
import { chance } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";

const COMPLETE = process.env["MODE"] === "complete";
const LOOPS = Number(process.env["KILL_LOOPS"] ?? 50);
const ATOMS = Number(process.env["KILL_ATOMS"] ?? 20);
const SECONDS = Number(process.env["KILL_SECONDS"] ?? 120);
const SEED = Number(process.env["KILL_SEED"] ?? Date.now() % 100_000);
const FINISH_MS = 300_000;
const WORKERS = 3;

const program = restateProgram();

/** Layers of five; each atom needs two of the layer before. */
function sketch(): Parameters<typeof stateOf>[0] {
  const atoms = Array.from({ length: ATOMS }, (_, index) => {
    const above = Math.floor(index / 5) * 5 - 5;
    const depends_on = above < 0 ? [] : [`A${above + (index % 5)}`, `A${above + ((index + 1) % 5)}`];
    return { id: `A${index}`, depends_on };
  });
  return { atoms, constraints: { max_iterations: ATOMS * 2, max_stall_count: ATOMS } };
}

describe.skipIf(program === null || !COMPLETE)("npm run prove:engine, on a real server", () => {
  test(
    `SPEC 13: ${LOOPS} loops of ${ATOMS} atoms end as undisturbed while hosts are killed and stopped (seed ${SEED})`,
    { timeout: SECONDS * 1_000 + FINISH_MS + 120_000 },
    async () => {
      const roll = chance(SEED);
      const { engine, server, workers, folder, calls, close } = await startSite(program ?? "", {
        workers: WORKERS,
        agent_ms: 60,
      });
      onTestFinished(close);
      const names = Array.from({ length: LOOPS }, (_, index) => `loop-${index}`);
      const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
      const settings = { verify_each: false, confirmed: false };
      const begun = Promise.all(
        names.map((name) =>
          patiently(() => engine.start(name, { state: stateOf(sketch()), memory, settings, terms: {} })),
        ),
      );
      const done = { killed: 0, stopped: 0, servers: 0 };
      for (let turn = 0, end = Date.now() + SECONDS * 1_000; Date.now() < end; turn++) {
        await pause(1_500 + roll() * 3_000);
        const victim = workers[Math.floor(roll() * workers.length)];
        // Each kind has its turn, whatever the seed.
        if (turn % 4 === 2) {
          await server.kill();
          server.start();
          done.servers++;
        } else if (turn % 4 === 1 && victim !== undefined) {
          victim.signal("SIGSTOP");
          await pause(4_000);
          victim.signal("SIGCONT");
          done.stopped++;
        } else if (victim !== undefined) {
          await victim.kill();
          await pause(300);
          victim.start();
          done.killed++;
        }
      }
      await begun;

      const views: LoopView[] = [];
      for (const name of names) {
        const view = await patiently(async () => {
          const now = await engine.view(name);
          if (now?.state.control.outcome == null)
            throw new Error(
              `${name} has not halted: ${JSON.stringify(now?.working)}; calls:\n${(await calls()).join("\n")}`,
            );
          return now;
        }, FINISH_MS);
        views.push(view);
      }
      const failing = Array.from({ length: ATOMS }, (_, index) => `A${index}`).filter((id) => id.endsWith("7")).length;
      for (const { loop, state, attempts } of views)
        expect({ loop, outcome: state.control.outcome, attempts }).toEqual({
          loop,
          outcome: "verified",
          attempts: ATOMS + failing,
        });

      expect(readdirSync(join(folder, "integrated"))).toHaveLength(LOOPS * ATOMS);
      const physical = readFileSync(join(folder, "begun"), "utf8").trim().split("\n");
      expect(new Set(physical.map((line) => line.split(" ").slice(0, 3).join(" "))).size, "no run is begun twice").toBe(
        physical.length,
      );
      let recorded = 0;
      for (const name of names) {
        const lines = await journalOf(engine, name);
        const resolved = lines.filter(({ event }) => event === "attempt_integrated");
        expect(resolved, `${name}: each atom once`).toHaveLength(ATOMS);
        recorded += lines.filter((line) => line.event === "note" && line.message.includes("is begun again by")).length;
      }
      const reruns = views.reduce((sum, view) => sum + view.reruns, 0);
      const refused = views.reduce((sum, view) => sum + view.refused.length, 0);
      expect(recorded, "each run that was begun again is in a journal").toBe(reruns);
      expect(reruns).toBeGreaterThanOrEqual(physical.filter((line) => line.split(" ")[2] !== "1").length);
      expect(done.killed + done.servers + done.stopped).toBeGreaterThan(0);
      console.log(JSON.stringify({ seed: SEED, loops: LOOPS, atoms: LOOPS * ATOMS, ...done, reruns, refused }));
    },
  );
});
