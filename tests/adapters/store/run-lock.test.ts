import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { holdRunLock, runnerOf } from "../../../src/adapters/store/run-lock.ts";
import { bundleFixture, startWorker, temporaryFolder } from "../../support/bundle.ts";

let program = "";
beforeAll(async () => {
  program = await bundleFixture("store/runner.ts");
});

function project(): string {
  const folder = join(temporaryFolder(), ".claude");
  mkdirSync(folder);
  const state = join(folder, "aot-loop-state.md");
  writeFileSync(state, "");
  return state;
}

test("SPEC 8: one runner per state file; a second learns who holds it", async () => {
  const state = project();
  expect(runnerOf(state)).toBeNull();
  const runner = startWorker(program, state);
  expect(await runner.line()).toBe("running after_crash=false");
  expect(runnerOf(state)).toMatchObject({ pid: runner.pid, what: "aot run" });
  const second = holdRunLock(state);
  expect(second).toMatchObject({ ok: false, holder: { pid: runner.pid } });
  if (!second.ok)
    expect(`${second.message}; ${second.hint}`).toMatch(
      new RegExp(`is being worked by pid ${runner.pid} on host .* since .*aot stop`),
    );
  runner.say("end");
  await runner.ended();
  expect(runnerOf(state)).toBeNull();
});

test("SPEC 8: after a crash the next runner takes over, knows it, and leaves no trace", async () => {
  const state = project();
  const runner = startWorker(program, state);
  await runner.line();
  runner.kill();
  await runner.ended();
  expect(runnerOf(state)).toBeNull();
  const next = startWorker(program, state);
  expect(await next.line()).toBe("running after_crash=true");
  next.say("end");
  await next.ended();
  expect(readdirSync(join(state, "..", "aot-loop"))).toEqual([]);
});

test("SPEC 8: what the runner that died left half written is removed, what is young or another's stays", async () => {
  const state = project();
  const runner = startWorker(program, state);
  await runner.line();
  runner.kill();
  await runner.ended();
  const dir = join(state, "..", "aot-loop");
  const old = [
    `${state}.${runner.pid}-3.tmp`,
    ...["name", "checkout.json", "guardian"].map((name) => join(dir, `${name}.${runner.pid}-0.tmp`)),
    `${state}.lock.abc-mf3k2j1a-00000000bb.tmp`,
  ];
  const kept = [`${state}.${process.pid}-3.tmp`, `${state}.backup`, `${state}.${runner.pid}-4.tmp`];
  kept.unshift(join(dir, `name.${process.pid}-0.tmp`), join(dir, `.${runner.pid}-0.tmp`));
  for (const file of [...old, ...kept]) writeFileSync(file, "");
  for (const file of [...old, ...kept.slice(0, -1)]) utimesSync(file, 1, 1);
  const lock = holdRunLock(state);
  expect(lock).toMatchObject({ ok: true, after_crash: true });
  expect(old.filter((file) => existsSync(file))).toEqual([]);
  expect(kept.filter((file) => existsSync(file))).toEqual(kept);
  if (lock.ok) lock.release();
});

test.skipIf(process.platform === "win32")("two names of one state file are one loop", () => {
  const state = project();
  const link = join(temporaryFolder(), "link.md");
  symlinkSync(state, link);
  const first = holdRunLock(link);
  expect(first.ok).toBe(true);
  expect(runnerOf(state)).toMatchObject({ pid: process.pid });
  expect(holdRunLock(state).ok).toBe(false);
  if (first.ok) first.release();
  expect(runnerOf(link)).toBeNull();
});

test("two state files in one folder run side by side", () => {
  const state = project();
  const [one, other] = [holdRunLock(state), holdRunLock(join(state, "..", "other.md"))];
  expect([one.ok, other.ok]).toEqual([true, true]);
  if (one.ok) one.release();
  if (other.ok) other.release();
});

test("a folder that cannot be made is a value with the next step", () => {
  const state = project();
  writeFileSync(join(state, "..", "aot-loop"), "");
  expect(holdRunLock(state)).toMatchObject({
    ok: false,
    holder: null,
    message: expect.stringContaining("cannot make the folder"),
  });
});
