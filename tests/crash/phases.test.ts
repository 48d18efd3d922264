/** A run of a phase loop, killed at every kind of step and run again until it is complete (SPEC sections 8 and 11). */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { PhasesEnd } from "../../src/phases/run-options.ts";
import { bundleFixture } from "../support/bundle.ts";
import { setPhaseStage, type PhaseStage, type PhaseOverrides } from "../support/phase-stage.ts";
import { GARDEN } from "../phases/core/definitions.ts";

const LIMIT_MS = 300_000;
const MOST_RUNS = 60;

/** Each run of the cycle dies at the next of them, if it comes to it. */
const CYCLES: readonly (readonly string[])[] = [
  // Every change of the state, and nothing more in each process.
  ["saved:1"],
  // Just before the second change: the first one stands.
  ["unsaved:2"],
  // Between a change and its line, a work and its file, a verdict and what follows from it.
  ["noted:2", "halted:1", "unnoted:2", "made:1", "unnoted:3", "unmade:1", "noted:3"],
];

/** Its end; null: it was killed. */
function runOnce(program: string, stage: PhaseStage, dieAt: string, more: PhaseOverrides = {}): PhasesEnd | null {
  const options = stage.options({ autonomy: "autonomous", run: { judge: "none" }, ...more });
  const ran = spawnSync(process.execPath, [program, JSON.stringify(options)], {
    env: { ...process.env, DIE_AT: dieAt },
    encoding: "utf8",
    timeout: 120_000,
  });
  if (ran.signal === "SIGKILL") return null;
  if (ran.status !== 0) throw new Error(`the run broke: ${ran.stderr}`);
  return JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as PhasesEnd;
}

for (const cycle of CYCLES)
  test(
    `SPEC 8: killed at ${cycle.join(", ")}: it goes on, nothing is worked twice, and the rules hold at every moment`,
    async () => {
      const program = await bundleFixture("programs/phases-runner.ts");
      const stage = await setPhaseStage(
        { ...GARDEN, gates: GARDEN.gates.filter((gate) => !JSON.stringify(gate).includes("market")) },
        { script: { draw: [{ write: { "PLAN.md": "", "BUDGET.md": "" } }], basket: [{ write: { "BEANS.md": "" } }] } },
      );
      let killed = 0;
      for (let runs = 0; stage.loop().status !== "complete"; runs++) {
        expect(runs).toBeLessThan(MOST_RUNS);
        const end = runOnce(program, stage, cycle[runs % cycle.length] ?? "");
        expect(stage.problems()).toEqual([]);
        if (end === null) {
          killed++;
          continue;
        }
        if (!end.ok) throw new Error(JSON.stringify(end));
        const { gate, outcome } = end.report;
        if (outcome !== "verified") await stage.act({ type: "pass_gate", gate: gate ?? "", by: "person" });
      }
      expect(killed).toBeGreaterThanOrEqual(3);
      expect(stage.calls()).toEqual(["survey.1", "draw.1", "spade.1", "basket.1"]);
      expect(stage.git("ls-files", "--cached", "--others", "--exclude=.claude")).toBe(
        "BEANS.md\nBUDGET.md\nPLAN.md\nREADME.md",
      );
      expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
      const files = stage.history().all_works.map(({ file }) => file);
      expect(files).toEqual(["01-PLAN.md", "02-DIG.md", "04-HARVEST.md"]);
    },
    LIMIT_MS,
  );

test(
  "SPEC 8: begun again and killed in between: what worked the loop before works none of the new one",
  async () => {
    const program = await bundleFixture("programs/phases-runner.ts");
    const stage = await setPhaseStage({ id: "one", phases: [{ name: "A", skills: ["a"] }] });
    expect(runOnce(program, stage, "")).toMatchObject({ report: { outcome: "verified" } });
    // The line is written, the state is not: it is still the old loop, complete.
    expect(runOnce(program, stage, "unsaved:1", { reopen: "restart" })).toBe(null);
    expect(stage.loop().status).toBe("complete");
    expect(runOnce(program, stage, "saved:1", { reopen: "restart" })).toBe(null);
    expect(stage.loop().phases[0]?.status).toBe("active");
    expect(runOnce(program, stage, "")).toMatchObject({ report: { outcome: "verified" } });
    expect(stage.calls()).toEqual(["a.1", "a.1"]);
  },
  LIMIT_MS,
);
