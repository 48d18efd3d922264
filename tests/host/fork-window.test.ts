/** Between a program's fork and its own session: what a Ctrl-C, or the death of the loop, does there (SPEC sections 7 and 8). */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { isAlive } from "../../src/host/process.ts";
import { reapLater, until } from "../fixtures/programs.ts";
import { bundleFixture } from "../support/bundle.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const linux = process.platform === "linux";
let starts = "";
beforeAll(async () => {
  starts = await bundleFixture("programs/starts.ts");
});

/** A runner that leads a group of its own, as one does on a terminal. */
function runner(...args: readonly string[]): {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly said: () => string;
} {
  const child = spawn(process.execPath, [starts, ...args], { detached: true, stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, said: () => text };
}

const STARTS = 60;
/** Two bursts are no more than a start is tried again. */
const BURST = 5;

test.runIf(linux)(
  "SPEC 8, PROCESS-5: a Ctrl-C ends no program that was just being started, and none gets its input twice",
  async () => {
    const { child, said } = runner(String(STARTS));
    const closed = once(child, "close");
    let bursts = 0;
    while (child.exitCode === null && child.signalCode === null && !said().includes("done")) {
      const begun = said().match(/^start$/gm)?.length ?? 0;
      if (begun > bursts) {
        bursts++;
        for (let left = BURST; left > 0; left--) {
          process.kill(-(child.pid ?? 0), "SIGINT");
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    child.stdin.end();
    expect(await closed).toEqual([0, null]);
    const ends = JSON.parse(said().trim().split("\n").at(-2) ?? "[]") as object[];
    expect(ends).toEqual(Array.from({ length: STARTS }, () => ({ exit_code: 0, signal: null, stdout: "heard" })));
    expect(bursts).toBeGreaterThan(STARTS / 2);
  },
);

test.runIf(linux)(
  "SPEC 7: a program that a loop was just starting when it was SIGKILLed is ended, however late it begins",
  async () => {
    const { child, said } = runner("expecting");
    await until(() => said().includes("mark"), "the runner");
    const [, guardian = "", mark = ""] = /guardian (\d+)\nmark (\S+)/.exec(said()) ?? [];
    child.kill("SIGKILL");
    await once(child, "exit");
    // As the child of the fork is, once it runs its own program: in a session of its own, known by its mark alone.
    const late = spawn("/bin/sh", ["-c", "exec sleep 600"], {
      detached: true,
      stdio: "ignore",
      env: { AOT_GROUP: `${mark}1` },
    });
    const pid = late.pid ?? 0;
    reapLater([pid, Number(guardian)]);
    await once(late, "exit");
    expect(late.signalCode).toBe("SIGTERM");
    await until(() => !isAlive(Number(guardian)), "the guardian's own end");
  },
);

test.runIf(linux)("SPEC 7: SIGKILL at any moment of many starts leaves no program behind", async () => {
  for (let round = 0; round < 4; round++) {
    const { child, said } = runner("sleepers");
    await until(() => said().includes("mark"), "the runner");
    const [, guardian = "", mark = ""] = /guardian (\d+)\nmark (\S+)/.exec(said()) ?? [];
    reapLater([Number(guardian)]);
    for (let turns = round * 90; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
    await until(() => !isAlive(Number(guardian)), "the guardian's own end", 30_000);
    expect(carrying(mark)).toEqual([]);
  }
});

/** Living processes whose environment holds this mark. */
function carrying(mark: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return (
        /^\d+$/.test(name) && isAlive(Number(name)) && readFileSync(`/proc/${name}/environ`, "latin1").includes(mark)
      );
    } catch {
      return false;
    }
  });
}
