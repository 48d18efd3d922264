/** The installed plugin in the real `codex exec`: its hooks and skills. The main thread coordinates, against a scripted model. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { countFirings } from "../../src/rules/fired.ts";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { codexEnvironment, scratchHome, withClient } from "./clients.ts";
import { loopText } from "./plugin-states.ts";
import { say, suiteModel, use, type Script } from "./scripted-model.ts";

const LIMIT = { timeout: 180_000 };

withClient("codex", (path) => {
  const model = suiteModel();
  let plugin = "";
  beforeAll(async () => {
    plugin = join(await stagePlugin(), "plugin");
  }, 60_000);

  /** A project with a loop of two atoms, one behind the other, and a Codex that has the plugin installed. */
  const stage = (): {
    readonly dir: string;
    state(): string;
    codex(script: Script): Promise<string>;
  } => {
    const home = scratchHome();
    const dir = tempFolder();
    spawnSync("git", ["init", "-q", dir]);
    mkdirSync(join(dir, ".claude"));
    const file = join(dir, ".claude", "aot-loop-state.md");
    writeFileSync(file, loopText({ atoms: [["A1"], ["A2", "A1"]], check: "test -f A1.txt -a -f A2.txt" }));
    const env = codexEnvironment(model, home);
    const config = join(home, ".codex", "config.toml");
    writeFileSync(config, readFileSync(config, "utf8").replace("plugins = false", "plugins = true"));
    for (const install of [
      ["marketplace", "add", dirname(plugin)],
      ["add", "aot-loop@aot-loop"],
    ]) {
      const { status, stderr } = spawnSync(path, ["plugin", ...install], { cwd: home, env, encoding: "utf8" });
      expect(status, stderr).toBe(0);
    }
    const settings = ["-c", 'sandbox_mode="danger-full-access"', "-c", 'approval_policy="never"'];
    const words = ["exec", "--json", "--skip-git-repo-check", ...settings, "--dangerously-bypass-hook-trust", "go"];
    return {
      dir,
      state: () => readFileSync(file, "utf8"),
      codex: async (script) => {
        model.play(script);
        const child = spawn(path, words, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
        let said = "";
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
        await once(child, "close");
        return said;
      },
    };
  };
  const commands =
    (...lines: readonly string[]): Script =>
    ({ results }) => {
      const cmd = lines[results.length];
      return cmd === undefined ? say("stopping") : use("exec_command", { cmd });
    };

  test("SPEC 10: a loop is worked to its verdict, its files are guarded, its own stop decides", LIMIT, async () => {
    const { state, codex } = stage();
    let asked = "";
    // By its path: a login shell, which Codex takes, finds nothing of ours.
    const aot = `"${join(plugin, "bin", "aot")}"`;
    const work: Script = (turn) => {
      const { results } = turn;
      // Reported to go on by the hook, in the place of a user's message.
      if (turn.asked.includes("iteration 2 is open")) asked = turn.asked;
      const lines = [
        `${aot} session enter --as main`,
        "echo forged >> .claude/aot-loop-state.md",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: .claude/aot-loop-state.md\n@@\n-  iteration: 1\n+  iteration: 0\n*** End Patch\nEOF",
        `touch A1.txt && ${aot} atom update A1 resolved`,
      ];
      if (asked === "") return commands(...lines)(turn);
      return results.length === lines.length
        ? use("exec_command", { cmd: `touch A2.txt && ${aot} atom update A2 resolved` })
        : say("stopping");
    };
    await codex(work);
    const results = model.turns.at(-1)?.results ?? [];
    expect(results[0]).toContain("iteration 1 is open");
    for (const refused of results.slice(1, 3)) expect(refused).toContain("the loop's files are changed by `aot` alone");
    expect(asked).toContain("A2");
    expect(state()).toMatch(/status: completed[^]*iteration: 2[^]*outcome: verified/);
    expect(state()).not.toContain("forged");
  });

  test("SPEC 10: the plugin's skills are skills there", LIMIT, async () => {
    const { codex } = stage();
    await codex(() => say("stopping"));
    const reported = model.turns[0]?.everything ?? "";
    const skills = readdirSync(join(plugin, "skills"));
    expect(skills).toHaveLength(5);
    for (const skill of skills) expect(reported).toMatch(new RegExp(`- (aot-loop:)?${skill}: .*${skill}/SKILL.md`));
  });

  test("SPEC 10: a session that works no loop is informed of it, and passes untouched", LIMIT, async () => {
    const { state, codex } = stage();
    const before = state();
    await codex(commands("echo mine > note.txt"));
    expect(state()).toBe(before);
    expect(model.turns[0]?.everything).toContain("An AoT loop is open here");
  });

  test(
    "SPEC 12: guard rules hold: before a call, and on what it answered, whether it went well or failed",
    LIMIT,
    async () => {
      const { dir, codex } = stage();
      const rule = (name: string, ...lines: readonly string[]): void =>
        writeFileSync(
          join(dir, ".claude", `hookify.${name}.local.md`),
          ["---", `name: ${name}`, "event: bash", ...lines, "---", `Said by ${name}.`].join("\n"),
        );
      rule("no-touch", String.raw`pattern: touch\s+secret`, "action: block");
      rule("well", "conditions: [{field: output, pattern: GONE.WELL}]");
      rule("wrong", "conditions: [{field: stdout, pattern: GONE.WRONG}]");
      await codex(commands("touch secret.txt", "printf GONE; echo -WELL", "printf GONE; echo -WRONG; exit 3"));
      expect(existsSync(join(dir, "secret.txt"))).toBe(false);
      expect(model.turns.at(-1)?.results[0]).toContain("Said by no-touch.");
      expect(model.turns.at(-1)?.everything).toContain("Said by well.");
      expect(model.turns.at(-1)?.everything).toContain("Said by wrong.");
      const { counts } = countFirings({ owner: "project", dir: join(dir, ".claude") });
      expect([...counts].map(([name, { times }]) => [name, times])).toEqual([
        ["no-touch", 1],
        ["well", 1],
        ["wrong", 1],
      ]);
    },
  );
});
