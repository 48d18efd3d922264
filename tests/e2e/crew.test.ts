/** Mixed runAgentsByTerms of real clients: `aot run` with claude and codex of the pinned versions, against one scripted model. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { tempFolder } from "../fixtures/programs.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { codexEnvironment, scratchHome, withClient } from "./clients.ts";
import { claudeEnvironment } from "./claude-client.ts";
import { say, suiteModel, use, type Script } from "./scripted-model.ts";

withClient("claude", (claude) => withClient("codex", (codex) => suite(claude, codex)));

function suite(claudePath: string, codexPath: string): void {
  const model = suiteModel();

  /** Runs `aot` in a project of its own with both clients on its PATH and nothing else of this machine. */
  const stage = (): { aot(...args: string[]): Promise<{ code: number | null; out: string }>; root: string } => {
    const home = scratchHome();
    const root = tempFolder();
    const bin = join(home, "bin");
    mkdirSync(bin);
    symlinkSync(claudePath, join(bin, "claude"));
    symlinkSync(codexPath, join(bin, "codex"));
    writeFileSync(join(root, "README.md"), "a project\n");
    commitAll(root);
    const env = { ...codexEnvironment(model, home), ...claudeEnvironment(model, home) };
    const PATH = `${bin}:${process.env["PATH"]}`;
    return {
      root,
      aot: (...args) =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, [inject("aot"), ...args], {
            cwd: root,
            env: { ...env, PATH, CLAUDECODE: undefined, CLAUDE_CODE_SESSION_ID: undefined },
            stdio: ["ignore", "pipe", "inherit"],
          });
          let out = "";
          child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
          child.once("close", (code) => resolve({ code, out }));
        }),
    };
  };
  const isCodex = (name = ""): boolean => name.startsWith("gpt");
  const work = { success: true, summary: "made it", artifacts: ["made.txt"] };
  const byClaude: Script = ({ results }) =>
    [use("Bash", { command: "echo made > made.txt", description: "x" }), use("StructuredOutput", work)][
      results.length
    ] ?? say("done");

  test("SPEC 10: claude works, codex judges; the journal says who", { timeout: 120_000 }, async () => {
    const { aot, root } = stage();
    const quotes = [{ file: "made.txt", line: 1, text: "made" }];
    const yes = say(JSON.stringify({ passed: true, evidence: "it says so", quotes }));
    model.play((turn) => (isCodex(turn.model) ? yes : byClaude(turn)));
    expect(await aot("align", "a goal", "--check", "assertion: made.txt says made", "--yes")).toMatchObject({
      code: 0,
    });
    const line = "run --json --accept assertions --set worker=claude:opus --judge codex";
    const { code, out } = await aot(...line.split(" "));
    expect(JSON.parse(out)).toMatchObject({ outcome: "verified", history: [{ agent: "claude:opus" }] });
    expect(code).toBe(0);
    expect(model.turns.some((turn) => isCodex(turn.model))).toBe(true);
    const journal = readFileSync(join(root, ".claude/aot-loop/journal.jsonl"), "utf8");
    expect(journal).toContain("agents: worker claude:opus, probe claude:opus, planner claude:opus, judge codex");
    expect(gitIn(root, "show", "HEAD:made.txt")).toBe("made");
  });
}
