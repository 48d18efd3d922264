/** `aot phases run` as a process (SPEC sections 9 and 11). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aot, aotJson, aotPath, cleanEnv } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { gitIn } from "../../support/git.ts";

const LOOP = {
  id: "small",
  version: "1.0.0",
  phases: [
    { name: "DRAFT", skills: ["write"], required: true },
    { name: "SHIP", skills: ["send"], required: true },
  ],
  gates: [
    { id: "review", afterPhase: "DRAFT", required: true, approvalType: "human", deliverables: ["NOTES.md"] },
    { id: "sent", afterPhase: "SHIP", required: true, approvalType: "auto", deliverables: [] },
  ],
  defaults: { mode: "m" },
};

const ANSWER = `echo '{"success": true, "summary": "did it"}'`;
const WRITES = `command:cat > /dev/null; echo text > NOTES.md; ${ANSWER}`;
const RUN = ["phases", "run", "--set=planner=none"];

async function project(): Promise<{ readonly dir: string; readonly state: string }> {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "loop.json"), JSON.stringify(LOOP));
  expect((await aot(["phases", "init", "loop.json"], { cwd: dir })).code).toBe(0);
  return { dir, state: join(dir, ".claude", "loops", "small.state.json") };
}

test("SPEC 9: outcome, message, exit code and next step agree; who answered is kept", async () => {
  const { dir, state } = await project();
  const waits = await aotJson([...RUN, "--agent", WRITES, "--task", "a letter"], { cwd: dir });
  expect(waits).toMatchObject({
    code: 16,
    json: {
      success: false,
      outcome: "needs_confirmation",
      exit_code: 16,
      state_file: state,
      gate: "review",
      next_step: expect.stringContaining("aot phases approve review"),
      worked: [{ phase: "DRAFT", outcome: "verified", attempts: 1, failures: 0 }],
      phases: { DRAFT: { status: "complete", deliverables: ["NOTES.md"] } },
    },
  });
  expect(waits.err).toContain("phase DRAFT is complete: NOTES.md");
  expect(readFileSync(join(dir, ".claude", "loops", "small.task.md"), "utf8")).toBe("a letter\n");
  const inner = join(dir, ".claude", "loops", "small", "01-DRAFT.md");
  expect((await aotJson(["status", "--state-file", inner], { cwd: dir })).json).toMatchObject({ status: "completed" });
  expect((await aot(["phases", "approve", "review", "--by", "ada"], { cwd: dir })).code).toBe(0);
  const done = await aot([...RUN, "--agent", WRITES], { cwd: dir });
  expect(done.code).toBe(0);
  expect(done.out).toContain("Complete: the loop small is complete");
  expect((await aotJson(["phases", "status"], { cwd: dir })).json).toMatchObject({
    status: "complete",
    answers: [
      { gate: "review", answer: "passed", who: "ada", when: expect.any(String), reason: null },
      { gate: "sent", answer: "passed", who: "check" },
    ],
  });
  expect(await aotJson([...RUN, "--agent", WRITES], { cwd: dir })).toMatchObject({ code: 0, json: { worked: [] } });
});

test("checks of the configuration and of the flag count; one that cannot be read is bad usage", async () => {
  const { dir } = await project();
  writeFileSync(join(dir, "aot.config.yaml"), 'gate_checks: ["sent: test -f CONFIGURED"]\n');
  await aot([...RUN, "--agent", WRITES], { cwd: dir });
  await aot(["phases", "approve", "review"], { cwd: dir });
  const failed = await aotJson([...RUN, "--agent", WRITES, "--check", "sent: test -f GIVEN"], { cwd: dir });
  expect(failed).toMatchObject({ code: 16, json: { gate: "sent", gates: { sent: { status: "failed" } } } });
  expect(failed.json["message"]).toMatch(/CONFIGURED.*GIVEN/s);
  for (const words of [
    ["--check", "sent"],
    ["--autonomy", "much"],
    ["--retry", "--restart"],
  ])
    expect(await aotJson([...RUN, "--agent", WRITES, ...words], { cwd: dir })).toMatchObject({ code: 2 });
});

test("SPEC 6, 9: where nobody decided a phase's assertion, --accept assertions is not offered for a run; what is offered helps", async () => {
  const dir = temporaryFolder();
  const aotLoop = {
    goal: "Be nice",
    background_intent: "the test",
    deliverables: "text",
    definition_of_done: "nice",
    base_case: { type: "assertion", value: "it is nice" },
  };
  const phases = [{ name: "DRAFT", skills: ["write"], required: true, aot: aotLoop }];
  writeFileSync(join(dir, "loop.json"), JSON.stringify({ ...LOOP, phases, gates: [] }));
  expect((await aot(["phases", "init", "loop.json"], { cwd: dir })).code).toBe(0);
  const run = [...RUN, "--agent", WRITES, "--judge", "none"];
  const steps: string[] = [];
  for (const confirm of [[], ["--accept=assertions"]]) {
    const { code, json } = await aotJson([...run, ...confirm], { cwd: dir });
    expect(code).toBe(16);
    steps.push(String(json["next_step"]));
  }
  for (const step of steps) {
    expect(step, "another judge stands in the place of the one that was named").toMatch(
      /^have a judge decide with `aot phases run [^`]*--judge AGENT`/,
    );
    expect(step).not.toContain("--judge none --judge");
    expect(step).not.toMatch(/`aot phases run[^`]*--accept/);
  }
  const [, decide = ""] = /`aot (state set-status completed --confirm [^`]*)`/.exec(steps[0] ?? "") ?? [];
  expect((await aot(decide.split(" "), { cwd: dir })).code, decide).toBe(0);
  const { code, json } = await aotJson(run, { cwd: dir });
  expect(code).toBe(16);
  const [, take = ""] = /^git (.*), then/.exec(String(json["next_step"])) ?? [];
  gitIn(dir, ...take.split(" "));
  expect(await aot(run, { cwd: dir })).toMatchObject({ code: 0 });
});

test("SPEC 9: a phase that was stopped says where, and once why", async () => {
  const { dir } = await project();
  const fails = `command:cat > /dev/null; echo '{"success": false, "summary": "no"}'`;
  const spent = await aot([...RUN, "--agent", fails, "--max-iterations", "1"], { cwd: dir });
  expect(spent.code).toBe(12);
  expect(spent.out).toMatch(/^Stopped in the phase DRAFT: the iterations are spent \(1 of at most 1\), 1 atom left/m);
});

/** An agent that says where it is and works until the file `go` is there. */
function slow(dir: string): string {
  const program = join(dir, "agent.sh");
  writeFileSync(
    program,
    `cat > /dev/null\necho $$ > ${dir}/pid.part; mv ${dir}/pid.part ${dir}/pid\nuntil [ -e ${dir}/go ]; do sleep 0.05; done\necho text > NOTES.md\n${ANSWER}\n`,
  );
  return `command:sh ${program}`;
}

