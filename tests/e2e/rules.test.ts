/** Guard rules in the real Claude Code: what is blocked does not happen, and the model learns why (SPEC section 12). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClaudeAgent } from "../../src/adapters/agents/claude.ts";
import { agentEnvironment } from "../../src/project/agent-restrictions.ts";
import { countFirings } from "../../src/rules/fired.ts";
import { workerSettings } from "../../src/rules/worker.ts";
import { workerRequest } from "../contracts/agent.ts";
import { aotPath } from "../support/aot.ts";
import { bash, call, say, withPlugin, type Line, type SetStage, type Stage } from "./plugin-client.ts";
import { loopText } from "./plugin-states.ts";

withPlugin(suite);

function suite(stage: SetStage): void {
  const rule = (folder: string, name: string, ...lines: readonly string[]): void => {
    mkdirSync(folder, { recursive: true });
    const text = ["---", `name: ${name}`, ...lines, "---", `Said by ${name}.`].join("\n");
    writeFileSync(join(folder, `hookify.${name}.local.md`), text);
  };
  const set = async (state: string | null = null): Promise<Stage & { readonly rules: string }> => {
    const place = await stage(state);
    return { ...place, rules: join(place.dir, ".claude") };
  };
  const heard = (place: Stage): string => place.scenes.map(({ last }) => last).join("\n---\n");
  const allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write,Read"];

  describe("SPEC 12: guard rules in a session", { timeout: 180_000 }, () => {
    test("a shell command and a write are blocked with the rule's words, and a warning lets its own pass", async () => {
      const place = await set();
      rule(place.rules, "no-touch", "event: bash", String.raw`pattern: touch\s+secret`, "action: block");
      rule(join(place.home, ".claude"), "no-key", "event: file", "pattern: api_key", "action: block");
      rule(place.rules, "careful", "event: bash", "pattern: touch allowed");
      place.play(
        ({ turn }) =>
          [
            bash("touch secret.txt"),
            call(["Write", { file_path: join(place.dir, "key.txt"), content: "api_key=1" }]),
            bash("touch allowed.txt"),
          ][turn] ?? say("DONE"),
      );
      expect((await place.claude("do it", ...allowed)).code).toBe(0);
      expect(existsSync(join(place.dir, "secret.txt"))).toBe(false);
      expect(existsSync(join(place.dir, "key.txt"))).toBe(false);
      expect(existsSync(join(place.dir, "allowed.txt"))).toBe(true);
      expect(heard(place)).toContain("Said by no-touch.");
      expect(heard(place)).toContain("Said by no-key.");
      const { counts } = countFirings({ owner: "project", dir: place.rules });
      expect([...counts].map(([name, { times }]) => [name, times])).toEqual([
        ["no-touch", 1],
        ["careful", 1],
      ]);
    });

    test("a command in the background (Monitor) is a shell command, too: for rules and for a loop's files", async () => {
      const place = await set(loopText({ atoms: [["A1"]], check: "test -f A1.txt" }));
      rule(place.rules, "no-touch", "event: bash", String.raw`pattern: touch\s+secret`, "action: block");
      const monitor = (command: string): Line =>
        call(["Monitor", { command, description: "x", timeout_ms: 20_000, persistent: false }]);
      const results: string[] = [];
      place.play(({ turn, last }) => {
        results.push(last);
        return (
          [
            bash("aot session enter"),
            call(["ToolSearch", { query: "select:Monitor" }]),
            monitor("touch secret.txt"),
            monitor("echo x > .claude/aot-loop-state.md"),
            monitor("echo fine"),
          ][turn] ?? say("DONE")
        );
      });
      expect((await place.claude("do it", ...allowed.slice(0, 3), "Bash,ToolSearch,Monitor")).code).toBe(0);
      expect(results[3]).toContain("Said by no-touch.");
      expect(results[4]).toContain("the loop's files are changed by `aot` alone");
      expect(results[5]).toContain("Monitor started");
      expect(existsSync(join(place.dir, "secret.txt"))).toBe(false);
      expect(place.read()).toContain("status: running");
    });

    test("every kind of tool is asked about, and once", async () => {
      const place = await set();
      rule(place.rules, "all", "event: all", "pattern: NEVER", "action: block");
      rule(
        place.rules,
        "seen",
        "event: all",
        "conditions:",
        "- {field: tool_name, operator: not_contains, pattern: none}",
      );
      writeFileSync(join(place.dir, "a.txt"), "a");
      const calls = [
        ["Bash", { command: "true NEVER", description: "x" }],
        ["Read", { file_path: join(place.dir, "a.txt") }],
        ["Write", { file_path: join(place.dir, "b.txt"), content: "NEVER" }],
        ["ToolSearch", { query: "NEVER" }],
        ["Agent", { description: "NEVER", prompt: "x", subagent_type: "aot-loop:worker" }],
      ] as const;
      place.play(({ turn }) => {
        const next = calls[turn];
        return next === undefined ? say("DONE") : call([...next]);
      });
      expect((await place.claude("do it", ...allowed.slice(0, 3), "Bash,Write,Read,Agent,ToolSearch")).code).toBe(0);
      const fired = readFileSync(join(place.rules, "aot-rules", "fired.jsonl"), "utf8")
        .trim()
        .split("\n");
      const of = (name: string): readonly unknown[] =>
        fired
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .flatMap((one) => (one["rule"] === name ? [one["tool"]] : []));
      expect(of("seen")).toEqual(["Bash", "Read", "Write", "ToolSearch", "Agent"]);
      expect(of("all")).toEqual(["Bash", "Write", "ToolSearch", "Agent"]);
    });

    test("what a tool answered is looked at when the call is over, of a call that failed, too: the model gets with its next turn", async () => {
      const place = await set();
      const result = (name: string, pattern: string, ...more: readonly string[]): void =>
        rule(place.rules, name, "event: bash", "conditions:", `- {field: output, pattern: ${pattern}}`, ...more);
      result("well", "GONE.WELL");
      result("wrong", "GONE.WRONG", "action: block");
      place.play(
        ({ turn }) =>
          [bash("printf GONE; echo -WELL"), bash("printf GONE; echo -WRONG; exit 3"), bash("echo quiet")][turn] ??
          say("DONE"),
      );
      expect((await place.claude("do it", ...allowed)).code).toBe(0);
      const { counts } = countFirings({ owner: "project", dir: place.rules });
      expect([...counts].map(([name, { times }]) => [name, times])).toEqual([
        ["well", 1],
        ["wrong", 1],
      ]);
      expect(answersBefore(place, "Said by well.")).toBe(1);
      expect(answersBefore(place, "Said by wrong.")).toBe(2);
    });

    test("a stop is prevented once, with the reason, and let go the second time", async () => {
      const place = await set();
      rule(place.rules, "tested", "event: stop", "pattern: .*", "action: block");
      place.play(() => say("DONE"));
      expect((await place.claude("do it", ...allowed)).code).toBe(0);
      expect(place.scenes.filter(({ last }) => last.includes("Said by tested."))).toHaveLength(1);
      const { counts } = countFirings({ owner: "project", dir: place.rules });
      expect(counts.get("tested")?.times).toBe(2);
    });

    test("a prompt is blocked before a model hears of it; in shadow it is only recorded", async () => {
      const place = await set();
      rule(place.rules, "no-prod", "event: prompt", "pattern: production", "action: block");
      place.play(() => say("DONE"));
      await place.claude("deploy to production", ...allowed);
      expect(place.scenes.filter(({ last }) => last.includes("deploy to production"))).toEqual([]);
      rule(place.rules, "no-prod", "event: prompt", "pattern: production", "action: block", "shadow: true");
      await place.claude("deploy to production", ...allowed);
      expect(heard(place)).toContain("deploy to production");
      expect(countFirings({ owner: "project", dir: place.rules }).counts.get("no-prod")).toMatchObject({
        times: 2,
        tried: 1,
      });
    });

    test("a worker of `aot run` obeys them without the plugin: its own prompt is nobody's to block", async () => {
      const place = await set();
      rule(place.rules, "no-touch", "event: bash", String.raw`pattern: touch\s+secret`, "action: block");
      rule(place.rules, "no-prompt", "event: prompt", "pattern: .", "action: block");
      const worktree = join(place.dir, "elsewhere");
      mkdirSync(join(worktree, ".git"), { recursive: true });
      const answer = { success: true, summary: "made it", artifacts: [] };
      place.play(
        ({ turn }) => [bash("touch secret.txt"), bash("touch allowed.txt")][turn] ?? call(["StructuredOutput", answer]),
      );
      const agent = createClaudeAgent({
        command: place.client,
        env: agentEnvironment(place.state, place.env),
        settings: () => workerSettings(place.state, [process.execPath, aotPath()]),
      });
      const answered = await agent.call(workerRequest(worktree), new AbortController().signal);
      expect(answered).toMatchObject({ kind: "answer", value: answer });
      expect(existsSync(join(worktree, "secret.txt"))).toBe(false);
      expect(existsSync(join(worktree, "allowed.txt"))).toBe(true);
      expect(heard(place)).toContain("Said by no-touch.");
      await agent.close();
    });

    test("FIRED-1: with the plugin installed as well, what a worker did counts once", async () => {
      const place = await set();
      rule(place.rules, "no-touch", "event: bash", String.raw`pattern: touch\s+secret`, "action: block");
      rule(place.rules, "result", "event: bash", "conditions:", "- {field: output, pattern: GONE}");
      const worktree = join(place.dir, "elsewhere");
      mkdirSync(join(worktree, ".git"), { recursive: true });
      place.play(
        ({ turn }) =>
          [bash("touch secret.txt"), bash("echo GONE")][turn] ??
          call(["StructuredOutput", { success: true, summary: "x", artifacts: [] }]),
      );
      const agent = createClaudeAgent({
        command: place.client,
        env: agentEnvironment(place.state, place.env),
        settings: () => workerSettings(place.state, [process.execPath, aotPath()]),
        extra_args: ["--plugin-dir", place.plugin],
      });
      expect(await agent.call(workerRequest(worktree), new AbortController().signal)).toMatchObject({ kind: "answer" });
      expect(existsSync(join(worktree, "secret.txt"))).toBe(false);
      const lines = readFileSync(join(place.rules, "aot-rules", "fired.jsonl"), "utf8")
        .trim()
        .split("\n");
      expect(lines.filter((line) => line.includes("no-touch"))).toHaveLength(2);
      const { counts } = countFirings({ owner: "project", dir: place.rules });
      expect([...counts].map(([name, { times }]) => [name, times])).toEqual([
        ["no-touch", 1],
        ["result", 1],
      ]);
      await agent.close();
    });
  });
}

/** How often the model had answered when these words came into its session; null: they never did. */
function answersBefore(place: Stage, words: string): number | null {
  const folder = join(place.home, ".claude", "projects");
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".jsonl"));
  const lines = readFileSync(join(folder, name ?? ""), "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes(words));
  return at < 0 ? null : lines.slice(0, at).filter((line) => line.includes('"type":"assistant"')).length;
}
