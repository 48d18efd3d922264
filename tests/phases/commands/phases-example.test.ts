/** The example of a phase loop is played back from start to completion. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { aotPath, cleanEnv } from "../../support/aot.ts";

test("SPEC 11: examples/phases/run.mjs: a plan sent back, an AoT loop as a phase, a gate that sends one back", () => {
  const ran = spawnSync(process.execPath, ["examples/phases/run.mjs"], {
    env: cleanEnv({ AOT_BIN: aotPath() }),
    encoding: "utf8",
    timeout: 180_000,
  });
  expect({ status: ran.status, err: ran.status === 0 ? "" : ran.stdout + ran.stderr }).toEqual({ status: 0, err: "" });
  for (const line of [
    "the gate plan-gate (Plan approval) waits for a human",
    "phase PLAN is worked once more: the gate plan-gate failed",
    "README.md says nothing of toCelsius",
    "gate docs-gate is passed by its checks",
    "Complete: the loop convert is complete",
  ])
    expect(ran.stdout).toContain(line);
}, 200_000);
