import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { SMALL_HEAP_FLAGS } from "../../src/host/small-heap.ts";

/** Makes garbage of which a little lives on, and tells how large the heap was at most. */
const CHURN = `
  for (const flag of JSON.parse(process.argv[1])) require("node:v8").setFlagsFromString(flag);
  const kept = [];
  let most = 0;
  for (let round = 0; round < 2000; round++) {
    const fresh = Array.from({ length: 1000 }, (_, i) => ({ round, i, list: [i, i, i] }));
    kept[round % 50] = fresh;
    most = Math.max(most, process.memoryUsage().heapTotal);
  }
  process.stdout.write(String(most));
`;

function heapWith(flags: readonly string[]): { readonly bytes: number; readonly said: string } {
  const ran = spawnSync(process.execPath, ["-e", CHURN, JSON.stringify(flags)], { encoding: "utf8", timeout: 60_000 });
  return { bytes: Number(ran.stdout), said: ran.stderr };
}

test.skipIf(!process.version.startsWith("v20."))(
  "the flags are known to this Node, say nothing, and keep the heap smaller",
  { timeout: 120_000 },
  () => {
    const small = heapWith(SMALL_HEAP_FLAGS);
    expect(small.said).toBe("");
    expect(small.bytes).toBeGreaterThan(0);
    expect(small.bytes).toBeLessThan(0.8 * heapWith([]).bytes);
  },
);
