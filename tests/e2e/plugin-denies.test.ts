/**
 * What a guard rule forbids does not happen, whatever becomes of the hook that looks at it (SPEC sections 10 and 12): the real
 * Claude Code, and a person whom no rule concerns is not kept from anything.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/bundle.ts";
import { bash, say, pathWithNode, withPlugin, type Line, type SetStage, type Stage } from "./plugin-client.ts";

withPlugin(suite);

const TOUCH = "touch secret.txt";
const BLOCK = ["event: bash", String.raw`pattern: touch\s+secret`, "action: block"];
const WARN = ["event: bash", String.raw`pattern: touch\s+secret`];
const ALLOWED = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write,Read"];
/** Long enough for a hook that works, on a busy machine too; a hook that hangs is waited for. */
const HOOK_SECONDS = 10;

function suite(stage: SetStage): void {
  /** A plugin of its own, whose hooks are given less time. */
  const copied = (staged: string): string => {
    const plugin = join(temporaryFolder(), "plugin");
    cpSync(staged, plugin, { recursive: true });
    const file = join(plugin, "hooks", "hooks.json");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"timeout": 60', `"timeout": ${HOOK_SECONDS}`));
    return plugin;
  };
  const copy = { plugin: copied };
  /** Node as the script says. */
  const withNode = (...words: Parameters<typeof pathWithNode>): typeof copy & { readonly env: { PATH: string } } => ({
    ...copy,
    env: { PATH: pathWithNode(...words) },
  });
  const rule = (place: Stage, name: string, lines: readonly string[]): string => {
    const file = join(place.dir, ".claude", `hookify.${name}.local.md`);
    writeFileSync(file, ["---", `name: ${name}`, ...lines, "---", `Said by ${name}.`].join("\n"));
    return file;
  };
  /** Each of these calls in turn, by a model that is then done. @returns what it was answered */
  const answersTo = async (place: Stage, ...lines: readonly (Line | (() => Line))[]): Promise<readonly string[]> => {
    const heard: string[] = [];
    place.play(({ turn, last }) => {
      if (turn > 0) heard.push(last);
      const line = lines[turn] ?? say("DONE");
      return typeof line === "function" ? line() : line;
    });
    const { code } = await place.claude("do it", ...ALLOWED);
    expect(code).toBe(0);
    return heard;
  };
  const made = (place: Stage): boolean => existsSync(join(place.dir, "secret.txt"));
  describe("SPEC 12: a rule that blocks, and a hook that fails", { timeout: 180_000 }, () => {
    test.each([
      ["its shell is killed", "kill -9 $PPID; exit"],
      ["it hangs until its time is over", "sleep 600"],
      ["Node is killed", "kill -9 $$"],
      ["Node cannot run it", "echo broken >&2; exit 1"],
      ["Node is missing", null],
    ])("%s: the call is denied", async (_, script) => {
      const place = await stage(null, withNode(script));
      rule(place, "no-touch", BLOCK);
      const [answer] = await answersTo(place, bash(TOUCH));
      expect(made(place)).toBe(false);
      expect(answer).toMatch(/onFailure|not let through/);
    });

    test.each([
      ["is removed", (plugin: string): void => rmSync(plugin, { recursive: true })],
      ["loses its programs", (plugin: string): void => rmSync(join(plugin, "bin"), { recursive: true })],
    ])("the plugin's folder %s under a session: the call is denied, and the reason names it", async (_, lose) => {
      const place = await stage(null, copy);
      const { plugin } = place;
      rule(place, "no-touch", BLOCK);
      const [answer] = await answersTo(place, () => {
        lose(plugin);
        return bash(TOUCH);
      });
      expect(made(place)).toBe(false);
      expect(answer).toContain(plugin);
    });

    test.each([
      ["Node is missing", null],
      ["Node cannot run it", "exit 1"],
    ])("%s: a prompt that a rule may block does not reach the model", async (_, script) => {
      const place = await stage(null, withNode(script, "*UserPromptSubmit*"));
      rule(place, "no-prod", ["event: prompt", "pattern: production", "action: block"]);
      place.play(() => say("DONE"));
      await place.claude("deploy to production");
      expect(place.scenes.some(({ last }) => last.includes("deploy to production"))).toBe(false);
    });
  });

  describe("a person whom no rule keeps from anything", { timeout: 180_000 }, () => {
    test.each([
      ["no rule, and Node is missing", null],
      ["no rule, and Node hangs", "sleep 600"],
    ])("%s: everything goes on", async (_, script) => {
      const place = await stage(null, withNode(script));
      await answersTo(place, bash(TOUCH));
      expect(made(place)).toBe(true);
    });

    test("a rule that only warns, and Node is missing: the session says so, and everything goes on", async () => {
      const place = await stage(null, withNode(null));
      rule(place, "careful", WARN);
      place.play(({ turn }) => (turn === 0 ? bash(TOUCH) : say("DONE")));
      const { out } = await place.claude("do it", ...ALLOWED, "--output-format", "stream-json", "--verbose");
      expect(made(place)).toBe(true);
      expect(out).toContain("node is not found");
    });

    test("the plugin's folder is removed: a person can still say something", async () => {
      const place = await stage(null, copy);
      const { plugin } = place;
      const talk = place.talk(...ALLOWED);
      place.play(() => say("DONE"));
      await talk.say("hello");
      rmSync(plugin, { recursive: true });
      await talk.say("go on");
      expect(place.scenes.some(({ last }) => last.includes("go on"))).toBe(true);
      await talk.end();
    });
  });
}
