/** Each part of the plugin as the real Claude Code offers it: seven commands, five agents, five skills (SPEC section 10). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bash, call, say, withPlugin, type SetStage, type Stage } from "./plugin-client.ts";
import { loopText } from "./plugin-states.ts";

withPlugin(suite);

interface Command {
  readonly prompt: string;
  /** What its text, with the words of the prompt, asks the model for. */
  readonly asks: RegExp;
  /** A call that its text names, and what comes of it. */
  readonly line: string;
  readonly answer: RegExp;
  /** The loop's status before it. */
  readonly status?: string;
  /** What it does is a person's decision: the client asks, and denies where nobody can be asked. */
  readonly isAsked?: true;
}

/** Where nobody can be asked: denied, with the way. */
const DENIED = /AOT_DECISIONS=allow/;

const COMMANDS: readonly Command[] = [
  {
    prompt: "/aot-loop:help",
    asks: /An AoT loop works a goal until it is verified/,
    line: "aot status",
    answer: /The files are there/,
  },
  {
    prompt: "/aot-loop:exit-recursion back after lunch",
    asks: /if there is one: back after lunch/,
    line: 'aot stop "back after lunch"',
    answer: /the stop is requested/,
    status: "running",
  },
  {
    prompt: "/aot-loop:redirect one more try",
    asks: /Redirect the loop: one more try/,
    line: 'aot redirect limit max_iterations 40 --reason "one more try"',
    answer: DENIED,
    isAsked: true,
  },
  { prompt: "/aot-loop:phases status", asks: /Phase loop: status/, line: "aot phases status", answer: /phases init/ },
  {
    prompt: "/aot-loop:hookify no forced pushes",
    asks: /Make a guard rule: no forced pushes/,
    line: "aot rules add no-force-push --event bash --pattern 'git\\s+push\\s.*--force' --action block --message 'Push to a new branch.' --matches 'git push --force' --passes 'git push'",
    answer: DENIED,
    isAsked: true,
  },
  {
    prompt: "/aot-loop:enter-recursion",
    asks: /aot session enter/,
    line: "aot session enter",
    answer: /iteration 1 is open/,
  },
  {
    prompt: "/aot-loop:align-goal Log in with a token",
    asks: /Align a goal for an AoT loop: Log in with a token/,
    line: 'aot align "Log in with a token" --check "file: login.js" --atom "A1: user model" --atom "A2: login <- A1" --touches "A1=src/user/**" --protect "tests/**" --background "existing users log in" --deliverables "a login module" --done "the tests pass" --yes --force',
    answer: DENIED,
    isAsked: true,
  },
];

const SKILLS = readdirSync("plugin/skills");
/** Beginning of its text, and the tools that seed plugin-design 2.3 gives it. */
const AGENTS: readonly (readonly [name: string, mark: string, tools: readonly string[] | null])[] = [
  ["coordinator", "You carry out an AoT loop.", ["Agent", "Bash"]],
  ["verifier", "You judge work that you did not do.", ["Bash"]],
  ["probe", "You are a probe of an AoT loop.", ["Bash", "Glob", "Grep", "Read", "WebFetch", "WebSearch"]],
  ["conversation-analyzer", "You are given findings of", ["Grep", "Read"]],
  ["worker", "You are a worker of an AoT loop.", null],
];

function suite(stage: SetStage): void {
  const set = (status = "pending"): Promise<Stage> => {
    const text = loopText({ atoms: [["A1"]], check: "test -f A1.txt" });
    return stage(text.replace("status: pending\n  iter", `status: ${status}\n  iter`));
  };

  describe("SPEC 10: the parts of the plugin", { timeout: 180_000 }, () => {
    test.each(COMMANDS.map((command) => [command.prompt, command] as const))(
      "%s gets its words, and may run what they need without a question, and nothing else",
      async (prompt, { asks, line, answer, status, isAsked }) => {
        const place = await set(status);
        let result = "";
        place.play(({ turn, last }) => {
          if (turn === 1) result = last;
          return (
            [bash(line), bash('aot verify command "touch made.txt"'), bash("aot session enter --take-over")][turn] ??
            say("DONE")
          );
        });
        expect((await place.claude(prompt)).code).toBe(0);
        expect(place.scenes[0]?.last).toMatch(asks);
        expect(result).toMatch(answer);
        if (isAsked !== true) expect(result).not.toMatch(/permission|denied|requires approval/i);
        expect(existsSync(join(place.dir, "made.txt"))).toBe(false);
        expect(place.scenes.at(-1)?.last).toMatch(DENIED);
      },
    );

    test("every skill can be loaded", async () => {
      expect(SKILLS).toHaveLength(5);
      const place = await set();
      const heard: string[] = [];
      place.play(({ turn, last }) => {
        heard.push(last);
        const skill = SKILLS[turn];
        return skill === undefined ? say("DONE") : call(["Skill", { skill: `aot-loop:${skill}` }]);
      });
      await place.claude("look", "--allowedTools", "Skill");
      expect(heard.slice(1)).toEqual(SKILLS.map((skill) => `Launching skill: aot-loop:${skill}`));
    });

    test.each(AGENTS)("the agent %s has its own words, and no tool beyond its role", async (name, mark, most) => {
      const start = { description: "x", subagent_type: `aot-loop:${name}`, prompt: "p", run_in_background: false };
      const place = await set();
      let given: readonly string[] | null = null;
      place.play(({ system, turn, tools }) => {
        if (!system.includes(mark)) return turn === 0 ? call(["Agent", start]) : say("DONE");
        given = tools;
        return say("{}");
      });
      await place.claude("go", "--permission-mode", "dontAsk", "--allowedTools", "Agent");
      expect(given).not.toBe(null);
      if (most !== null) expect(most).toEqual(expect.arrayContaining(given ?? []));
      else expect(given).toEqual(expect.arrayContaining(["Bash", "Edit", "Read", "Write"]));
    });
  });
}
