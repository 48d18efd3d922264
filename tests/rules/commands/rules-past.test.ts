/** `aot rules analyze` and `aot rules replay` as processes (SPEC section 12). */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { aot, aotJson, aotPath, type Ran, type RanJson } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { bash, CORRECTED, linesOf, readerProgram, refusal, said, USE_PNPM, user } from "../../support/transcript.ts";
import { onTerminal, whyNoTerminal, type Terminal } from "../../support/terminal.ts";

let dir: string;
let home: string;
beforeEach(() => {
  dir = temporaryFolder();
  home = temporaryFolder();
  mkdirSync(join(dir, ".git"));
  mkdirSync(join(dir, ".claude"));
});
const options = (): { cwd: string; env: Record<string, string> } => ({ cwd: dir, env: { HOME: home } });
const rules = async (...words: string[]): Promise<RanJson> => await aotJson(["rules", ...words], options());
const shown = async (...words: string[]): Promise<Ran> => await aot(["rules", ...words], options());
const fileOf = (name: string): string => join(dir, ".claude", `hookify.${name}.local.md`);

const NEVER_PUSH = [
  user("prepare the release"),
  bash("p1", "npm version patch"),
  bash("p2", "git push origin main --tags"),
  user("Never push to main without asking me first!"),
];
const RED_TESTS = [user("run the tests"), bash("t1", "npm test"), said("3 of them fail."), user("ok")];

/** Writes transcripts as sessions of this project. */
function keep(sessions: Readonly<Record<string, readonly (object | string)[]>>): string {
  const folder = join(home, ".claude", "projects", dir.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  for (const [name, entries] of Object.entries(sessions))
    writeFileSync(join(folder, `${name}.jsonl`), linesOf(entries));
  return folder;
}

/** An agent that gives each of its calls the next answer, and the last one to all that follow. */
function agentSaying(...answers: readonly (readonly object[])[]): readonly string[] {
  for (let number = 0; existsSync(join(dir, `asked-${number}`)); number++)
    rmSync(join(dir, `asked-${number}`), { recursive: true });
  const { path, text } = readerProgram(dir, answers);
  writeFileSync(path, text);
  return ["--agent", `command:node ${path}`];
}
const timesAsked = (): number => readdirSync(dir).filter((name) => name.startsWith("asked-")).length;

describe("aot rules analyze", () => {
  test("says what an agent found, with file and line, and how the rule is kept; writes nothing", async () => {
    const folder = keep({ one: CORRECTED, two: RED_TESTS });
    const agent = agentSaying([USE_PNPM]);
    const { code, json, err } = await rules("analyze", ...agent);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/reads 1 messages, twice: 2 questions, about \d+,000 tokens/),
    ]);
    expect(json).toMatchObject({
      success: true,
      transcripts: { files: 2, skipped: { other: 0, too_long: 0, unreadable: 0, unknown: 0 }, broken: [] },
      agent: agent[1],
      messages: { asked: 1, approvals: 1, without_calls: 2 },
      differing: 0,
      findings: [
        {
          name: "use-pnpm",
          quotes: [{ file: join(folder, "one.jsonl"), line: 3, call: { line: 2 } }],
          words: "Use pnpm, never npm.",
          rule: { event: "bash", action: "warn", conditions: [{ field: "command", operator: "regex_match" }] },
          replay: { caught: 1, harmless: 1, examples: [{ text: "npm test" }] },
        },
      ],
    });
    const { out } = await shown("analyze", ...agent);
    expect(out).toContain('"use pnpm instead of npm"  ~/.claude/projects');
    expect(out).toContain("1. use-pnpm  medium, once");
    expect(readdirSync(join(dir, ".claude"))).toEqual([]);

    // The line that it shows keeps the rule.
    const keeps = /keep it: aot rules (.*)$/m.exec(out)?.[1] ?? "";
    const words = [...keeps.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(
      ([word, quoted]) => quoted?.replaceAll("'\\''", "'") ?? word,
    );
    expect((await rules(...words)).code).toBe(0);
    const tried = ["test", "use-pnpm", "--command"];
    expect((await rules(...tried, "npm ci")).json["fired"]).toHaveLength(1);
    expect((await rules(...tried, "pnpm ci")).json["fired"]).toHaveLength(0);
  });

  test("ASK-TURNS-1: two readings decide, a third one reads what they differ in", async () => {
    keep({ one: CORRECTED });
    const found = async (...answers: readonly (readonly object[])[]): Promise<unknown> => {
      const { json } = await rules("analyze", ...agentSaying(...answers));
      return [
        (json["findings"] as readonly { readonly what: string }[]).map(({ what }) => what),
        json["differing"],
        timesAsked(),
      ];
    };
    const invented = { ...USE_PNPM, quote: "that is wrong" };
    expect(await found([USE_PNPM], [USE_PNPM])).toEqual([["Bash: npm install x"], 0, 2]);
    expect(await found([], [])).toEqual([[], 0, 2]);
    expect(await found([USE_PNPM], [], [USE_PNPM])).toEqual([["Bash: npm install x"], 0, 3]);
    expect(await found([USE_PNPM], [], [])).toEqual([[], 1, 3]);
    expect(await found([USE_PNPM], [invented], [invented])).toEqual([[], 1, 3]);
    expect(await found([USE_PNPM], [{ ...USE_PNPM, call: null }], [{ ...USE_PNPM, call: null }])).toEqual([
      [null],
      0,
      3,
    ]);
  });

  test("an agent that does not answer is said, and so is one that is not there", async () => {
    keep({ one: CORRECTED });
    expect(await rules("analyze", "--agent", "command:exit 1")).toMatchObject({ code: 1, json: { success: false } });
    expect(await rules("analyze", "--agent", "nobody")).toMatchObject({ code: 2, json: { success: false } });
  });

  test("without an agent: refused calls alone, and it says so", async () => {
    keep({ one: [...CORRECTED, bash("r1", "rm -rf build"), refusal("r1", "never delete the build")] });
    const { json, err } = await rules("analyze", "--agent", "none");
    expect(json).toMatchObject({
      agent: null,
      messages: { asked: 0 },
      findings: [{ name: null, what: "Bash: rm -rf build", quotes: [{ text: "never delete the build" }], rule: null }],
    });
    expect(err).toContain("only calls that you refused were looked at: no agent was to be asked");
    const { cwd, env } = options();
    const inside = { cwd, env: { ...env, PATH: "/nonexistent", CLAUDE_CODE_SESSION_ID: "s" } };
    expect((await aot(["rules", "analyze"], inside)).err).toContain("a session starts no client of its own");
  });

  test("where nothing went wrong it says so, and passed-over lines are reported on stderr", async () => {
    keep({ one: RED_TESTS, odd: ["no json", { type: "user" }] });
    const { code, out, err } = await shown("analyze", "--agent", "none");
    expect([code, out.trim().split("\n").length]).toEqual([0, 1]);
    expect(out).toContain("nothing found");
    expect(err).toContain("lines passed over: 1 not JSON, 1 of a form that is not known");
  });
});

