/**
 * Laws of the runner whatever the order in which the world answers, through crashes, resumes, stops and redirects.
 * How to try more cases, and to play a failing one again: `seeds.ts`.
 */
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createCoordinator } from "../../src/loop/coordinator.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { storyOf } from "./disk.ts";
import { createFileDisk } from "./files.ts";
import { play, plans } from "./interleavings.ts";
import { casesOf, runsOf } from "./seeds.ts";

const USUAL = 800;

test(
  `SPEC 4-9: the runner keeps its laws in any order of things (${runsOf(USUAL)} worlds)`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plans, async (scheduler, plan) => {
        const { laws, disk, ends } = await play(scheduler, plan);
        for (const end of ends) if (end.kind === "failed") throw end.error;
        expect(laws.breaches, storyOf(disk)).toEqual([]);
        expect(["halted", "refused"]).toContain(ends.at(-1)?.kind);
      }),
      casesOf(USUAL),
    );
  },
  60_000 + runsOf(USUAL) * 100,
);

const USUAL_FILES = 30;

test(
  `SPEC 2, 8: the same on real files (${runsOf(USUAL_FILES)} worlds)`,
  async () => {
    let world = 0;
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plans, async (scheduler, plan) => {
        const disk = await createFileDisk(join(folder, String(++world)), plan.state);
        try {
          const { laws, ends } = await play(scheduler, plan, createCoordinator, disk);
          for (const end of ends) if (end.kind === "failed") throw end.error;
          expect(laws.breaches, storyOf(disk)).toEqual([]);
        } finally {
          disk.close();
        }
      }),
      casesOf(USUAL_FILES),
    );
  },
  60_000 + runsOf(USUAL_FILES) * 2_000,
);
