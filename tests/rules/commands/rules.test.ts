/** `aot rules` as processes (SPEC section 12). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { aot, aotJson, aotPath, type RanJson } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { onTerminal, whyNoTerminal } from "../../support/terminal.ts";

let dir: string;
let home: string;
beforeEach(() => {
  dir = temporaryFolder();
  home = temporaryFolder();
  mkdirSync(join(dir, ".git"));
  mkdirSync(join(dir, ".claude"));
});
const rules = async (...words: string[]): Promise<RanJson> =>
  await aotJson(["rules", ...words], { cwd: dir, env: { HOME: home } });
const fileOf = (name: string, folder = dir): string => join(folder, ".claude", `hookify.${name}.local.md`);
const write = (name: string, text: string, folder = dir): void => {
  mkdirSync(join(folder, ".claude"), { recursive: true });
  writeFileSync(fileOf(name, folder), text);
};
const NO_RM =
  "---\r\nname: no-rm\r\n# kept\r\nevent: bash\r\npattern: rm\\s+-rf\r\naction: block\r\ncolour: red\r\n---\r\n\r\nUse trash.\r\n";

describe("aot rules", () => {
  test("list: the project's and one's own, what is not valid by file and line, and how often each fired", async () => {
    write("no-rm", NO_RM);
    write("bad", "---\nname: bad\npattern: (\n---\n");
    write("mine", '---\nname: mine\nevent: prompt\npattern: "a\\sb"\n---\nx', home);
    const event = {
      session_id: "S",
      cwd: dir,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "rm -rf /" },
    };
    const hooked = await aot(["hook", "PreToolUse"], { cwd: dir, env: { HOME: home }, input: JSON.stringify(event) });
    expect(JSON.parse(hooked.out)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    const { code, json } = await rules("list");
    expect(code).toBe(0);
    expect(json).toMatchObject({
      rules: [
        {
          name: "no-rm",
          standing: "enabled",
          events: ["bash"],
          action: "block",
          fired: 1,
          overruled: 0,
          owner: "project",
        },
        { name: "mine", standing: "enabled", fired: 0, last: null, owner: "user" },
      ],
      bad: [{ file: fileOf("bad"), errors: [{ code: "pattern_syntax", line: 3, field: "pattern" }] }],
      warnings: [{ file: fileOf("mine", home), line: 4 }],
    });
    const shown = (await aot(["rules", "list"], { cwd: dir, env: { HOME: home } })).out;
    expect(shown).toMatch(/no-rm +enabled +bash +block +1 +0 .* rm -rf \/$/m);
    await rules("disable", "no-rm");
    await rules("disable", "mine");
    expect((await rules("list")).json).toMatchObject({
      rules: [
        { name: "no-rm", fired: 1, overruled: 1, caught: [{ what: "rm -rf /" }] },
        { name: "mine", fired: 0, overruled: 0, caught: [] },
      ],
    });
    expect(shown).toContain(".claude/hookify.bad.local.md:3");
  });

  test("a rule that is not there: what to do where there is none, and what was meant where there are", async () => {
    const complaint = async (): Promise<string> =>
      (await aot(["rules", "test", "no-mr", "--command", "ls"], { cwd: dir, env: { HOME: home } })).err;
    expect(await complaint()).toContain("add one with `aot rules add`");
    write("no-rm", NO_RM);
    expect(await complaint()).toContain("did you mean no-rm?");
    const tried = await aot(["rules", "test", "--command", "ls"], { cwd: dir, env: { HOME: home } });
    expect(tried.out).toContain("(1 rule tried)");
  });

  test("disable and enable change one line and no other; in shadow nothing is enforced", async () => {
    write("no-rm", NO_RM);
    expect(await rules("disable", "no-rm")).toMatchObject({ code: 0, json: { enabled: false } });
    const off = readFileSync(fileOf("no-rm"), "utf8");
    expect(off).toBe(NO_RM.replace("red\r\n", "red\r\nenabled: false\r\n"));
    expect(await rules("test", "--command", "rm -rf /")).toMatchObject({ code: 0, json: { tried: 0 } });
    expect(await rules("enable", "no-rm", "--shadow")).toMatchObject({
      code: 0,
      json: { enabled: true, shadow: true },
    });
    expect(await rules("test", "--command", "rm -rf /")).toMatchObject({
      code: 0,
      json: { blocked: false, fired: [{ as: "tried" }] },
    });
    expect(await rules("enable", "no-rm")).toMatchObject({ code: 0, json: { enabled: true, shadow: false } });
    expect(await rules("test", "--command", "rm -rf /")).toMatchObject({
      code: 1,
      json: { blocked: true, fired: [{ as: "blocked", message: "Use trash." }] },
    });
    expect(readFileSync(fileOf("no-rm"), "utf8")).toContain("# kept\r\n");
    expect(await rules("disable", "no-rn")).toMatchObject({
      code: 1,
      json: { errors: [{ hint: "did you mean no-rm?" }] },
    });
  });

  test("test: on each kind of action; a named rule also while it is off", async () => {
    const all = (event: string, more = ""): string =>
      `---\nname: ${event}\nevent: ${event}\npattern: secret\nenabled: false\n${more}---\nno`;
    for (const event of ["bash", "file", "read", "stop", "prompt"]) write(event, all(event));
    const asked: readonly (readonly [string, string[]])[] = [
      ["bash", ["--command", "secret"]],
      ["file", ["--file", "a", "--content", "secret"]],
      ["file", ["--file", "a", "--old", "x", "--content", "secret"]],
      ["read", ["--read", "secret"]],
      ["stop", ["--stop", "secret"]],
      ["prompt", ["--prompt", "secret"]],
    ];
    for (const [name, words] of asked)
      expect([name, (await rules("test", name, ...words)).json["fired"]]).toEqual([
        name,
        [expect.objectContaining({ rule: name })],
      ]);
    const input = JSON.stringify({ tool_name: "Write", tool_input: { file_path: "a", content: "secret" } });
    const event = await aotJson(["rules", "test", "file", "--input", "-"], { cwd: dir, env: { HOME: home }, input });
    expect(event.json).toMatchObject({ event: "file", fired: [{ rule: "file" }] });
    // As the hook takes it: what was said last is in the transcript, if the client does not tell it.
    const said = { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "a secret" }] } };
    writeFileSync(join(dir, "s.jsonl"), `${JSON.stringify(said)}\n`);
    const stop = JSON.stringify({ hook_event_name: "Stop", session_id: "S", transcript_path: join(dir, "s.jsonl") });
    const stopped = await aotJson(["rules", "test", "stop", "--input", "-"], {
      cwd: dir,
      env: { HOME: home },
      input: stop,
    });
    expect(stopped.json).toMatchObject({ event: "stop", fired: [{ rule: "stop" }] });
    expect((await rules("test", "--prompt", "secret")).json).toMatchObject({ tried: 0, fired: [] });
    expect((await rules("test")).code).toBe(2);
    expect((await rules("test", "--prompt", "a", "--read", "b")).code).toBe(2);
    expect(existsSync(join(dir, ".claude", "aot-rules", "fired.jsonl"))).toBe(false);
  });

  test("add: only what its examples agree with is kept, and what is kept holds", async () => {
    const words = [
      "add",
      "no-force",
      "--pattern",
      String.raw`git\s+push\s.*--force\b`,
      "--action",
      "block",
      "--message",
      "It's shared.",
    ];
    const refused = await rules(...words, "--matches", "git push --farce");
    expect(refused).toMatchObject({ code: 1, json: { success: false } });
    expect((await rules(...words, "--passes", "git push origin --force")).code).toBe(1);
    expect(existsSync(fileOf("no-force"))).toBe(false);
    expect((await rules(...words, "--matches", "git push origin --force", "--passes", "git push")).code).toBe(0);
    expect((await rules(...words)).code).toBe(1);
    expect(await rules("test", "--command", "git push origin --force")).toMatchObject({
      code: 1,
      json: { fired: [{ message: "It's shared." }] },
    });
    const env = [
      "add",
      "env",
      "--event",
      "file",
      "--condition",
      "file_path ends_with .env",
      "--condition",
      "new_text regex_match it's \\w+",
      "--message",
      "m",
      "--user",
      "--shadow",
    ];
    expect(await rules(...env)).toMatchObject({ code: 0, json: { file: fileOf("env", home), shadow: true } });
    expect(await rules("test", "--file", "a/.env", "--content", "it's me")).toMatchObject({
      code: 0,
      json: { fired: [{ rule: "env", as: "tried" }] },
    });
    for (const wrong of [
      ["add"],
      ["add", "x", "--pattern", "(", "--message", "m"],
      ["add", "a/b", "--pattern", "x", "--message", "m"],
      ["add", "x", "--condition", "a is b", "--message", "m"],
    ])
      expect([wrong, (await rules(...wrong)).code]).not.toEqual([wrong, 0]);
  });

  const why = whyNoTerminal();
  test.skipIf(why !== null)(`add, by questions${why === null ? "" : ` (skipped: ${why})`}`, async () => {
    const terminal = onTerminal([process.execPath, aotPath(), "rules", "add"], dir, 120, 40, { HOME: home });
    const asked = async (question: string, answer: string, times = 1): Promise<void> => {
      await eventually(question, () => terminal.raw().split(question).length > times, 30_000);
      terminal.type(`${answer}\r`);
    };
    await asked("What is it about?", "");
    await asked("What is it called?", "no-rm");
    await asked("Which text is it about", String.raw`rm\s+-rf`);
    await asked("that it must match", "rm -fr /");
    await asked("that it must not match", "ls");
    // It does not match: it is asked for once more, as it is, and mended.
    const fault = 'does not match "rm -fr /"';
    await eventually(
      "the pattern again",
      () => (terminal.raw().split(fault)[1] ?? "").includes("Which text is it about"),
      30_000,
    );
    terminal.type(`${"\u007f".repeat(20)}${String.raw`rm\s+-(rf|fr)`}\r`);
    const again = async (question: string, answer: string): Promise<void> => {
      const from = terminal.raw().length;
      await eventually(question, () => terminal.raw().slice(from).includes(question), 30_000);
      terminal.type(`${answer}\r`);
    };
    await again("must match", "rm -fr /");
    await again("must not match", "ls");
    await asked("What does it do?", "\u001b[B");
    await asked("From when on?", "");
    await asked("The message: why", "Use trash.");
    expect(await terminal.ended()).toBe(0);
    expect(await rules("test", "--command", "rm -fr x")).toMatchObject({
      code: 1,
      json: { fired: [{ rule: "no-rm", message: "Use trash." }] },
    });
  });
});
