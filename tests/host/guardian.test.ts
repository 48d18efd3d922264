import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "rolldown";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { startGuardian } from "../../src/host/guardian.ts";
import { isAlive, runGroup, setGuardian } from "../../src/host/process.ts";
import { pidsIn, program, reapLater, until } from "../fixtures/programs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const posix = process.platform !== "win32";
const linux = process.platform === "linux";

// Bundled and minified like the command line, so that the guardian is shown to start from a bundle.
let folder = "";
let bundle = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "aot-guardian-"));
  bundle = join(folder, "runner.cjs");
  await build({
    input: program("guarded-runner.ts"),
    platform: "node",
    output: { file: bundle, format: "cjs", minify: true },
    logLevel: "silent",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Runner {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly guardian: () => number;
}
function runner(mode: string, what: string): Runner {
  const child = spawn(process.execPath, [bundle, mode, program(what)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, said: () => text, guardian: () => Number(/guardian (\d+)/.exec(text)?.[1]) };
}

test.runIf(posix)(
  "SPEC 7: no agent outlives a loop that is SIGKILLed, not by setsid and not by ignoring SIGTERM",
  async () => {
    const { child, said, guardian } = runner("killed", "forks.mjs");
    await until(() => said().includes("ready"), "the runner's programs");
    const pids = pidsIn(said());
    reapLater([...pids, guardian()]);
    expect(pids).toHaveLength(3);
    expect(pids.every(isAlive)).toBe(true);
    child.kill("SIGKILL");
    const mine = linux ? pids : [pids[0] ?? 0, pids[2] ?? 0];
    await until(() => !mine.some(isAlive), "the death of the orphans");
    await until(() => !isAlive(guardian()), "the guardian's own end");
  },
);

test.runIf(posix)(
  "SPEC 7: a loop that exits in the middle of a run takes its groups along, even without a guardian",
  async () => {
    const { child, said } = runner("exits", "forks.mjs");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await until(() => said().includes("ready"), "the runner's programs");
    const pids = pidsIn(said());
    reapLater(pids);
    expect(await ended).toBe(0);
    const mine = linux ? pids : [pids[0] ?? 0, pids[2] ?? 0];
    // Killed before the exit; dying takes the system a moment longer.
    await until(() => !mine.some(isAlive), "the death of the group");
  },
);

test.runIf(posix).each(["closed", "forgotten"])("a group that is %s is left alone when the loop dies", async (mode) => {
  const { child, said, guardian } = runner(mode, "hangs.mjs");
  await until(() => pidsIn(said()).length === 1, "the program");
  const pids = pidsIn(said());
  reapLater([...pids, guardian()]);
  child.kill("SIGKILL");
  await until(() => !isAlive(guardian()), "the guardian's end");
  expect(pids.every(isAlive)).toBe(true);
});

test("a guardian keeps neither the loop alive nor itself once the loop is gone", async () => {
  const { child, guardian } = runner("idle", "hangs.mjs");
  expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
  await until(() => guardian() > 1 && !isAlive(guardian()), "the guardian's end");
});

test("a guardian that cannot be started breaks nothing", async () => {
  const { execPath } = process;
  process.execPath = join(folder, "no-such-node");
  const guardian = startGuardian();
  process.execPath = execPath;
  onTestFinished(() => setGuardian(null));
  setGuardian(guardian);
  expect(guardian.pid).toBeNull();
  expect(await runGroup({ command: execPath, args: ["-e", "0"], cwd: folder })).toMatchObject({ exit_code: 0 });
  guardian.close();
});

test.runIf(posix)("a guardian that was killed breaks nothing", async () => {
  const guardian = startGuardian();
  onTestFinished(() => setGuardian(null));
  setGuardian(guardian);
  const pid = guardian.pid ?? 0;
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(pid), "the guardian's end");
  for (let i = 0; i < 3; i++)
    expect(await runGroup({ command: process.execPath, args: ["-e", "0"], cwd: folder })).toMatchObject({
      exit_code: 0,
    });
  guardian.close();
});
