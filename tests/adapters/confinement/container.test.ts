/** A container's life, and what others of the machine see of it (SPEC section 15). */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createContainer } from "../../../src/adapters/confinement/container.ts";
import { runGroup, type GroupOptions } from "../../../src/host/process.ts";
import { runInPlace } from "../../../src/loop/run-in-place.ts";
import { bundleFixture, temporaryFolder } from "../../support/bundle.ts";
import { testImage, type TestImage } from "../../support/container-image.ts";

const LIMIT_MS = 90_000;

/** The folder's name has what a list of mounts is separated by. */
function scene(): {
  readonly root: string;
  readonly from: TestImage;
  readonly place: ReturnType<typeof createContainer>;
} {
  const from = testImage(temporaryFolder());
  const root = join(temporaryFolder(), 'a,b"c');
  mkdirSync(root);
  const options = { root, home: root, own: [], allow_write: [], allow_domains: [], hidden: [], limits: {} };
  const place = createContainer(from.engine, from.image, { ...options, allow_env: ["MY_KEY"] });
  onTestFinished(() => place.close());
  return { root, from, place };
}

/** Those that are there still, running or not. */
function containersOf({ engine, env }: TestImage, runner: number): string {
  return execFileSync(engine, ["ps", "--all", "--filter", `name=aot-aot-places-${runner}-`, "--format", "{{.Names}}"], {
    env,
    encoding: "utf8",
  });
}

async function gone(from: TestImage, runner: number): Promise<void> {
  for (let look = 0; look < 100 && containersOf(from, runner) !== ""; look++) await wait(100);
  expect(containersOf(from, runner)).toBe("");
}

test(
  "CONTAINER-1: a program that is deaf to SIGTERM ends at its time limit, and so does its container",
  { timeout: LIMIT_MS },
  async () => {
    const { root, from, place } = scene();
    const command = `trap "" TERM; echo running; while :; do sleep 1; done`;
    const entered = await place.enter(
      { command, shell: true, cwd: root, env: from.env },
      { user: "check", writes: true },
    );
    if (!entered.ok) throw new Error(entered.reason);
    let during = "";
    const ran = await runGroup({
      ...entered.start,
      timeout_ms: 4_000,
      grace_ms: 200,
      onStdout: () => (during = containersOf(from, process.pid)),
    });
    expect(ran).toMatchObject({ timed_out: "absolute", exit_code: null, stdout: "running\n" });
    expect(during).not.toBe("");
    await entered.leave(true);
    await gone(from, process.pid);
  },
);

test("CONTAINER-1: a container ends with a runner that is killed", { timeout: LIMIT_MS }, async () => {
  const { root, from } = scene();
  const program = await bundleFixture("confinement/container-run.ts");
  const runner = spawn(process.execPath, [program, from.engine, from.image, root], {
    env: from.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = runner.pid ?? 0;
  await once(runner.stdout, "data");
  expect(containersOf(from, pid)).not.toBe("");
  runner.kill("SIGKILL");
  await gone(from, pid);
});

test(
  "CONTAINER-2: a program has the variables that a person allows, and no command line has their values",
  { timeout: LIMIT_MS },
  async () => {
    const { root, from, place } = scene();
    const env = { ...from.env, MY_KEY: "hush", PATH: process.env["PATH"] };
    const confinement = {
      ...place,
      kind: "container" as const,
      summary: "",
      refusals: new Map<string, readonly string[]>(),
    };
    const given: GroupOptions & { readonly env: typeof env } = {
      command: 'echo "$MY_KEY $HOME"; echo 1 >made; echo 2 >"$HOME/kept"',
      shell: true,
      cwd: root,
      env,
    };
    const use = { user: "command" as const, writes: true, call: "one" };
    expect(await runInPlace(given, use, confinement)).toMatchObject({ exit_code: 0, stdout: "hush /home/aot\n" });
    const again = await runInPlace({ ...given, command: 'cat made "$HOME/kept"' }, use, confinement);
    expect(again).toMatchObject({ exit_code: 0, stdout: "1\n2\n" });
    const entered = await place.enter({ ...given, env }, use);
    if (!entered.ok) throw new Error(entered.reason);
    expect(entered.start.args?.join(" ")).not.toContain("hush");
    await entered.leave(false);
  },
);
