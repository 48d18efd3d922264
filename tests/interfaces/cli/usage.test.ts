/** Bad usage is a sentence with the next step, and exit code 2. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseCommand } from "../../../src/interfaces/cli/parse-command.ts";
import { AOT } from "../../../src/aot.ts";
import { aot, aotJson, projectWith } from "../../support/aot.ts";
import { BARE } from "../../phases/core/definitions.ts";
import { temporaryFolder } from "../../support/bundle.ts";

interface Case {
  readonly line: readonly string[];
  readonly says: string;
  readonly hint: string;
}

const BAD: readonly Case[] = [
  { line: ["stat"], says: "there is no command `aot stat`", hint: "did you mean" },
  { line: ["xyzzy"], says: "there is no command `aot xyzzy`", hint: "commands of aot: align, run" },
  { line: ["atom"], says: "`aot atom` needs a command", hint: "one of add, update, decompose, fail" },
  { line: ["atom", "updat", "A1"], says: "there is no command `aot atom updat`", hint: "did you mean update?" },
  { line: ["state", "show", "--jsn"], says: "unknown flag --jsn", hint: "did you mean --json?" },
  { line: ["state", "show", "-x"], says: "unknown flag -x", hint: "flags: --json" },
  { line: ["align", "--goal", "it works"], says: "unknown flag --goal", hint: "write `aot align [GOAL]`" },
  {
    line: ["atom", "update", "--id=A1", "pending"],
    says: "unknown flag --id",
    hint: "write `aot atom update ID",
  },
  { line: ["atom", "update", "A1"], says: "status is missing", hint: "ID pending|in_progress|resolved" },
  { line: ["atom", "update", "A1", "done"], says: 'invalid value for status: "done"', hint: "one of pending" },
  {
    line: ["atom", "update", "A1", "resolve"],
    says: 'invalid value for status: "resolve"',
    hint: "did you mean resolved?",
  },
  {
    line: ["rules", "test", "no-force", "git push --force"],
    says: 'unexpected argument "git push --force"',
    hint: "write `aot rules test [RULE]`",
  },
  { line: ["graph", "--format", "foo"], says: 'invalid value for --format: "foo"', hint: "one of mermaid, json" },
  { line: ["atom", "update", "A1", "resolved", "A2"], says: 'unexpected argument "A2"', hint: "quotes" },
  { line: ["atom", "add", "B1"], says: "--description is missing", hint: "What is to be done" },
  { line: ["atom", "fail", "A1", "--reason"], says: "--reason needs a value", hint: "--reason TEXT" },
  { line: ["atom", "fail", "A1", "--reason", "--json"], says: "--json looks like a flag", hint: "--reason=--json" },
  { line: ["atom", "fail", "A1", "--reason", "a", "--reason", "b"], says: "--reason is given twice", hint: "once" },
  { line: ["state", "show", "--json=yes"], says: "--json takes no value", hint: "leave it out" },
  {
    line: ["run", "--parallel", "two"],
    says: 'invalid value for --parallel: "two"',
    hint: "a whole number, at least 1",
  },
  { line: ["run", "--parallel", "0"], says: 'invalid value for --parallel: "0"', hint: "at least 1" },
  { line: ["run", "--parallel", "1.5"], says: 'invalid value for --parallel: "1.5"', hint: "a whole number" },
  { line: ["run", "--max-cost-usd=-1"], says: 'invalid value for --max-cost-usd: "-1"', hint: "at least 0" },
  { line: ["log", "--follow"], says: "there is no command `aot log`", hint: "did you mean logs?" },
  { line: ["verify", "comand", "x"], says: "there is no command `aot verify comand`", hint: "did you mean command?" },
  { line: ["redirect", "limit", "max_iteration", "3"], says: "invalid value", hint: "did you mean max_iterations?" },
  { line: ["--json", "atom", "updat"], says: "there is no command `aot atom updat`", hint: "did you mean update?" },
];

describe("SPEC 9: bad usage names what is wrong and what was probably meant", () => {
  for (const { line, says, hint } of BAD) {
    test(line.join(" "), () => {
      const parsed = parseCommand(AOT, line, {});
      expect(parsed).toMatchObject({
        kind: "usage",
        message: expect.stringContaining(says),
        hint: expect.stringContaining(hint),
      });
    });
  }
});

describe("what only the command itself can read", () => {
  const { dir } = projectWith();
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    [
      "a limit that is no number",
      ["redirect", "limit", "max_iterations", "many"],
      'max_iterations is not a whole number (found "many")',
    ],
    ["a limit of nothing", ["redirect", "limit", "max_iterations", "0"], "at least 1"],
    ["a duration that is none", ["redirect", "limit", "max_duration", "soon"], '"90m"'],
    ["a child without a description", ["atom", "decompose", "A2", "--child", "X", "--reason", "r"], "ID=DESCRIPTION"],
    ["following as one document", ["logs", "--follow", "--json"], "exclude each other"],
    ["what happened to one attempt", ["logs", "A1", "2", "--events"], "all attempts of an atom"],
    ["watching as one document", ["status", "--watch", "--json"], "exclude each other"],
    ["a scores file that is not there", ["verify", "--scores", "none.json"], "there is no file none.json"],
    ["a value file that is not there", ["redirect", "set", "goal", "@none.txt"], "there is no file none.txt"],
    ["an alignment without a terminal", ["align", "x", "--check", "false", "--state-file", "new.md"], "--yes"],
    ["an alignment without a base case", ["align", "x", "--yes", "--state-file", "new.md"], "base case"],
    ["an empty check", ["align", "x", "--yes", "--check", "file:", "--state-file", "new.md"], "is empty"],
  ];
  for (const [name, line, says] of cases) {
    test(`exit 2: ${name}`, async () => {
      const ran = await aot(line, { cwd: dir });
      expect({ code: ran.code, out: line.includes("--json") ? "" : ran.out }).toEqual({ code: 2, out: "" });
      expect(`${ran.err}${ran.out}`).toContain(says);
      expect(ran.err).not.toContain("    at ");
    });
  }
});

test("SPEC 9: no command at all says what is here; --help exits 0", async () => {
  const { dir } = projectWith();
  expect(await aot([], { cwd: dir })).toMatchObject({ code: 0, out: expect.stringContaining("next: ") });
  expect(await aot(["--help"], { cwd: dir })).toMatchObject({ code: 0, err: "" });
});

test("SPEC 10: bad usage with --json is one document with the errors", async () => {
  const { dir } = projectWith();
  const ran = await aotJson(["atom", "updat", "A1"], { cwd: dir });
  expect(ran.code).toBe(2);
  expect(ran.json).toEqual({
    success: false,
    errors: [{ code: "usage", message: "there is no command `aot atom updat`", hint: "did you mean update?" }],
  });
});

test("flags of every command may be before its name, and what follows -- is a word", () => {
  expect(parseCommand(AOT, ["--state-file", "x.md", "--json", "atom", "update", "A1", "resolved"], {})).toMatchObject({
    kind: "run",
    path: ["aot", "atom", "update"],
  });
  const parsed = parseCommand(AOT, ["stop", "--", "--not-a-flag"], {});
  expect(parsed.kind === "run" && parsed.values.args.get("reason")).toBe("--not-a-flag");
});

test("AOT_STATE_FILE names the state file unless the flag does", async () => {
  const { dir, state } = projectWith();
  const elsewhere = projectWith().dir;
  const env = { AOT_STATE_FILE: state };
  expect((await aotJson(["state", "show"], { cwd: elsewhere, env })).json["success"]).toBe(true);
  expect((await aotJson(["state", "show", "--state-file", "none.md"], { cwd: dir, env })).code).toBe(2);
});

test("habits of other tools: help and version as words", () => {
  const kind = (...line: string[]) => parseCommand(AOT, line, {});
  expect(kind("version")).toEqual({ kind: "version" });
  expect(kind("help")).toMatchObject({ kind: "help", path: ["aot"] });
  expect(kind("help", "atom", "add")).toMatchObject({ kind: "help", path: ["aot", "atom", "add"] });
  expect(kind("help", "rnu")).toMatchObject({ kind: "usage", hint: "did you mean run?" });
});

test("SPEC 10: looking at a loop that is not there says so, and names the phase loop that is", async () => {
  const dir = temporaryFolder();
  const look = [["status"], ["logs"], ["attach"]];
  for (const line of look)
    expect(await aot(line, { cwd: dir })).toMatchObject({
      code: 2,
      err: expect.stringContaining('create it with "aot align"'),
    });
  writeFileSync(join(dir, "loop.json"), JSON.stringify(BARE));
  expect((await aot(["phases", "init", "loop.json"], { cwd: dir })).code).toBe(0);
  for (const line of look)
    expect(await aot(line, { cwd: dir })).toMatchObject({
      code: 2,
      err: expect.stringContaining("`aot phases status`"),
    });
});

test("a path below this folder is named from here, any other as it is", async () => {
  const { dir } = projectWith();
  const missing = async (path: string): Promise<string> =>
    (await aot(["status", "--state-file", path], { cwd: dir })).err;
  expect(await missing(join(dir, "no", "such.md"))).toContain(`there is no file ${join("no", "such.md")}\n`);
  expect(await missing(join("/elsewhere", dir, "such.md"))).toContain(
    `there is no file ${join("/elsewhere", dir, "such.md")}\n`,
  );
});
