import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { aotProcess } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { bash, say, withPlugin, type SetStage, type Stage } from "./plugin-client.ts";
import { cast } from "./plugin-play.ts";
import { loopText } from "./plugin-states.ts";

withPlugin(suite);

function suite(stage: SetStage): void {
  const run = promisify(execFile);

  const cli = ({ client, home, env }: Stage, ...args: readonly string[]): Promise<{ readonly stdout: string }> =>
    run(client, args, { cwd: home, env, timeout: 60_000 });

  describe("SPEC 10: the plugin as it is installed", { timeout: 180_000 }, () => {
    test("the client's own validation is clean, strictly, also as a directory's entry", async () => {
      const place = await stage();
      for (const args of [
        ["--strict", place.plugin],
        ["--strict", dirname(place.plugin)],
        // It would like an icon.
        ["--profile", "directory", place.plugin],
      ]) {
        const { stdout } = await cli(place, "plugin", "validate", "--json", ...args);
        expect(JSON.parse(stdout)).toMatchObject({ success: true, manifest: { errors: [], warnings: [] } });
      }
    });

    test("from a checkout: marketplace add, install, and a loop that reaches its verdict with what was installed", async () => {
      const place = await stage(loopText({ atoms: [["A1"]], check: "test -f A1.txt" }));
      await cli(place, "plugin", "marketplace", "add", dirname(place.plugin));
      await cli(place, "plugin", "install", "aot-loop@aot-loop");
      expect((await cli(place, "plugin", "list")).stdout).toContain("aot-loop@aot-loop");
      place.play(cast());
      const { stdout } = await run(place.client, ["-p", "/aot-loop:enter-recursion", "--output-format", "json"], {
        cwd: place.dir,
        env: place.env,
        timeout: 150_000,
      });
      expect(stdout).toContain("MAIN DONE");
      expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified" });
    });

    test("in the session aot is the plugin's own, although another one comes earlier on the PATH", async () => {
      const other = temporaryFolder();
      writeFileSync(join(other, "aot"), "#!/bin/sh\necho OTHER\n", { mode: 0o755 });
      const path = `${other}${delimiter}${process.env["PATH"] ?? ""}`;
      const place = await stage(null, { env: { PATH: path } });
      let heard = "";
      place.play(({ isResult, last }) => {
        if (isResult) heard = last;
        return isResult ? say("DONE") : bash("aot --version");
      });
      await place.claude("go", "--allowedTools", "Bash");
      expect(heard).toMatch(/^\d+\.\d+\.\d+/);
    });

    test("/align writes a state file, and --headless works it outside the session, whose end it outlives", async () => {
      const unattended = await stage();
      const place = await stage(null, { env: { AOT_DECISIONS: "allow" } });
      writeFileSync(join(place.dir, "worker.mjs"), WORKER);
      const align =
        'aot align "The file is there" --check "file: made.txt" --atom "A1: make it" --background why --deliverables it --done "it is there" --yes';
      for (const { play } of [unattended, place])
        play(cast({ main: ({ turn }) => [bash(align)][turn] ?? say("ALIGNED") }));
      // A goal is the person's decision: where nobody can be asked it has to be allowed.
      const allowed = ["--allowedTools", "Bash(aot align:*)"];
      await unattended.claude("/aot-loop:align The file is there", ...allowed);
      expect(existsSync(unattended.state)).toBe(false);
      await place.claude("/aot-loop:align The file is there", ...allowed);
      expect(existsSync(place.state)).toBe(true);
      place.play(
        cast({
          main: ({ turn }) =>
            [bash(`aot run --detach --agent 'command:"${process.execPath}" worker.mjs'`)][turn] ?? say("MAIN DONE"),
        }),
      );
      await place.claude("/aot-loop:run --headless", "--allowedTools", "Bash(aot run:*)");
      expect(place.read()).toContain("status: running");
      writeFileSync(join(place.dir, "go"), "");
      expect(aotProcess(["attach"], { cwd: place.dir }).code).toBe(0);
      expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified" });
      expect(place.scenes.every(({ who }) => who === "main")).toBe(true);
    });
  });
}

/** Works when the session is over, or gives up. */
const WORKER = `import { existsSync, writeFileSync } from "node:fs";
for (let tries = 0; !existsSync("go") && tries < 1200; tries++) await new Promise((then) => setTimeout(then, 50));
if (!existsSync("go")) process.exit(1);
writeFileSync("made.txt", "made");
console.log(JSON.stringify({ success: true, summary: "made it", artifacts: ["made.txt"] }));
`;
