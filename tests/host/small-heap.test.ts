import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { SMALL_HEAP_FLAGS } from "../../src/host/small-heap.ts";

/** Makes garbage of which some 40 MB live on, and tells how large new and old space were at most. */
const CHURN = `
  const v8 = require("node:v8");
  for (const flag of JSON.parse(process.argv[1])) v8.setFlagsFromString(flag);
  const kept = [];
  const most = { new_space: 0, old_space: 0 };
  for (let round = 0; round < 3000; round++) {
    kept[round % 200] = Array.from({ length: 1000 }, (_, i) => ({ round, i, list: [i, i, i] }));
    for (const { space_name, space_size } of v8.getHeapSpaceStatistics())
      if (space_name in most) most[space_name] = Math.max(most[space_name], space_size);
  }
  process.stdout.write(JSON.stringify(most));
`;

interface Most {
  readonly new_space: number;
  readonly old_space: number;
}

/** Bytes. In one thread the collector runs at the same places every time, however busy the machine is. */
function spacesWith(flags: readonly string[]): Most {
  const ran = spawnSync(process.execPath, ["--single-threaded", "-e", CHURN, JSON.stringify(flags)], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(ran.stderr).toBe("");
  return JSON.parse(ran.stdout) as Most;
}

test.skipIf(!process.version.startsWith("v20."))(
  "the flags are known to this Node, say nothing, and each keeps its part of the heap smaller",
  { timeout: 120_000 },
  () => {
    const [newSpace = ""] = SMALL_HEAP_FLAGS;
    const [both, one, none] = [SMALL_HEAP_FLAGS, [newSpace], []].map(spacesWith) as [Most, Most, Most];
    expect(one.new_space).toBeLessThan(none.new_space / 4);
    expect(both.new_space).toBe(one.new_space);
    expect(both.old_space).toBeLessThan(0.7 * one.old_space);
  },
);
