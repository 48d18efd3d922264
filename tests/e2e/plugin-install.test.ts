import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import { aotProcess } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { sessionEnvironment } from "./claude-client.ts";
import { removeFolder, withClient } from "./clients.ts";
import { bash, say, stage, startModel, type Model } from "./plugin-client.ts";
import { cast } from "./plugin-play.ts";
import { loopText } from "./plugin-states.ts";

withClient("claude", suite);

function suite(client: string): void {
  const run = promisify(execFile);
  let model: Model;
  let staged: string;
  beforeAll(async () => {
    staged = await stagePlugin();
    model = await startModel();
  });
  afterAll(() => model.stop());

  const freshHome = (): string => {
    const home = mkdtempSync(join(tmpdir(), "aot-home-"));
    onTestFinished(() => removeFolder(home));
    return home;
  };
  const cli = (home: string, ...args: readonly string[]): Promise<{ readonly stdout: string }> =>
    run(client, args, { cwd: home, env: sessionEnvironment(home, model.url), timeout: 60_000 });

  describe("SPEC 10: the plugin as it is installed", { timeout: 180_000 }, () => {
    test("the client's own validation is clean, strictly, also as a directory's entry", async () => {
      for (const args of [
        ["--strict", join(staged, "plugin")],
        ["--strict", staged],
        // It would like an icon.
        ["--profile", "directory", join(staged, "plugin")],
      ]) {
        const { stdout } = await cli(freshHome(), "plugin", "validate", "--json", ...args);
        expect(JSON.parse(stdout)).toMatchObject({ success: true, manifest: { errors: [], warnings: [] } });
      }
    });

    test("from a checkout: marketplace add, install, and a loop that reaches its verdict with what was installed", async () => {
      const place = stage(client, staged, model, loopText({ atoms: [["A1"]], check: "test -f A1.txt" }));
      await cli(place.home, "plugin", "marketplace", "add", staged);
      await cli(place.home, "plugin", "install", "aot-loop@aot-loop");
      expect((await cli(place.home, "plugin", "list")).stdout).toContain("aot-loop@aot-loop");
      model.play(cast());
      const { stdout } = await run(client, ["-p", "/aot-loop:enter-recursion", "--output-format", "json"], {
        cwd: place.dir,
        env: sessionEnvironment(place.home, model.url),
        timeout: 150_000,
      });
      expect(stdout).toContain("MAIN DONE");
      const read = await readStateFile(place.state);
      expect(read).toMatchObject({
        ok: true,
        value: { state: { control: { status: "completed", outcome: "verified" } } },
      });
    });

    test("in the session aot is the plugin's own, although another one comes earlier on the PATH", async () => {
      const other = temporaryFolder();
      writeFileSync(join(other, "aot"), "#!/bin/sh\necho OTHER\n", { mode: 0o755 });
      const path = `${other}${delimiter}${process.env["PATH"] ?? ""}`;
      const place = stage(client, join(staged, "plugin"), model, null, { PATH: path });
      let heard = "";
      model.play(({ isResult, last }) => {
        if (isResult) heard = last;
        return isResult ? say("DONE") : bash("aot --version");
      });
      await place.claude("go", "--allowedTools", "Bash");
      expect(heard).toMatch(/^\d+\.\d+\.\d+/);
    });

    test("/align writes a state file, and --headless works it outside the session, whose end it outlives", async () => {
      const plugin = join(staged, "plugin");
      const unattended = stage(client, plugin, model, null);
      const place = stage(client, plugin, model, null, { AOT_DECISIONS: "allow" });
      writeFileSync(join(place.dir, "worker.mjs"), WORKER);
      const align =
        'aot align "The file is there" --check "file: made.txt" --atom "A1: make it" --background why --deliverables it --done "it is there" --yes';
      model.play(cast({ main: ({ turn }) => [bash(align)][turn] ?? say("ALIGNED") }));
      // A goal is the person's decision: where nobody can be asked it has to be allowed.
      const allowed = ["--allowedTools", "Bash(aot align:*)"];
      await unattended.claude("/aot-loop:align The file is there", ...allowed);
      expect(existsSync(unattended.state)).toBe(false);
      await place.claude("/aot-loop:align The file is there", ...allowed);
      expect(existsSync(place.state)).toBe(true);
      model.play(
        cast({
          main: ({ turn }) =>
            [bash(`aot run --detach --in-place --agent 'command:"${process.execPath}" worker.mjs'`)][turn] ??
            say("MAIN DONE"),
        }),
      );
      await place.claude("/aot-loop:run --headless", "--allowedTools", "Bash(aot run:*)");
      expect(place.read()).toContain("status: running");
      writeFileSync(join(place.dir, "go"), "");
      expect(aotProcess(["attach"], { cwd: place.dir }).code).toBe(0);
      const read = await readStateFile(place.state);
      expect(read).toMatchObject({
        ok: true,
        value: { state: { control: { status: "completed", outcome: "verified" } } },
      });
      expect(model.scenes.every(({ who }) => who === "main")).toBe(true);
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
