/** Every way a loop halts before its goal, with outcome, message and exit code (SPEC section 9). */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/project/clock.ts";
import { filesExist, setStage, type Stage } from "./stage.ts";

const fails = [{ answer: { success: false, summary: "no" } }];

test("SPEC 4: the iteration limit is exit 12, and stays spent", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_parallel_agents: 1, max_iterations: 2, max_stall_count: 9 },
    script: { A1: fails },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 12, report: { outcome: "max_iterations", attempts: 2 } });
  expect(await stage.run()).toMatchObject({ exit_code: 12, report: { outcome: "max_iterations", attempts: 0 } });
  expect(stage.state().control.iteration).toBe(2);
});

test("SPEC 4: a spent cost budget is exit 13 and names it; no call gets more than what is left", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }, { id: "A3", depends_on: ["A2"] }],
    constraints: { max_cost_usd: 1 },
    script: {
      A1: [{ answer: { success: true, summary: "1", artifacts: [], usage: { cost_usd: 0.75 } } }],
      A2: [{ answer: { success: true, summary: "2", artifacts: [], usage: { cost_usd: 0.25 } } }],
    },
  });
  expect(await stage.run()).toMatchObject({
    exit_code: 13,
    report: { outcome: "budget", message: expect.stringContaining("max_cost_usd, 1.00 of 1 USD"), cost_usd: 1 },
  });
  expect(stage.journal().filter((line) => line.event === "attempt_started")).toHaveLength(2);
});

test("SPEC 4: a spent duration is exit 13, and ends the attempt that outlasts it", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_duration: "1s" },
    script: { A1: [{ hang: true }] },
  });
  expect(await stage.run()).toMatchObject({
    exit_code: 13,
    report: { outcome: "budget", message: expect.stringContaining("max_duration") },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 13, report: { attempts: 0 } });
});

test("SPEC 9: an agent that is not installed is exit 17 and no failure of the atom", async () => {
  const stage = setStage({ atoms: [{ id: "A1" }] });
  const end = await stage.run({ agent: "command:no-such-agent-anywhere" });
  expect(end).toMatchObject({ exit_code: 17, report: { outcome: "agent_unavailable" } });
  expect(stage.journal().some(({ event }) => event === "attempt_failed")).toBe(false);
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
});

/** A command that asks twice to be tried later, then writes `out`. It counts in `tried`. */
function busyAgent(stage: Stage): string {
  const tried = join(dirname(stage.root), "tried");
  const file = join(dirname(stage.root), "busy.mjs");
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(tried)}, "x");
    if (readFileSync(${JSON.stringify(tried)}, "utf8").length <= 2) { console.error("429"); process.exit(75); }
    writeFileSync("out", "x");
    console.log(JSON.stringify({ success: true, summary: "made it", artifacts: ["out"] }));`,
  );
  return `command:"${process.execPath}" "${file}"`;
}

/** The machine's clock, but that what lasts a minute or longer is over at once. Answers what was waited for. */
function impatientClock(): readonly number[] {
  const waits: number[] = [];
  const after = systemClock.after.bind(systemClock);
  const spy = vi.spyOn(systemClock, "after").mockImplementation((ms, then) => {
    if (ms >= 60_000) waits.push(ms);
    return after(ms >= 60_000 ? 1 : ms, then);
  });
  onTestFinished(() => spy.mockRestore());
  return waits;
}

test("SPEC 7: a command that exits with 75 is waited for, with the time shown; that is no failure of the atom", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_attempts_per_atom: 1, max_iterations: 1 },
    objective: { base_case: filesExist("out") },
  });
  const waits = impatientClock();
  const end = await stage.run({ agent: busyAgent(stage), limits: { max_wait_ms: 120_000 } });
  expect(end).toMatchObject({ exit_code: 0, report: { attempts: 1, failures: 0 } });
  expect(waits).toEqual([60_000, 60_000]);
  const reported = stage.journal().filter((line) => line.event === "waiting");
  const one = { who: "A1.1", wait_ms: 60_000, reason: expect.stringMatching(/exit code 75.*429/) };
  expect(reported).toMatchObject([one, one]);
  for (const { time, until } of reported) expect(Date.parse(until) - Date.parse(time)).toBeGreaterThanOrEqual(59_000);
  expect(stage.integrated("out")).toBe("x");
});

test("SPEC 6: protected files that changed on the integration branch from outside are exit 18, listed", async () => {
  const stage = setStage({
    files: { "tests/t": "real\n" },
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    objective: { protected: ["tests/**"] },
    script: { A1: [{ write: { a: "1" } }] },
  });
  const stopping = {
    during: (line: { event: string }, control: { stop(reason: string): void }) =>
      void (line.event === "attempt_started" && control.stop("a break")),
  };
  expect(await stage.run(stopping)).toMatchObject({ exit_code: 10 });
  stage.git("switch", "-q", stage.branch());
  stage.git("rm", "-q", "tests/t");
  stage.git("commit", "-q", "-m", "weaker");
  stage.git("switch", "-q", "main");
  expect(await stage.run()).toMatchObject({
    exit_code: 18,
    report: { outcome: "tampered", message: expect.stringContaining("tests/t") },
  });
  expect(stage.state().control.status).toBe("stopped");
});

test("SPEC 10: an alignment that is not finished is exit 3; a completed loop is not entered again but by --restart", async () => {
  const stage = setStage({ atoms: [{ id: "A1" }], objective: { deliverables: "" } });
  expect(await stage.run()).toMatchObject({
    ok: false,
    exit_code: 3,
    problems: [{ message: expect.stringContaining("objective.deliverables") }],
  });
  stage.edit((text) => text.replace('deliverables: ""', "deliverables: some"));
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(await stage.run()).toMatchObject({
    ok: false,
    exit_code: 3,
    problems: [{ hint: expect.stringContaining("--restart") }],
  });
  expect(await stage.run({ restart: true })).toMatchObject({ exit_code: 0, report: { attempts: 1, iteration: 1 } });
});
