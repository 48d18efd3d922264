/** Each real client as the worker of `aot run`: verified once, in a slot, in the sandbox (SPEC sections 7 and 15). */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { tempFolder } from "../fixtures/programs.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { needs } from "../support/needs.ts";
import { claudeEnvironment } from "./claude-client.ts";
import { codexEnvironment, geminiEnvironment, opencodeEnvironment, scratchHome, withClient } from "./clients.ts";
import { say, suiteModel, use, type Model, type Reply } from "./scripted-model.ts";

const COMMAND = "pwd > made.txt && git update-ref refs/heads/evil HEAD";
const good = { success: true, summary: "made it", artifacts: ["made.txt"] };
const last = say(JSON.stringify(good));

type Environment = (model: Model, home: string) => Record<string, string | undefined>;
const PLAYS: Record<"claude" | "codex" | "gemini" | "opencode", { environment: Environment; replies: Reply[] }> = {
  claude: {
    environment: claudeEnvironment,
    replies: [use("Bash", { command: COMMAND, description: "x" }), use("StructuredOutput", good), say("done")],
  },
  codex: {
    environment: codexEnvironment,
    replies: [use("exec_command", { cmd: COMMAND }), say(JSON.stringify({ ...good, split: null, reason: null }))],
  },
  gemini: {
    environment: geminiEnvironment,
    replies: [use("run_shell_command", { command: COMMAND, description: "x" }), last],
  },
  opencode: { environment: opencodeEnvironment, replies: [use("bash", { command: COMMAND, description: "x" }), last] },
};

for (const name of ["claude", "codex", "gemini", "opencode"] as const)
  withClient(name, (path) => {
    const model = suiteModel();
    test(`${name} is verified in a slot, in the sandbox`, { timeout: 180_000 }, async () => {
      needs("bwrap", "unshare");
      const [home, root] = [scratchHome(), tempFolder()];
      mkdirSync(join(home, "bin"));
      symlinkSync(path, join(home, "bin", name));
      writeFileSync(join(root, "README.md"), "a project\n");
      commitAll(root);
      const { environment, replies } = PLAYS[name];
      model.play(({ results }) => replies[results.length] ?? last);
      const env = {
        ...environment(model, home),
        PATH: `${join(home, "bin")}:${process.env["PATH"]}`,
        TMPDIR: undefined,
      };
      const line = `run --check test/-s/made.txt --json --sandbox require --yes --planner none --agent ${name} --max-iterations 1`;
      const args = line.split(" ").map((word) => word.replaceAll("test/-s/", "test -s "));
      const aot = [inject("aot"), ...args, "--set", "allow_domains=127.0.0.1"];
      const { stdout } = await promisify(execFile)(process.execPath, aot, { cwd: root, env });
      expect(JSON.parse(stdout)).toMatchObject({ outcome: "verified", attempts: 1 });
      expect(gitIn(root, "show", "HEAD:made.txt")).toBe(root);
      expect(gitIn(root, "branch", "--list", "evil")).toBe("");
      expect(model.turns.flatMap(({ results }) => results).join()).not.toContain("fatal");
    });
  });
