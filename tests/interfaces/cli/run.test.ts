/** `aot run` as a person sees it: progress, receipt, exit codes, Ctrl-C (SPEC sections 8 and 9). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aot, aotJson } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { lookOn } from "../../support/detached.ts";
import { letGo, loopWith, MAKING, pidsIn, waitingAgent } from "../../support/loop-at-work.ts";

const TWO_ATOMS = ["--atom", "A1: first", "--atom", "A2: second <- A1"];
test("SPEC 9: verified, exit 0, with the receipt", async () => {
  const { dir, agent } = await loopWith(MAKING);
  const ran = await aot(["run", "--agent", agent], { cwd: dir });
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
  expect(ran.out).toContain("A1 resolved, 0 left");
  expect(ran.out).toContain("Verified: the base case holds");
  expect(ran.out).toContain("✓ file: made.txt: 1 match: made.txt");
  expect(ran.out).toContain("next: look at the work");
  expect(ran.out).toMatch(/^history {4}[0-9a-f]{10} {2}A1: /m);
  expect(ran.out).not.toContain("\u001b[");
  expect(await aot(["run", "--agent", agent], { cwd: dir })).toMatchObject({ code: 3 });
});

test("SPEC 10: --json is the report alone on stdout, the progress on stderr", async () => {
  const { dir, agent } = await loopWith(
    `console.log(JSON.stringify({success: false, summary: "cannot", artifacts: []}));`,
    "--max-iterations",
    "2",
  );
  const ran = await aotJson(["run", "--agent", agent], { cwd: dir });
  expect(ran).toMatchObject({ code: 12, json: { success: false, outcome: "max_iterations", exit_code: 12 } });
  expect(ran.json["next_step"]).toContain("aot redirect limit max_iterations");
  const narrowed = await aotJson(["run", "--agent", agent, "--max-iterations", "1"], { cwd: dir });
  expect(narrowed.json).toMatchObject({ outcome: "max_iterations", max_iterations: 1 });
  expect(ran.err).toContain("failed");
});

test.skipIf(process.platform === "win32")(
  "SPEC 8: Ctrl-C finishes the attempts in flight and stops; what is done stays",
  async () => {
    const signs = temporaryFolder();
    const { dir, agent } = await loopWith(waitingAgent(signs), ...TWO_ATOMS);
    const run = lookOn(dir, ["run", "--agent", agent]);
    await eventually("the agent works", () => pidsIn(signs).length > 0);
    run.interrupt();
    await eventually("the stop is acknowledged", () => run.heard().includes("attempts in flight are finished"));
    letGo(signs);
    expect((await run.ended()).code).toBe(10);
    expect(run.heard()).toContain("Stopped on request");
    expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
      status: "stopped",
      outcome: "stop_requested",
      atoms: [{ status: "resolved" }, { status: "pending" }],
    });
  },
);

test.skipIf(process.platform === "win32")("SPEC 7: a second Ctrl-C kills; no agent outlives the loop", async () => {
  const signs = temporaryFolder();
  const { dir, agent } = await loopWith(waitingAgent(signs));
  const run = lookOn(dir, ["run", "--agent", agent]);
  await eventually("the agent works", () => pidsIn(signs).length > 0);
  const [pid = 0] = pidsIn(signs);
  run.interrupt();
  await eventually("the stop is acknowledged", () => run.heard().includes("Ctrl-C again kills"));
  run.interrupt();
  expect((await run.ended()).code).toBe(10);
  expect(isAlive(pid)).toBe(false);
  expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
    status: "stopped",
    atoms: [{ status: "pending" }],
  });
});

test("SPEC 4: --plan tells the worst case and starts nothing", async () => {
  const { dir, agent } = await loopWith(`import { writeFileSync } from "node:fs"; writeFileSync("started", "");`);
  const ran = await aotJson(["run", "--plan", "--agent", agent, "--parallel", "2", "--max-iterations", "5"], {
    cwd: dir,
  });
  expect(ran).toMatchObject({ code: 0, json: { success: true, iterations: 5, attempts: 10, cost_usd: null } });
  expect(existsSync(join(dir, "started"))).toBe(false);
});
