/**
 * A worker that dies or hangs, and a server that dies, at every point of a task's way (SPEC section 13): between claim and
 * work, running, between work and result, before and after an integration. The loop ends as undisturbed each time.
 */
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresPrograms } from "../support/engines/dbos-postgres.ts";
import { journalOf, patiently, startSite, type Site } from "../support/engines/site.ts";
import { stateOf } from "../support/loops.ts";

const POINTS = ["claimed", "working", "worked", "ending", "integrating", "integrated"] as const;
const FAULTS = ["SIGKILL", "SIGSTOP", "SERVER"] as const;
const LIMIT_MS = 120_000;
const programs = postgresPrograms();

describe.skipIf(programs === null)("faults at chosen points, on a real PostgreSQL", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite(programs ?? "", { workers: 2, agent_ms: 20 });
  });
  afterAll(() => site?.close());

  /** Who took the fault, by its number. */
  const taken = (): Promise<number> =>
    patiently(async () => {
      const name = readdirSync(site.folder).find((file) => file.startsWith("fault-taken-w"));
      if (name === undefined) throw new Error("nobody reached the point");
      rmSync(join(site.folder, name));
      return Number(name.slice("fault-taken-w".length));
    }, LIMIT_MS);

  const halted = (name: string): Promise<unknown> =>
    patiently(async () => {
      const view = await site.engine.view(name);
      if (view?.state.control.outcome == null) throw new Error(JSON.stringify(view?.working));
      return view;
    }, LIMIT_MS);

  for (const fault of FAULTS)
    for (const point of POINTS)
      test(
        `SPEC 13: ${fault === "SERVER" ? "the server is killed" : `a worker gets ${fault}`} when a task is ${point}`,
        { timeout: 3 * LIMIT_MS },
        async () => {
          const { engine, server, workers, folder } = site;
          const name = `${fault}-${point}`;
          const half = join(folder, "fault-half");
          writeFileSync(half, `${point} ${fault} ${name}`);
          renameSync(half, join(folder, "fault"));
          const state = stateOf({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] });
          const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
          const settings = { verify_each: false, confirmed: false };
          await patiently(() => engine.start(name, { state, memory, settings, terms: {} }), LIMIT_MS);
          const victim = workers[await taken()];
          if (fault === "SERVER") {
            await server.kill();
            writeFileSync(join(folder, "server-killed"), "");
            await server.start();
          }
          if (fault === "SIGKILL") {
            await victim?.kill();
            victim?.start();
          }
          // Stopped, it is taken over; what it does once it goes on changes nothing.
          const view = await halted(name);
          if (fault === "SIGSTOP") victim?.signal("SIGCONT");
          expect(view).toMatchObject({ attempts: 2, state: { control: { outcome: "verified" } } });
          expect(readdirSync(join(folder, "integrated")).filter((file) => file.startsWith(`${name}__`))).toHaveLength(
            2,
          );
          const lines = await journalOf(engine, name);
          expect(lines.filter(({ event }) => event === "attempt_integrated")).toHaveLength(2);
          const again = lines.filter((line) => line.event === "note" && line.message.includes("is begun again by"));
          expect(await engine.view(name)).toMatchObject({ reruns: again.length, working: [] });
          if (fault !== "SERVER") expect(again.length, "who took over is named").toBeGreaterThan(0);
          rmSync(join(folder, "server-killed"), { force: true });
        },
      );
});
