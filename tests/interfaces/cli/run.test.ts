/** `aot run` as a person sees it: progress, receipt, exit codes, Ctrl-C (SPEC sections 8 and 9). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aot, aotJson, aotPath, cleanEnv } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { pidsWritten } from "../../support/pids.ts";

const TWO_ATOMS = ["--atom", "A1: first", "--atom", "A2: second <- A1"];
const RESULT = `console.log(JSON.stringify({success: true, summary: "made it", artifacts: []}));`;

/**
 * An agent that writes its pid to `started` and works until `go` is beside it. These signs are outside the
 * project: what an attempt leaves in it is discarded with the attempt.
 */
function waitingAgent(signs: string): string {
  return `import { appendFileSync, existsSync } from "node:fs";
    appendFileSync(${JSON.stringify(join(signs, "started"))}, process.pid + "\\n");
    const look = () => { if (existsSync(${JSON.stringify(join(signs, "go"))})) { ${RESULT} } else setTimeout(look, 20); };
    look();`;
}

function startsIn(signs: string): number[] {
  return pidsWritten(join(signs, "started"));
}

/** A folder with an aligned loop and an agent that runs this script. */
async function loopWith(script: string, ...align: string[]): Promise<{ readonly dir: string; readonly agent: string }> {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "agent.mjs"), script);
  const ran = await aot(["align", "Make it", "--check", "file: made.txt", "--yes", ...align], { cwd: dir });
  if (ran.code !== 0) throw new Error(ran.err);
  return { dir, agent: `command:"${process.execPath}" agent.mjs` };
}

test("SPEC 9: verified, exit 0, with the receipt", async () => {
  const { dir, agent } = await loopWith(
    `import { writeFileSync } from "node:fs"; writeFileSync("made.txt", ""); ${RESULT}`,
  );
  const ran = await aot(["run", "--agent", agent, "--in-place"], { cwd: dir });
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
  expect(ran.out).toContain("A1 resolved, 0 left");
  expect(ran.out).toContain("Verified: the base case holds");
  expect(ran.out).toContain("✓ file: made.txt: 1 match: made.txt");
  expect(ran.out).toContain("next: look at the work");
  expect(ran.out, "a commit that no repository of the person's has").toMatch(/^history {4}A1: /m);
  expect(ran.out).not.toContain("\u001b[");
  expect(await aot(["run", "--agent", agent, "--in-place"], { cwd: dir })).toMatchObject({ code: 3 });
});

test("SPEC 10: --json is the report alone on stdout, the progress on stderr", async () => {
  const { dir, agent } = await loopWith(
    `console.log(JSON.stringify({success: false, summary: "cannot", artifacts: []}));`,
    "--max-iterations",
    "2",
  );
  const ran = await aotJson(["run", "--agent", agent, "--in-place"], { cwd: dir });
  expect(ran).toMatchObject({ code: 12, json: { success: false, outcome: "max_iterations", exit_code: 12 } });
  expect(ran.json["next_step"]).toContain("aot redirect limit max_iterations");
  const narrowed = await aotJson(["run", "--agent", agent, "--in-place", "--max-iterations", "1"], { cwd: dir });
  expect(narrowed.json).toMatchObject({ outcome: "max_iterations", max_iterations: 1 });
  expect(ran.err).toContain("failed");
});

test.skipIf(process.platform === "win32")(
  "SPEC 8: Ctrl-C finishes the attempts in flight and stops; what is done stays",
  async () => {
    const signs = temporaryFolder();
    const { dir, agent } = await loopWith(waitingAgent(signs), ...TWO_ATOMS);
    const child = spawn(process.execPath, [aotPath(), "run", "--agent", agent, "--in-place"], {
      cwd: dir,
      env: cleanEnv(),
    });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const closed = once(child, "close");
    await eventually("the agent works", () => startsIn(signs).length > 0);
    child.kill("SIGINT");
    await eventually("the stop is acknowledged", () => out.includes("attempts in flight are finished"));
    writeFileSync(join(signs, "go"), "");
    expect(await closed).toEqual([10, null]);
    expect(out).toContain("Stopped on request");
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
  const child = spawn(process.execPath, [aotPath(), "run", "--agent", agent, "--in-place"], {
    cwd: dir,
    env: cleanEnv(),
  });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const closed = once(child, "close");
  await eventually("the agent works", () => startsIn(signs).length > 0);
  const [pid = 0] = startsIn(signs);
  child.kill("SIGINT");
  await eventually("the stop is acknowledged", () => out.includes("Ctrl-C again kills"));
  child.kill("SIGINT");
  expect(await closed).toEqual([10, null]);
  expect(isAlive(pid)).toBe(false);
  expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
    status: "stopped",
    atoms: [{ status: "pending" }],
  });
});

test("SPEC 8: aot stop and aot redirect reach the run from another terminal", async () => {
  const signs = temporaryFolder();
  const { dir, agent } = await loopWith(waitingAgent(signs), ...TWO_ATOMS);
  const child = spawn(process.execPath, [aotPath(), "run", "--agent", agent, "--in-place"], {
    cwd: dir,
    env: cleanEnv(),
  });
  const closed = once(child, "close");
  child.stdout.resume();
  await eventually("the agent works", () => startsIn(signs).length > 0);
  expect((await aot(["atom", "update", "A1", "resolved"], { cwd: dir })).err).toContain("a run works this loop");
  // What cannot be done anyway costs no agent its work.
  const [pid = 0] = startsIn(signs);
  expect(await aot(["redirect", "remove", "A9"], { cwd: dir })).toMatchObject({
    code: 1,
    err: "there is no atom A9\n  list the atoms with `aot status`\n",
  });
  expect({ alive: isAlive(pid), starts: startsIn(signs).length }).toEqual({ alive: true, starts: 1 });
  expect((await aotJson(["redirect", "limit", "max_iterations", "33"], { cwd: dir })).json).toMatchObject({
    success: true,
    via: "runner",
  });
  expect({ alive: isAlive(pid), starts: startsIn(signs).length }).toEqual({ alive: true, starts: 1 });
  expect((await aotJson(["redirect", "set", "goal", "another one"], { cwd: dir })).json).toMatchObject({
    success: true,
  });
  await eventually("a new attempt works", () => startsIn(signs).length > 1);
  expect(isAlive(pid)).toBe(false);
  expect((await aotJson(["stop", "enough"], { cwd: dir })).json).toMatchObject({ success: true, via: "runner" });
  writeFileSync(join(signs, "go"), "");
  expect(await closed).toEqual([10, null]);
  expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
    stop_reason: expect.stringContaining("enough"),
    objective: { constraints: { max_iterations: 33 } },
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
