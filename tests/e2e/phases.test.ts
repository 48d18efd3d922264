/** `aot phases run` with the real Claude Code against a scripted model: skills, a person's gate, sent back once (SPEC section 11). */
import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { tempFolder } from "../fixtures/programs.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { claudeEnvironment } from "./claude-client.ts";
import { scratchHome, withClient } from "./clients.ts";
import { say, suiteModel, use, type Script } from "./scripted-model.ts";

const LOOP = {
  id: "letters",
  version: "1.0.0",
  phases: [
    { name: "DRAFT", skills: ["outline", "write"], required: true },
    { name: "POST", skills: ["stamp"], required: true },
  ],
  gates: [
    { id: "review", afterPhase: "DRAFT", required: true, approvalType: "human", deliverables: ["LETTER.md"] },
    { id: "stamped", afterPhase: "POST", required: true, approvalType: "auto", checks: ["grep -q stamped LETTER.md"] },
  ],
  defaults: { mode: "m" },
};
const OUTLINE = "List three headings, in the order of the heart.";
const WRITE = "Write one sentence below each heading, as a fox would.";

withClient("claude", suite);

function suite(claude: string): void {
  const model = suiteModel();

  test(
    "SPEC 11: two skills in their order, each with its text; sent back once, both learn why; the next phase sees the work",
    { timeout: 240_000 },
    async () => {
      const [home, root] = [scratchHome(), tempFolder()];
      const bin = join(home, "bin");
      mkdirSync(bin);
      symlinkSync(claude, join(bin, "claude"));
      for (const [file, text] of [
        [".claude/skills/outline/SKILL.md", `---\nname: outline\ndescription: plans a letter\n---\n${OUTLINE}\n`],
        ["skills/write.md", `${WRITE}\n`],
        ["loop.json", JSON.stringify(LOOP)],
      ] as const) {
        mkdirSync(join(root, file, ".."), { recursive: true });
        writeFileSync(join(root, file), text);
      }
      commitAll(root);
      const aot = (...args: readonly string[]): Promise<{ code: number | null; json: Record<string, unknown> }> =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, [inject("aot"), ...args, "--json"], {
            cwd: root,
            env: {
              ...claudeEnvironment(model, home),
              PATH: `${bin}:${process.env["PATH"]}`,
              CLAUDECODE: undefined,
              CLAUDE_CODE_SESSION_ID: undefined,
            },
            stdio: ["ignore", "pipe", "inherit"],
          });
          let out = "";
          child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
          child.once("close", (code) => resolve({ code, json: JSON.parse(out) as Record<string, unknown> }));
        });
      const bash = (command: string): ReturnType<typeof use> => use("Bash", { command, description: "x" });
      /** Each process is a conversation of its own: it works, then it answers. */
      const worker: Script = ({ everything, results }) => {
        const work = everything.includes(OUTLINE)
          ? "echo '# heading' >> LETTER.md"
          : everything.includes(WRITE)
            ? "echo 'a fox greets' >> LETTER.md"
            : "grep -q fox LETTER.md && echo stamped >> LETTER.md";
        const answer = use("StructuredOutput", { success: true, summary: "did it", artifacts: ["LETTER.md"] });
        return [bash(work), answer][results.length] ?? say("done");
      };

      model.play(worker);
      expect((await aot("phases", "init", "loop.json", "--task", "a letter to the hen")).code).toBe(0);
      const first = await aot("phases", "run", "--agent", "claude");
      expect(first).toMatchObject({
        code: 16,
        json: { gate: "review", worked: [{ phase: "DRAFT", attempts: 2, failures: 0 }] },
      });
      expect(gitIn(root, "show", "HEAD:LETTER.md")).toBe("# heading\na fox greets");
      const reported = (words: string): boolean => model.turns.some(({ everything }) => everything.includes(words));
      expect(reported("a letter to the hen")).toBe(true);

      model.play(worker);
      expect((await aot("phases", "reject", "review", "--reason", "twice as long, please", "--by", "ada")).code).toBe(
        0,
      );
      expect(await aot("phases", "run", "--agent", "claude")).toMatchObject({ code: 16, json: { gate: "review" } });
      for (const skill of [OUTLINE, WRITE])
        expect(
          model.turns.some(
            ({ everything }) => everything.includes(skill) && everything.includes("twice as long, please"),
          ),
        ).toBe(true);
      expect(gitIn(root, "show", "HEAD:LETTER.md").split("\n")).toHaveLength(4);

      expect((await aot("phases", "approve", "review", "--by", "ada")).code).toBe(0);
      expect(await aot("phases", "run", "--agent", "claude")).toMatchObject({
        code: 0,
        json: { outcome: "verified", status: "complete", gates: { stamped: { status: "passed" } } },
      });
      expect(gitIn(root, "show", "HEAD:LETTER.md")).toMatch(/\nstamped$/);
      expect(gitIn(root, "worktree", "list").split("\n")).toHaveLength(1);
      expect(await aot("phases", "status")).toMatchObject({
        json: {
          answers: [
            { gate: "review", answer: "failed", who: "ada", reason: "twice as long, please" },
            { gate: "review", answer: "passed", who: "ada" },
            { gate: "stamped", answer: "passed", who: "check" },
          ],
        },
      });
    },
  );
}
