/** `aot rules analyze` and `aot rules replay` as processes (SPEC section 12). */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readCorpus } from "../../fixtures/transcripts/corpus.mjs";
import { aot, aotJson, aotPath, type Ran, type RanJson } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
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

/** Writes transcripts of the corpus as sessions of this project. */
function keep(...names: string[]): string {
  const folder = join(home, ".claude", "projects", dir.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  for (const { name, lines } of readCorpus("tuned"))
    if (names.includes(name))
      writeFileSync(join(folder, `${name}.jsonl`), `${lines.join("\n").replaceAll('"b1"', `"${name}-b1"`)}\n`);
  return folder;
}

describe("aot rules analyze", () => {
  test("says what was found, with file and line, and writes nothing", async () => {
    const folder = keep("en-npm-pnpm", "trap-en-tests-red");
    const { code, json, err } = await rules("analyze");
    expect([code, err]).toEqual([0, ""]);
    expect(json).toMatchObject({
      success: true,
      transcripts: { files: 2, skipped: { other: 0, too_long: 0, unreadable: 0, unknown: 0 }, broken: [] },
      written: [],
      left_out: 0,
      findings: [
        {
          name: "no-npm",
          quotes: [{ file: join(folder, "en-npm-pnpm.jsonl"), line: 4, call: { line: 2 } }],
          rule: { event: "bash", action: "warn", conditions: [{ field: "command", operator: "regex_match" }] },
          replay: { caught: 1, harmless: 0, examples: [] },
        },
      ],
    });
    const { out } = await shown("analyze");
    expect(out).toContain('"no, use pnpm instead of npm"  ~/.claude/projects');
    expect(out).toMatch(/1\. no-npm {2}medium, correction, once, confidence 0\.\d\d/);
    expect(readdirSync(join(dir, ".claude"))).toEqual([]);
  });

  test("JUDGE-DOUBTFUL-1, JUDGE-DOUBTFUL-2: an agent's votes decide, where they quote the person's words and name a call", async () => {
    const folder = keep();
    const edit = (id: string, name: string): object => ({
      type: "tool_use",
      id,
      name: "Edit",
      input: { file_path: join(dir, name), old_string: "a", new_string: "b" },
    });
    const said = (words: string): void => {
      const lines = [
        { type: "assistant", message: { role: "assistant", content: [edit("e", "a.ts"), edit("f", "b.ts")] } },
        { type: "user", message: { role: "user", content: words } },
      ];
      writeFileSync(join(folder, "s.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    };
    const found = async (...words: string[]): Promise<unknown> => {
      const { json } = await rules("analyze", ...words);
      const findings = json["findings"] as readonly { readonly doubtful: boolean; readonly what: string }[];
      return findings.map(({ doubtful, what }) => [doubtful, what]);
    };
    const agent = join(dir, "agent.mjs");
    const voting = async (...votes: readonly (object | null)[]): Promise<unknown> => {
      for (const at of [0, 1, 2]) rmSync(join(dir, `vote-${at}`), { recursive: true, force: true });
      writeFileSync(
        agent,
        `import { mkdirSync } from "node:fs";
        const taken = (number) => { try { mkdirSync("vote-" + number); return true; } catch { return false; } };
        const vote = ${JSON.stringify(votes)}[[0, 1, 2].find(taken)];
        console.log(JSON.stringify({ unwanted: vote === null ? [] : [vote] }));`,
      );
      return await found("--agent", `command:node ${agent}`);
    };
    const [older, newer] = ["a.ts", "b.ts"].map((name) => `Edit: ${join(dir, name)}`);

    said("I mean the other one");
    expect(await found()).toEqual([[true, newer]]);
    const yes = { message: 1, call: 1, quote: "I mean the  other one" };
    const invented = { message: 1, call: 1, quote: "that is wrong" };
    const elsewhere = { message: 1, call: 9, quote: "the other one" };
    expect(await voting(yes, null, yes)).toEqual([[false, newer]]);
    expect(await voting(null, null, null)).toEqual([]);
    expect(await voting(null, yes, null)).toEqual([[true, newer]]);
    expect(await voting(yes, invented, elsewhere)).toEqual([[true, newer]]);
    expect(await voting(invented, invented, invented)).toEqual([[true, newer]]);

    // In this code hears nothing.
    said("hmm, way too big");
    const big = { message: 1, call: 2, quote: "way too big" };
    expect(await found()).toEqual([]);
    expect(await voting(big, null, big)).toEqual([[false, older]]);
    expect(await voting(big, null, null)).toEqual([]);

    // Nobody is asked about an approval.
    said("ok, thanks");
    expect(await voting(yes, yes, yes)).toEqual([]);
    expect(existsSync(join(dir, "vote-0"))).toBe(false);
    said("hmm, way too big");
    expect(await rules("analyze", "--agent", "command:exit 1")).toMatchObject({ code: 1, json: { success: false } });
  });

  test("writes a named rule after a yes and not without; what it wrote holds", async () => {
    keep("en-npm-pnpm");
    expect(await rules("analyze", "--write", "no-npm")).toMatchObject({ code: 2, json: { success: false } });
    expect(existsSync(fileOf("no-npm"))).toBe(false);
    expect(await rules("analyze", "--write", "no-npn", "--yes")).toMatchObject({
      code: 1,
      json: { errors: [{ code: "refused", hint: "did you mean no-npm?" }] },
    });
    expect((await rules("analyze", "--write", "no-npm", "--yes", "--shadow")).json["written"]).toEqual([
      { name: "no-npm", file: fileOf("no-npm") },
    ]);
    const tried = ["test", "no-npm", "--command"];
    expect((await rules(...tried, "npm ci")).json["fired"]).toHaveLength(1);
    expect((await rules(...tried, "pnpm ci")).json["fired"]).toHaveLength(0);
    expect(readFileSync(fileOf("no-npm"), "utf8")).toContain("shadow: true");
    expect(await rules("analyze", "--write", "no-npm", "--yes")).toMatchObject({ code: 1 });
    expect(await rules("analyze", "--write", "no-npm", "--yes", "--force")).toMatchObject({ code: 0 });
    expect(readFileSync(fileOf("no-npm"), "utf8")).not.toContain("shadow");
  });

  test("where nothing went wrong it says so, and passed-over lines are reported on stderr", async () => {
    const folder = keep("trap-en-tests-red");
    writeFileSync(join(folder, "odd.jsonl"), 'no json\n{"type":"user"}\n');
    const { code, out, err } = await shown("analyze");
    expect([code, out.trim().split("\n").length]).toEqual([0, 1]);
    expect(out).toContain("nothing found");
    expect(err).toContain("lines passed over: 1 not JSON, 1 of a form that is not known");
  });
});

describe.skipIf(whyNoTerminal() !== null)("aot rules analyze on a terminal", () => {
  const asked = async (...words: string[]): Promise<Terminal> => {
    keep("en-npm-pnpm", "en-never-push");
    const command = [process.execPath, aotPath(), "rules", "analyze", ...words];
    const terminal = onTerminal(command, dir, 120, 40, { HOME: home });
    await eventually("it asks", () => terminal.screen.rows().some((row) => /written\?|no-npm\?/.test(row)), 50_000);
    return terminal;
  };

  test("asks which rules are written: those that are marked, and no other", async () => {
    const terminal = await asked();
    expect(terminal.raw()).toContain("Never push to main without asking me first!");
    terminal.type(" \r");
    expect(await terminal.ended()).toBe(0);
    expect(readdirSync(join(dir, ".claude"))).toHaveLength(1);
    expect(terminal.raw()).toContain("written: ");
  });

  test("a named one is asked for; no, or Ctrl-C, writes nothing", async () => {
    for (const key of ["n", "\u0003"]) {
      const terminal = await asked("--write", "no-npm");
      expect(terminal.raw()).toContain("Write the rule no-npm?");
      terminal.type(key);
      expect(await terminal.ended()).toBe(0);
      expect(readdirSync(join(dir, ".claude"))).toEqual([]);
    }
    const terminal = await asked("--write", "no-npm");
    terminal.type("y");
    expect(await terminal.ended()).toBe(0);
    expect(existsSync(fileOf("no-npm"))).toBe(true);
  });
});

describe("aot rules replay", () => {
  const rule = (name: string, head: string): void =>
    writeFileSync(fileOf(name), `---\nname: ${name}\n${head}\n---\n\nno\n`);

  test("lists what each rule would have caught, disabled ones too", async () => {
    const folder = keep("en-npm-pnpm", "de-nicht", "trap-en-tests-red");
    rule("no-npm", "enabled: false\nevent: bash\npattern: ^npm\\s");
    rule("no-rm", "event: bash\npattern: ^rm\\s\naction: block");
    const { code, json } = await rules("replay");
    expect(code).toBe(0);
    expect(json).toMatchObject({
      success: true,
      rules: [
        { name: "no-npm", enabled: false, caught: 2 },
        { name: "no-rm", action: "block", caught: 0, examples: [] },
      ],
    });
    const [first] = json["rules"] as { examples: object[] }[];
    expect(first?.examples).toContainEqual({
      file: join(folder, "en-npm-pnpm.jsonl"),
      line: 2,
      tool: "Bash",
      text: "npm install lodash",
      decided: true,
    });
    expect((await rules("replay", "no-npm", "--limit", "1", "--session", "de-nicht")).json["rules"]).toMatchObject([
      { caught: 1, examples: [{ text: "npm pack" }] },
    ]);
    expect((await shown("replay", "no-rm")).out).toContain("no-rm (block): would have caught 0 of");
    expect((await shown("replay", "no-npm", "--limit", "1")).out).toContain("and 1 more");
  });
});
