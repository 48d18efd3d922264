/** Agents that flood, keep silent, or do not end (SPEC sections 6 and 7): bounded memory, bounded time, nothing left. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/bundle.ts";
import { expectUnverified, setScene } from "./scene.ts";

/** Memory that a run may take at its peak, MB. Node alone takes some 60; what agents print adds a few times 4 MB. */
const PEAK_MB = 400;

/** The largest resident set so far, MB; null: gone, or the system does not tell. */
function peakOf(pid: number): number | null {
  try {
    const kb = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kb === undefined ? null : Number(kb) / 1024;
  } catch {
    return null;
  }
}

async function peakWhile(pid: number, isOver: () => boolean): Promise<number> {
  let peak = 0;
  await eventually("the run ends", () => ((peak = Math.max(peak, peakOf(pid) ?? 0)), isOver()), 300_000);
  return peak;
}

describe("SPEC 6: output of any size is read with bounded memory", () => {
  test.each(["floodsStdout", "floodsStderr", "floodsOneObject", "floodsBraces"])(
    "%s",
    async (deed) => {
      const scene = setScene();
      const run = scene.start({ deed: `floods#${deed}`, args: ["--set=attempt_timeout=60s"] });
      let over = false;
      const ended = run.ended().finally(() => (over = true));
      const peak = await peakWhile(run.pid, () => over);
      expectUnverified(scene, await ended, "max_iterations");
      if (process.platform === "linux") expect(peak).toBeGreaterThan(20);
      expect(peak).toBeLessThan(PEAK_MB);
    },
    120_000,
  );
});

describe.concurrent("SPEC 7: an attempt that does not end is ended, as a whole", () => {
  test.each([
    ["neverEnds", ["--set=attempt_timeout=2s"], /not finished within 2 s/],
    ["ignoresSigterm", ["--set=attempt_timeout=2s"], /not finished within 2 s/],
    ["closesItsPipes", ["--set=idle_timeout=2s"], /no output for 2 s/],
    ["dripsForEver", ["--set=attempt_timeout=3s", "--set=idle_timeout=2s"], /not finished within 3 s/],
  ])("%s", async (deed, args, reason) => {
    const scene = setScene();
    expectUnverified(scene, await scene.run({ deed: `floods#${deed}`, args }), "max_iterations");
    const failed = scene.stage.journal().find((line) => line.event === "attempt_failed");
    expect(failed).toMatchObject({ kind: "timeout", reason: expect.stringMatching(reason) });
  });
});

test("SPEC 7: forty processes of an attempt end with it, those in sessions of their own too", async () => {
  const scene = setScene();
  expectUnverified(scene, await scene.run({ deed: "floods#forks" }), "max_iterations");
});

/** FLOODS=full: 10^5 files, and a file of 2 GB. */
const FILES =
  process.env["FLOODS"] === "full" ? ["makes100000Files", "makesA2GbFile"] : ["makesManyFiles", "makesALargeFile"];

test.each(FILES)(
  "SPEC 7: %s is integrated like other work, and costs others nothing",
  async (deed) => {
    const scene = setScene();
    const run = scene.start({ deed: `floods#${deed}`, args: ["--set=attempt_timeout=200s"] });
    let over = false;
    const ended = run.ended().finally(() => (over = true));
    expect(await peakWhile(run.pid, () => over)).toBeLessThan(PEAK_MB);
    expectUnverified(scene, await ended, "max_iterations");
  },
  320_000,
);
