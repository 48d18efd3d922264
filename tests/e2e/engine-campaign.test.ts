/**
 * Three workers and an engine's server, and somebody who does harm at random (SPEC section 13): kills and stops workers, kills
 * the server, takes the remote away, all of it for a while. Every loop ends as its embedded run does, nothing is lost,
 * nothing integrated twice, each run that was begun again is recorded.
 *
 * Short here; `scripts/prove-engine.mjs` says how much: --loops, --atoms, --seconds, --away, --seeds. The test's name
 * has the seed.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { LoopSpec, LoopView } from "../../src/loop/engine.ts";
import { createEmbeddedEngine } from "../../world/embedded-engine.ts";
import { systemClock } from "../../src/project/clock.ts";
import { chance, temporaryFolder } from "../support/bundle.ts";
import { createCampaignPlace } from "../support/engines/campaign-place.ts";
import { postgresPrograms } from "../support/engines/dbos-postgres.ts";
import { journalOf, patiently, pause, startSite, type Site } from "../support/engines/site.ts";
import { stateOf } from "../support/loops.ts";

const flag = (name: string, fallback: number): number => Number(process.env[`CAMPAIGN_${name}`] ?? fallback);
const LOOPS = flag("LOOPS", 12);
const ATOMS = flag("ATOMS", 10);
const SECONDS = flag("SECONDS", 25);
/** The longest that anything is away. */
const AWAY_MS = flag("AWAY", 5) * 1_000;
const SEED = flag("SEED", Date.now() % 100_000);
const FINISH_MS = 240_000;
const WORKERS = 3;
const AGENT_MS = 300;

const programs = postgresPrograms();
/** Layers of five; each atom needs two of the layer before. */
function sketch(): Parameters<typeof stateOf>[0] {
  const atoms = Array.from({ length: ATOMS }, (_, index) => {
    const above = Math.floor(index / 5) * 5 - 5;
    const depends_on = above < 0 ? [] : [`A${above + (index % 5)}`, `A${above + ((index + 1) % 5)}`];
    return { id: `A${index}`, depends_on };
  });
  return { atoms, constraints: { max_iterations: ATOMS * 2, max_stall_count: ATOMS } };
}

const SPEC: LoopSpec = {
  state: stateOf(sketch()),
  memory: { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} },
  settings: { verify_each: false, confirmed: false },
  terms: {},
};

/** What a loop comes to, however it came about. */
function endOf({ state, attempts }: LoopView): object {
  const atoms = state.atoms.map(({ id, status }) => `${id} ${status}`);
  return { outcome: state.control.outcome, attempts, atoms };
}

async function embeddedEnd(): Promise<object> {
  const open = createCampaignPlace({ folder: temporaryFolder(), name: "embedded", agent_ms: 1 });
  const engine = createEmbeddedEngine({ clock: systemClock, open: (task, { name }) => open({ name, task, run: 1 }) });
  await engine.start("embedded", SPEC);
  const view = await halted({ engine }, "embedded");
  await engine.close();
  return endOf(view);
}

async function halted({ engine }: Pick<Site, "engine">, name: string): Promise<LoopView> {
  return await patiently(async () => {
    const view = await engine.view(name);
    if (view?.state.control.outcome != null) return view;
    throw new Error(`${name} has not halted: ${JSON.stringify(view?.working)}`);
  }, FINISH_MS);
}

const FAULTS = ["worker", "hang", "server", "remote", "worker_and_server"] as const;
type Fault = (typeof FAULTS)[number];

/** Does it, and undoes it after a while. */
async function harm({ server, workers, folder }: Site, fault: Fault, roll: () => number): Promise<void> {
  const victim = workers[Math.floor(roll() * workers.length)];
  if (victim === undefined) throw new Error("there are no workers");
  const away = AWAY_MS * (0.2 + 0.8 * roll());
  if (fault === "hang") {
    victim.signal("SIGSTOP");
    await pause(away);
    return victim.signal("SIGCONT");
  }
  if (fault === "remote") {
    writeFileSync(join(folder, "remote-away"), "");
    await pause(away);
    return rmSync(join(folder, "remote-away"));
  }
  if (fault !== "server") await victim.kill();
  if (fault !== "worker") await server.kill();
  await pause(away);
  if (fault !== "worker") await server.start();
  if (fault !== "server") victim.start();
}

describe.skipIf(programs === null)("on a real PostgreSQL", () => {
  test(
    `SPEC 13: ${LOOPS} loops of ${ATOMS} atoms end as their embedded run, whatever goes away meanwhile (seed ${SEED})`,
    { timeout: SECONDS * 1_000 + FINISH_MS + 120_000 },
    async () => {
      const roll = chance(SEED);
      const expected = await embeddedEnd();
      const site = await startSite(programs ?? "", { workers: WORKERS, agent_ms: AGENT_MS });
      onTestFinished(site.close);
      const { engine, folder } = site;
      const names = Array.from({ length: LOOPS }, (_, index) => `loop-${index}`);
      const from = performance.now();
      // One after the other, so that there is work under way whatever happens.
      const begin = async (name: string, index: number): Promise<unknown> => {
        await pause((index * SECONDS * 1_000) / LOOPS);
        return await patiently(() => engine.start(name, SPEC));
      };
      const begun = Promise.all(names.map(begin));
      const done: Partial<Record<Fault, number>> = {};
      for (let turn = 0; performance.now() - from < SECONDS * 1_000; turn++) {
        await pause(300 + roll() * 1_500);
        // Each kind has its turn, whatever the seed.
        const fault = FAULTS[turn % FAULTS.length] ?? "worker";
        await harm(site, fault, roll);
        done[fault] = (done[fault] ?? 0) + 1;
      }
      await begun;

      const views: LoopView[] = [];
      for (const name of names) views.push(await halted(site, name));
      const seconds = Math.round((performance.now() - from) / 1_000);
      for (const view of views) expect({ loop: view.loop, ...endOf(view) }).toEqual({ loop: view.loop, ...expected });
      expect(readdirSync(join(folder, "integrated"))).toHaveLength(LOOPS * ATOMS);
      const physical = readFileSync(join(folder, "begun"), "utf8").trim().split("\n");
      const runs = physical.map((line) => line.split(" ").slice(0, 3).join(" "));
      expect(new Set(runs).size, "no run is begun twice").toBe(physical.length);
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
      console.log(
        JSON.stringify({ seed: SEED, loops: LOOPS, atoms: LOOPS * ATOMS, seconds, ...done, reruns, refused }),
      );
    },
  );
});
