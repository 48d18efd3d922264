/** The commands that change a loop, killed at each thing that they do, on a stopped loop and beside a run (SPEC sections 2 and 8). */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { nameOf, pointsOf, undisturbed, type Point } from "./campaign.ts";
import { age, makeTemplate, remainsOf, sceneFrom, stoodStill, whatIsWrong, type End, type Scene } from "./scene.ts";

const linux = process.platform === "linux";
const COMPLETE = process.env["MODE"] === "complete";
const LIMIT = ["redirect", "limit", "max_iterations", "39"];

let template = "";
let end: End;
beforeAll(async () => {
  template = makeTemplate();
  end = (await undisturbed(template)).end;
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

function newScene(): Scene {
  const scene = sceneFrom(template);
  onTestFinished(() => scene.remove());
  return scene;
}

/** The operations of one undisturbed call. */
async function pointsOfCall(args: readonly string[]): Promise<Point[]> {
  const scene = newScene();
  const tally = join(scene.top, "tally");
  expect((await scene.aot(args, { CRASH_TALLY: tally })).code).toBe(0);
  return pointsOf(readFileSync(tally, "utf8").trimEnd().split("\n"));
}

test.skipIf(!linux).each([[LIMIT], [["redirect", "choose", "g", "Q", "--reason", "better"]]])(
  "SPEC 2, 8: `aot %s` killed at each write leaves a whole loop, and can be said again",
  async (args) => {
    const points = await pointsOfCall(args);
    const chosen = COMPLETE ? points : points.filter((_, i) => i % 6 === 0);
    for (const point of chosen) {
      const scene = newScene();
      const before = readFileSync(scene.stateFile, "utf8");
      const hit = join(scene.top, "hit");
      expect((await scene.aot(args, { CRASH_AT: nameOf(point), CRASH_HIT: hit })).code, nameOf(point)).toBe(null);
      const remains = remainsOf(scene);
      const changed = readFileSync(scene.stateFile, "utf8") !== before;
      const corrections = scene.state().corrections.length;
      expect(corrections, "once, or not yet").toBeLessThanOrEqual(changed ? 1 : 0);
      age(scene);
      const again = await scene.aot(args);
      if (!changed) expect(again.code, `${nameOf(point)}: ${again.err}`).toBe(0);
      const ran = await scene.run();
      expect(ran.code, `${nameOf(point)}: ${ran.out}${ran.err}`).toBe(0);
      expect(await whatIsWrong(scene, [remains], 1), nameOf(point)).toEqual([]);
    }
    console.log(`${chosen.length} of ${points.length} points`);
  },
  COMPLETE ? 600_000 : 120_000,
);

test.skipIf(!linux)(
  "SPEC 8: a run that dies while it carries out a redirect carries it out at most once, and comes to the same end",
  async () => {
    const kinds = ["rename request", "write request", "create request", "sync request", "unlink request"];
    const moments = ["before", "after"] as const;
    const points = kinds.flatMap((kind) => moments.map((moment): Point => ({ kind, nth: 1, moment })));
    let killed = 0;
    for (const point of points) {
      const scene = newScene();
      // Asked while the run stands still, so that it surely finds it.
      const start = join(scene.top, "start");
      const hit = join(scene.top, "hit");
      const running = scene.run({
        CRASH_AT: `stop|12|write journal;${nameOf(point)}`,
        CRASH_HIT: start,
        CRASH_THEN: hit,
      });
      const pid = await stoodStill(start);
      const asking = scene.aot([...LIMIT, "--json"]);
      process.kill(pid, "SIGCONT");
      const [ran, asked] = await Promise.all([running, asking]);
      if (existsSync(hit)) killed++;
      else expect(ran.code).toBe(0);
      const remains = remainsOf(scene);
      const reported = scene.state().corrections.length;
      expect(reported).toBeLessThanOrEqual(1);
      if (asked.code === 0) expect(reported, "what was said to be done is done").toBe(1);
      age(scene);
      const last = existsSync(hit) ? await scene.run() : ran;
      expect({ ...scene.end(last) }, `${nameOf(point)}: ${last.out}${last.err}`).toEqual(end);
      expect(await whatIsWrong(scene, [remains], 1), nameOf(point)).toEqual([]);
      expect(scene.state().corrections.length, "never carried out later").toBe(reported);
    }
    console.log(`${points.length} points, the run was killed at ${killed}`);
    expect(killed).toBeGreaterThan(points.length / 2);
  },
  300_000,
);
