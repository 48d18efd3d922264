/**
 * The wall clock of the machine is set while a run is active (SPEC sections 2, 4 and 8): nothing of the loop depends on
 * it.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { undisturbed } from "./campaign.ts";
import {
  journalOf,
  makeTemplate,
  remainsOf,
  sceneFrom,
  stoodStill,
  whatIsWrong,
  type End,
  type Scene,
} from "./scene.ts";

const HOUR = 3_600_000;
const BACK = { CLOCK_JUMPS: `300:${-HOUR}` };
const FORWARD = { CLOCK_JUMPS: `300:${24 * HOUR}` };
const BOTH = { CLOCK_JUMPS: `250:${-HOUR},400:${26 * HOUR},550:${-30 * HOUR}` };
const linux = process.platform === "linux";

let template = "";
let end: End;
beforeAll(async () => {
  template = makeTemplate();
  end = (await undisturbed(template)).end;
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

async function inScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = sceneFrom(template);
  try {
    await work(scene);
  } finally {
    scene.remove();
  }
}

/** Milliseconds that the runs say they were running. */
function active(scene: Scene): number[] {
  return journalOf(scene, 1).flatMap((line) => (line.active_ms === undefined ? [] : [line.active_ms]));
}

test.skipIf(!linux).each([
  ["an hour back", BACK],
  ["a day forward", FORWARD],
  ["back, forward and back", BOTH],
])("SPEC 8: the clock jumps %s, and a run comes to the same end", async (_what, jumps) => {
  await inScene(async (scene) => {
    const from = performance.now();
    const ran = await scene.run({ ...jumps, CLOCK_LOG: join(scene.top, "clock") });
    const took = performance.now() - from;
    expect(scene.end(ran)).toEqual(end);
    expect(await whatIsWrong(scene, [], 0)).toEqual([]);
    expect(readFileSync(join(scene.top, "clock"), "utf8"), "the clock did jump").toContain("jumped");
    for (const ms of active(scene)) {
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms, "time that did not pass is not spent").toBeLessThanOrEqual(took);
    }
    const status = await scene.aot(["status", "--json"]);
    expect(status.code, status.err).toBe(0);
  });
});

test.skipIf(!linux).each([
  ["an hour back", BACK],
  ["a day forward", FORWARD],
])(
  "SPEC 4, 8: killed after the clock jumped %s, a run goes on with a duration limit, and spends no time that did not pass",
  async (_what, jumps) => {
    await inScene(async (scene) => {
      expect((await scene.aot(["redirect", "limit", "max_duration", "30m"])).code).toBe(0);
      await scene.run({ ...jumps, CRASH_AT: "after|25|write journal", CRASH_HIT: join(scene.top, "hit") });
      expect(readFileSync(join(scene.top, "hit"), "utf8")).not.toBe("");
      const remains = remainsOf(scene);
      // The clock is right again: what the dead run wrote lies in the future, or long ago.
      const ran = await scene.run();
      expect(scene.end(ran)).toMatchObject({ exit_code: 0, tree: end.tree, control: { outcome: "verified" } });
      expect(await whatIsWrong(scene, [remains], 1)).toEqual([]);
      for (const ms of active(scene)) expect(ms).toBeGreaterThanOrEqual(0);
    });
  },
);

test.skipIf(!linux).each([
  ["an hour back", BACK],
  ["a day forward", FORWARD],
])("SPEC 4: a duration limit ends a run whose clock jumped %s", async (_what, jumps) => {
  await inScene(async (scene) => {
    // An agent that never answers by itself.
    const ran = await scene.aot(["run", "--json", "--agent", "command:sleep 50", "--max-duration", "1s"], jumps);
    expect(ran.code, `${ran.out}${ran.err}`).toBe(13);
    expect(scene.state().control).toMatchObject({ status: "stopped", outcome: "budget" });
    for (const ms of active(scene)) expect(ms).toBeLessThan(HOUR);
  });
});

test.skipIf(!linux).each([
  ["back", `0:${-HOUR}`],
  ["forward", `0:${24 * HOUR}`],
])("SPEC 2: whose clock is %s neither takes a live holder's lock nor waits for a dead one's", async (_what, jump) => {
  await inScene(async (scene) => {
    const hit = join(scene.top, "hit");
    const running = scene.run({ CRASH_AT: "stop|20|write journal", CRASH_HIT: hit });
    const pid = await stoodStill(hit);
    const jumps = { CLOCK_JUMPS: jump };
    const second = await scene.run(jumps);
    expect(second.out, second.err).toContain(`is being worked by pid ${pid}`);
    expect(second.code).toBe(1);
    process.kill(pid, "SIGKILL");
    expect(await running).toMatchObject({ code: null });
    const ran = await scene.run(jumps);
    expect(scene.end(ran)).toMatchObject({ exit_code: 0, tree: end.tree });
  });
});