test.skipIf(process.platform === "win32")(
  "SPEC 8: Ctrl-C finishes the attempts in flight, a second one kills",
  async () => {
    for (const presses of [1, 2]) {
      const { dir } = await project();
      const signs = temporaryFolder();
      const child = spawn(process.execPath, [aotPath(), ...RUN, "--agent", slow(signs), "--json"], {
        cwd: dir,
        env: cleanEnv(),
        stdio: ["ignore", "pipe", "ignore"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      const closed = once(child, "close");
      await eventually("the agent works", () => existsSync(join(signs, "pid")), 60_000);
      const pid = Number(readFileSync(join(signs, "pid"), "utf8"));
      child.kill("SIGINT");
      if (presses === 1) writeFileSync(join(signs, "go"), "");
      else child.kill("SIGTERM");
      expect((await closed)[0]).toBe(10);
      expect(JSON.parse(out)).toMatchObject({ outcome: "stop_requested", phases: { DRAFT: { status: "active" } } });
      const status = (await aot(["phases", "status"], { cwd: dir })).out;
      expect(status).toContain(
        `its loop: \`aot status --state-file ${join(".claude", "loops", "small", "01-DRAFT.md")}\``,
      );
      expect(isAlive(pid)).toBe(false);
      writeFileSync(join(signs, "go"), "");
      expect(await aotJson([...RUN, "--agent", slow(signs)], { cwd: dir })).toMatchObject({
        code: 16,
        json: { gate: "review" },
      });
    }
  },
);

test("SPEC 9: the name of a gate that holds a blank is in quotes in the next step", async () => {
  const { dir } = await project();
  const [first, ...others] = LOOP.gates;
  writeFileSync(
    join(dir, "wide.json"),
    JSON.stringify({ ...LOOP, id: "wide", gates: [{ ...first, id: "my gate" }, ...others] }),
  );
  expect((await aot(["phases", "init", "wide.json"], { cwd: dir })).code).toBe(0);
  const waits = await aotJson([...RUN, "--loop", "wide", "--agent", WRITES], { cwd: dir });
  expect(waits.json["next_step"]).toContain('`aot phases approve "my gate" --loop wide`');
});

test("SPEC 9: where several loops are, the next step says which, and with which agent", async () => {
  const { dir } = await project();
  writeFileSync(join(dir, "other.json"), JSON.stringify({ ...LOOP, id: "other" }));
  expect((await aot(["phases", "init", "other.json"], { cwd: dir })).code).toBe(0);
  const run = [...RUN, "--loop", "small", "--agent", WRITES];
  const waits = await aotJson(run, { cwd: dir });
  expect(waits.json["next_step"]).toContain("`aot phases approve review --loop small`");
  expect(waits.json["next_step"]).toMatch(/`aot phases run --agent 'command:cat .* --set planner=none --loop small`/);
  const status = await aot(["phases", "status", "--loop", "small"], { cwd: dir });
  expect(status.out).toContain("`aot phases approve review --loop small`");
  const answered = await aot(["phases", "approve", "review", "--loop", "small"], { cwd: dir });
  expect(answered.out).toContain("`aot phases start --loop small`");
});

test.skipIf(process.platform === "win32")("--detach: it goes on by itself; `pause` ends it", async () => {
  const { dir, state } = await project();
  const signs = temporaryFolder();
  const started = await aotJson([...RUN, "--agent", slow(signs), "--detach"], { cwd: dir });
  const pid = Number(started.json["pid"]);
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
  expect(started).toMatchObject({
    code: 0,
    json: { started: true, next_step: expect.stringContaining("phases pause") },
  });
  await eventually("the agent works", () => existsSync(join(signs, "pid")), 60_000);
  expect(await aotJson(["phases", "reject", "review", "--reason", "r"], { cwd: dir })).toMatchObject({ code: 1 });
  expect(await aotJson(["phases", "pause"], { cwd: dir })).toMatchObject({ code: 0, json: { via: "runner" } });
  writeFileSync(join(signs, "go"), "");
  await eventually("it ended", () => !isAlive(pid), 60_000);
  expect(JSON.parse(readFileSync(state, "utf8"))).toMatchObject({ status: "paused" });
});
