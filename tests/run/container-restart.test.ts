/** A container that is killed, and the next one of the same folder (SPEC sections 2 and 8). Real processes in PID namespaces. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aotPath, cleanEnv, NO_SANDBOX } from "../support/aot.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { commitAll } from "../support/git.ts";
import { inContainer, needsContainers } from "../support/container.ts";

const LIMIT_MS = 120_000;
const HERE = cleanEnv({ HOME: "/nonexistent", AOT_SANDBOX: NO_SANDBOX.sandbox.setting });

function project(): string {
  const dir = temporaryFolder();
  commitAll(dir);
  return dir;
}

test.each(["first", "second"])(
  "SPEC 8: the run of a killed container is taken over by the next, whose host name is %s, and not while it lives",
  { timeout: LIMIT_MS },
  (host) => restart(host),
);

async function restart(host: string): Promise<void> {
  needsContainers();
  const dir = project();
  const begun = join(temporaryFolder(), "begun");
  const inside = (name: string, ...args: string[]): readonly [string, string[]] => {
    const [program = "", ...rest] = inContainer(name, [process.execPath, aotPath(), ...args]);
    return [program, rest];
  };
  const agent = (command: string): string[] => ["--agent", `command:${command}`];
  const run = ["run", "--check", "file: made.txt", ...agent(`touch ${begun}; sleep 100`), "--yes"];
  const first = spawn(...inside("first", ...run), { cwd: dir, env: HERE, stdio: "ignore" });
  onTestFinished(() => void first.kill("SIGKILL"));
  await eventually("its agent works", () => existsSync(begun), LIMIT_MS);

  const next = (...args: string[]): { readonly code: number | null; readonly text: string } => {
    const ran = spawnSync(...inside(host, ...args), { cwd: dir, env: HERE, encoding: "utf8", timeout: LIMIT_MS });
    return { code: ran.status, text: ran.stdout + ran.stderr };
  };
  expect(next("run", ...agent("touch made.txt")).text).toMatch(/is being worked by pid .* on host first/);
  expect(next("doctor").text).toMatch(/✓ run lock +held by/);

  const ended = new Promise((resolve) => first.once("exit", resolve));
  first.kill("SIGKILL");
  await ended;
  await eventually("doctor says what happens", () => /✓ run lock +left by.*takes it over/.test(next("doctor").text));
  const ran = next("run", ...agent("touch made.txt"));
  expect(ran.code, ran.text).toBe(0);
}
