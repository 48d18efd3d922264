/** A run that outlives whoever started it, and those who watch (SPEC sections 8 and 9). Real processes and terminals. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readDetached } from "../../src/run/detach.ts";
import { isAlive } from "../../src/host/process.ts";
import { aot, aotJson, aotPath, documentOf } from "../support/aot.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { lookOn, waitingAgent, type Observer, type WaitingAgent } from "../support/detached.ts";
import { onTerminal, whyNoTerminal } from "../support/terminal.ts";

const LIMIT_MS = 40_000;

interface Scene extends Pick<WaitingAgent, "go" | "begun"> {
  readonly dir: string;
  readonly stateFile: string;
  /** The words behind `aot run`. */
  readonly flags: readonly string[];
}

/** A loop of two atoms in a row. */
async function scene(): Promise<Scene> {
  const dir = temporaryFolder();
  const { command, ...signs } = waitingAgent("made.txt", "made it");
  const atoms = ["--atom", "A1: First", "--atom", "A2: Second <- A1"];
  const aligned = await aot(["align", "Make it", "--check", "file: made.txt", ...atoms, "--yes"], { cwd: dir });
  if (aligned.code !== 0) throw new Error(aligned.err);
  const stateFile = join(dir, ".claude", "aot-loop-state.md");
  onTestFinished(() => endRun(stateFile));
  return { dir, stateFile, flags: ["--agent", command], ...signs };
}

/** By its id; a test that failed may have left it. */
function endRun(stateFile: string): void {
  const record = readDetached(stateFile);
  if (record === null || record.end !== undefined || !isAlive(record.pid)) return;
  process.kill(record.pid, "SIGKILL");
}

async function detach({ dir, flags }: Scene): Promise<{ readonly pid: number; readonly log: string }> {
  const { code, json, err } = await aotJson(["run", "--detach", ...flags], { cwd: dir });
  expect(code, err).toBe(0);
  expect(json).toMatchObject({ success: true, started: true, pid: expect.any(Number), log: expect.any(String) });
  return json as unknown as { pid: number; log: string };
}

function attach({ dir }: Scene, ...flags: readonly string[]): Observer {
  return lookOn(dir, ["attach", ...flags]);
}

test("SPEC 8, DETACH-1, DETACH-2: a detached run outlives its parent; two watch, and all three end alike; the receipt stays", async () => {
  const here = await scene();
  const { pid, log } = await detach(here);
  await eventually("its agent works", () => here.begun("A1"), LIMIT_MS);
  expect(isAlive(pid), "the command that started it is gone").toBe(true);

  const again = await aotJson(["run", "--detach", ...here.flags], { cwd: here.dir });
  expect(again.code).toBe(1);
  expect(JSON.stringify(again.json)).toContain(`being worked by pid ${pid}`);
  expect(JSON.stringify(again.json)).toContain("aot attach");

  const [one, two] = [attach(here), attach(here, "--json")];
  await eventually("the first sees what was before it", () => /A1 .*started/.test(one.heard()), LIMIT_MS);
  here.go("A1");
  await eventually("and what comes", () => /A1 resolved/.test(one.heard()), LIMIT_MS);
  here.go("A2");
  const [first, second] = [await one.ended(), await two.ended()];
  expect([first.code, second.code]).toEqual([0, 0]);
  expect(first.out.match(/A1 resolved/g), "each line once").toHaveLength(1);
  expect(first.out).toContain("Verified: the base case holds");
  expect(documentOf({ ...second })).toMatchObject({ success: true, outcome: "verified", exit_code: 0, attempts: 2 });

  expect(readDetached(here.stateFile)).toMatchObject({
    pid,
    log,
    end: { exit_code: 0, document: { outcome: "verified" } },
  });
  expect(readFileSync(log, "utf8")).toContain("Verified: the base case holds");
  const later = await aot(["attach"], { cwd: here.dir });
  expect([later.code, later.out.includes("Verified: the base case holds")]).toEqual([0, true]);
});

test("SPEC 8: aot stop ends a detached run; whoever watches ends with its exit code; the next one is a new record", async () => {
  const here = await scene();
  await detach(here);
  await eventually("its agent works", () => here.begun("A1"), LIMIT_MS);
  const observer = attach(here);
  await eventually("looking on", () => observer.heard() !== "", LIMIT_MS);
  expect((await aot(["stop", "enough for today"], { cwd: here.dir })).code).toBe(0);
  here.go("A1");
  const end = await observer.ended();
  expect([end.code, end.out.includes("Stopped on request")]).toEqual([10, true]);
  here.go("A2");
  const { pid } = await detach(here);
  expect((await aot(["attach"], { cwd: here.dir })).code).toBe(0);
  expect(readDetached(here.stateFile)).toMatchObject({ pid, end: { exit_code: 0 } });
});

test("SPEC 8: a detached run that is killed is reported as dead, and gone on with", async () => {
  const here = await scene();
  const { pid } = await detach(here);
  await eventually("its agent works", () => here.begun("A1"), LIMIT_MS);
  const observer = attach(here);
  await eventually("looking on", () => observer.heard() !== "", LIMIT_MS);
  process.kill(pid, "SIGKILL");
  const end = await observer.ended();
  expect([end.code, end.err]).toEqual([
    1,
    expect.stringMatching(/ended without a message: it was killed[^]*`aot run` goes on/),
  ]);
  here.go("A1");
  here.go("A2");
  const next = await aot(["run", ...here.flags], { cwd: here.dir });
  expect(next.code, next.err).toBe(0);
  expect((await aot(["attach"], { cwd: here.dir })).code, "the newest run counts, whoever started it").toBe(0);
});

test("SPEC 9: what cannot begin is reported at once, by --detach itself; where nobody ever ran attach says so", async () => {
  const here = await scene();
  const none = await aot(["attach"], { cwd: here.dir });
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("aot run --detach")]);
  const wrong = await aot(["run", "--detach", "--agent", "clod"], { cwd: here.dir });
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("clod")]);
});

const why = whyNoTerminal();
describe.skipIf(why !== null)(`on a pseudo-terminal${why === null ? "" : ` (skipped: ${why})`}`, () => {
  test("SPEC 8: a detached run outlives its terminal; Ctrl-C at attach leaves it running", async () => {
    const here = await scene();
    const start = onTerminal([process.execPath, aotPath(), "run", "--detach", ...here.flags], here.dir);
    expect(await start.ended(), "its terminal is gone now").toBe(0);
    await eventually("its agent works", () => here.begun("A1"), LIMIT_MS);
    const { pid } = readDetached(here.stateFile) ?? { pid: -1 };

    const look = onTerminal([process.execPath, aotPath(), "attach"], here.dir);
    await eventually("the region", () => look.screen.rows().some((row) => row.includes("1 running")), LIMIT_MS);
    look.type("\u0003");
    expect(await look.ended()).toBe(0);
    expect(look.screen.rows().join("\n")).toMatch(/goes on/);
    expect(isAlive(pid)).toBe(true);

    here.go("A1");
    here.go("A2");
    const end = await aotJson(["attach"], { cwd: here.dir });
    expect([end.code, end.json]).toEqual([0, expect.objectContaining({ outcome: "verified" })]);
  });
});
