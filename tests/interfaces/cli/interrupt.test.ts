/** A command that is ended while it runs checks: what they had not decided by then decides nothing. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aot, aotPath, cleanEnv } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { pidsWritten } from "../../support/pids.ts";

const STATE = join(".claude", "aot-loop-state.md");

/** A check that writes its pid and works until it is ended. */
function lasting(): { readonly check: string; pids(): number[] } {
  const signs = temporaryFolder();
  const script = join(signs, "check.mjs");
  const started = join(signs, "started");
  writeFileSync(
    script,
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(started)}, process.pid + "\\n"); setInterval(() => {}, 1000);`,
  );
  return { check: `"${process.execPath}" ${script}`, pids: () => pidsWritten(started) };
}

async function aligned(dir: string): Promise<void> {
  const ran = await aot(["align", "Make it", "--check", "file: made.txt", "--yes"], { cwd: dir });
  if (ran.code !== 0) throw new Error(ran.err);
}

const agent = `command:"${process.execPath}" -e 0`;
const COMMANDS: readonly (readonly [string, boolean, (check: string) => readonly string[]])[] = [
  ["run GOAL", false, (check) => ["run", "Make it", "--check", check, "--agent", agent, "--yes"]],
  ["align", false, (check) => ["align", "Make it", "--check", check, "--yes"]],
  [
    "redirect set",
    true,
    (check) => ["redirect", "set", "base_case", `{type: command, value: ${JSON.stringify(check)}}`],
  ],
  ["verify command", false, (check) => ["verify", "command", check]],
];

for (const signal of ["SIGINT", "SIGTERM"] as const)
  for (const [name, isAligned, lineOf] of COMMANDS)
    test.skipIf(process.platform === "win32")(
      `${signal} while \`aot ${name}\` runs a check: exit 1, nothing is written or begun, and the check ends`,
      async () => {
        const dir = temporaryFolder();
        if (isAligned) await aligned(dir);
        const before = isAligned ? readFileSync(join(dir, STATE), "utf8") : null;
        const { check, pids } = lasting();
        const child = spawn(process.execPath, [aotPath(), ...lineOf(check)], { cwd: dir, env: cleanEnv() });
        let err = "";
        child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
        const closed = once(child, "close");
        await eventually("the check runs", () => pids().length > 0);
        child.kill(signal);
        expect(await closed).toEqual([1, null]);
        expect(err).toContain("interrupted: nothing was decided or changed");
        expect(pids().filter(isAlive)).toEqual([]);
        expect(isAligned ? readFileSync(join(dir, STATE), "utf8") : existsSync(join(dir, STATE)) || null).toBe(before);
      },
    );

test("a reader who leaves before the run begins does not end it", async () => {
  const dir = temporaryFolder();
  const line = ["run", "Make it", "--check", "file: made.txt", "--yes", "--agent"];
  const makes = `command:"${process.execPath}" -e "require('fs').writeFileSync('made.txt', '')"`;
  const child = spawn(process.execPath, [aotPath(), ...line, makes], { cwd: dir, env: cleanEnv() });
  child.stdout.destroy();
  expect(await once(child, "close")).toEqual([0, null]);
  expect(readdirSync(dir)).toContain("made.txt");
});