describe.skipIf(whyNoTerminal() !== null)("aot rules analyze on a terminal", () => {
  const asked = async (): Promise<Terminal> => {
    keep({ one: CORRECTED, two: NEVER_PUSH });
    const agent = agentSaying([
      USE_PNPM,
      {
        ...USE_PNPM,
        turn: 2,
        quote: "Never push to main",
        call: 3,
        name: "no-push",
        when: [{ field: "command", pattern: "^git push" }],
      },
    ]);
    const command = [process.execPath, aotPath(), "rules", "analyze", ...agent];
    const terminal = onTerminal(command, dir, 120, 60, { HOME: home });
    await eventually("it asks", () => terminal.screen.rows().some((row) => /written\?/.test(row)), 50_000);
    return terminal;
  };

  test("asks which rules are written: those that are marked, and no other; Ctrl-C writes nothing", async () => {
    const terminal = await asked();
    expect(terminal.raw()).toContain("Never push to main");
    terminal.type("\u0003");
    expect(await terminal.ended()).toBe(0);
    expect(readdirSync(join(dir, ".claude"))).toEqual([]);
    const again = await asked();
    again.type(" \r");
    expect(await again.ended()).toBe(0);
    expect(readdirSync(join(dir, ".claude"))).toHaveLength(1);
    expect(again.raw()).toContain("written: ");
  });
});

describe("aot rules replay", () => {
  const rule = (name: string, head: string): void =>
    writeFileSync(fileOf(name), `---\nname: ${name}\n${head}\n---\n\nno\n`);

  test("lists what each rule would have caught, disabled ones too", async () => {
    const folder = keep({
      one: [user("go"), bash("b1", "npm install lodash")],
      two: [bash("b2", "npm pack")],
      three: RED_TESTS,
    });
    rule("no-npm", "enabled: false\nevent: bash\npattern: ^npm\\s");
    rule("no-rm", "event: bash\npattern: ^rm\\s\naction: block");
    const { code, json } = await rules("replay");
    expect(code).toBe(0);
    expect(json).toMatchObject({
      success: true,
      rules: [
        { name: "no-npm", enabled: false, caught: 3 },
        { name: "no-rm", action: "block", caught: 0, examples: [] },
      ],
    });
    const [first] = json["rules"] as { examples: object[] }[];
    expect(first?.examples).toContainEqual({
      file: join(folder, "one.jsonl"),
      line: 2,
      tool: "Bash",
      text: "npm install lodash",
      decided: true,
    });
    expect((await rules("replay", "no-npm", "--limit", "1", "--session", "two")).json["rules"]).toMatchObject([
      { caught: 1, examples: [{ text: "npm pack" }] },
    ]);
    expect((await shown("replay", "no-rm")).out).toContain("no-rm (block): would have caught 0 of");
    expect((await shown("replay", "no-npm", "--limit", "1")).out).toContain("and 2 more");
  });
});
