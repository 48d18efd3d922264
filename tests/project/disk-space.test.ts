/** Space on the disk (SPEC sections 2 and 8): logs that do not grow for ever, and a stop before the disk is full. */
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { checkDiskSpace, pruneLogs } from "../../src/project/disk-space.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";
import { filesExist, setStage } from "../scenarios/stage.ts";

/** Logs of these sizes, oldest first, beside a journal that looks older than any. */
function logsOf(sizes: readonly number[]): { readonly dir: string; readonly logs: string; left(): readonly number[] } {
  const dir = temporaryFolder();
  const logs = join(dir, "logs");
  mkdirSync(logs);
  sizes.forEach((size, place) => {
    writeFileSync(join(logs, `${place}.log`), Buffer.alloc(size));
    utimesSync(join(logs, `${place}.log`), 1_000 + place, 1_000 + place);
  });
  for (const name of ["journal.jsonl", "logs/notes.txt"]) {
    writeFileSync(join(dir, name), Buffer.alloc(5_000));
    utimesSync(join(dir, name), 1, 1);
  }
  const left = (): readonly number[] =>
    readdirSync(logs)
      .flatMap((name) => (name.endsWith(".log") ? [Number.parseInt(name, 10)] : []))
      .toSorted((a, b) => a - b);
  return { dir, logs, left };
}

test("DISK-SPACE-1, law: the newest logs stay, as many as fit, and what is no log stays always", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 12 }), fc.nat(1_500), (sizes, most) => {
      const { dir, logs, left } = logsOf(sizes);
      const removed = pruneLogs(logs, most);
      const kept = left();
      const sum = kept.reduce((so, place) => so + (sizes[place] ?? 0), 0);
      expect(sum).toBeLessThanOrEqual(most);
      expect(removed.length + kept.length).toBe(sizes.length);
      // Nothing that fits behind the newer ones was removed.
      for (const name of removed) {
        const place = Number.parseInt(name, 10);
        const newer = kept.filter((other) => other > place).reduce((so, other) => so + (sizes[other] ?? 0), 0);
        expect(newer + (sizes[place] ?? 0)).toBeGreaterThan(most);
      }
      expect(readdirSync(dir).toSorted()).toEqual(["journal.jsonl", "logs"]);
      expect(readdirSync(logs)).toContain("notes.txt");
      rmSync(dir, { recursive: true });
    }),
    { numRuns: 60 },
  );
});

test("DISK-SPACE-2: too little free space is reported with what to do; a folder that is not there stops nothing", () => {
  const { dir, logs } = logsOf([10]);
  expect(checkDiskSpace(dir, logs, { min_free_bytes: 0 })).toBe(null);
  expect(checkDiskSpace(dir, logs, { min_free_bytes: 2 ** 60 })).toMatch(
    /^only \d+ MB are free .* free some .*, then `aot run`/,
  );
  expect(checkDiskSpace(join(dir, "gone"), join(dir, "gone", "logs"), {})).toBe(null);
});

test.skipIf(!canMount)(
  "D2, SPEC 8: a loop on a disk that fills up stops before it is full, with its state whole, and goes on once there is room",
  async () => {
    const disk = smallDisk("24m");
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = disk;
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    const stage = setStage({
      atoms: ["A1", "A2", "A3", "A4"].map((id) => ({ id })),
      constraints: { max_parallel_agents: 1 },
      objective: { base_case: filesExist("a", "b") },
    });
    const answer = { success: true, summary: "s" };
    // What the second leaves in the loop's folder is no work of anybody's: it only fills the disk.
    const litter = join(disk, "litter");
    stage.rewrite({
      A1: [{ write: { a: "1" }, answer }],
      A2: [{ write: { b: "2" }, sh: `head -c 18000000 /dev/zero > ${litter}`, answer }],
      A3: [{ answer }],
      A4: [{ answer }],
    });
    const room = { min_free_bytes: 8 * 1024 * 1024 };
    const end = await stage.run({ room });
    expect(end).toMatchObject({ exit_code: 10, report: { outcome: "stop_requested", attempts: 3, failures: 0 } });
    expect(stage.state().control.stop_reason).toMatch(/only \d+ MB are free on the disk .*at least 8 MB/);
    expect(stage.state().control.status).toBe("stopped");
    rmSync(litter);
    expect(await stage.run({ room })).toMatchObject({ exit_code: 0 });
  },
);
