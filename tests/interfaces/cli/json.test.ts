/** SPEC 10: `--json` gives one JSON document on stdout, and nothing else there, whatever the command says. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandSpec } from "../../../src/command/spec.ts";
import { AOT } from "../../../src/aot.ts";
import { aotJson, aotProcess, documentOf, projectWith } from "../../support/aot.ts";

/** One call of each command on the fixture loop: its words, exit code, and keys that it answers. */
const CALLS: Readonly<Record<string, readonly [line: readonly string[], code: number, keys: readonly string[]]>> = {
  align: [["align", "g", "--check", "file: x", "--yes", "--force"], 0, ["success", "red_first", "executable_atoms"]],
  run: [["run", "--plan", "--agent", "command:true"], 0, ["success", "iterations", "agent_calls", "cost_usd"]],
  attach: [["attach"], 1, ["success", "errors"]],
  status: [["status"], 0, ["success", "measure", "fuel", "events", "runner"]],
  verify: [["verify"], 1, ["passed", "checklist", "skipped", "requires_user_confirmation"]],
  "verify command": [["verify", "command", "exit 3"], 1, ["passed", "exit_code", "output"]],
  "verify file": [["verify", "file", ".claude/*"], 0, ["passed", "matches", "total"]],
  logs: [["logs"], 0, ["success", "lines"]],
  diff: [["diff", "A77"], 1, ["success", "errors"]],
  receipt: [["receipt"], 1, ["success", "errors"]],
  "receipt verify": [["receipt", "verify", "none.json"], 2, ["success", "errors"]],
  pr: [["pr"], 1, ["success", "errors"]],
  graph: [["graph"], 0, ["success", "nodes", "edges", "text"]],
  report: [["report"], 0, ["success", "file", "goal", "status", "outcome", "attempts", "cost_usd"]],
  doctor: [["doctor"], 0, ["success", "findings"]],
  clean: [["clean"], 0, ["success", "removed", "kept"]],
  redirect: [["redirect", "--from", "none.yaml", "--yes"], 2, ["success", "errors"]],
  "redirect change": [["redirect", "change", "A5", "--description", "d", "--yes"], 0, ["success", "description"]],
  "redirect allow-changed": [["redirect", "allow-changed", "t"], 0, ["success", "description", "via"]],
  "redirect edit": [["redirect", "edit"], 2, ["success", "errors"]],
  confirm: [["confirm", "x"], 1, ["success", "errors"]],
  reject: [["reject", "x", "--reason", "r"], 1, ["success", "errors"]],
  "redirect set": [["redirect", "set", "goal", "Another"], 0, ["success", "description", "via"]],
  "redirect limit": [["redirect", "limit", "max_cost_usd", "2.5"], 0, ["success", "description"]],
  "redirect add": [["redirect", "add", "B1", "--description", "d"], 0, ["success", "description"]],
  "redirect remove": [["redirect", "remove", "A6"], 0, ["success", "description"]],
  "redirect redo": [["redirect", "redo", "A3"], 0, ["success", "description"]],
  "redirect choose": [["redirect", "choose", "token_method", "A4_alt"], 0, ["success", "revert"]],
  "redirect rebind": [["redirect", "rebind", "A3", "--summary", "s"], 0, ["success", "revert"]],
  stop: [["stop"], 0, ["success", "message", "via"]],
  "state show": [["state", "show"], 0, ["status", "iteration", "stall_count", "atoms", "executable_atoms", "bindings"]],
  "state validate": [["state", "validate"], 0, ["valid", "errors", "warnings"]],
  "state gate": [["state", "gate"], 3, ["ready", "missing", "status"]],
  "state set-status": [["state", "set-status", "completed"], 1, ["success", "errors", "passed", "checklist"]],
  "atom add": [["atom", "add", "B1", "--description", "d"], 0, ["success", "executable_atoms", "measure"]],
  "atom update": [["atom", "update", "A1", "resolved"], 0, ["success", "resolved", "executable_atoms"]],
  "atom decompose": [["atom", "decompose", "A2", "--child", "X=x", "--reason", "r"], 0, ["success", "children"]],
  "atom fail": [["atom", "fail", "A4", "--reason", "r"], 0, ["success", "switched"]],
  "binding add": [["binding", "add", "A3", "--summary", "other"], 1, ["success", "errors"]],
  "or switch": [["or", "switch", "token_method", "A4_alt", "--reason", "r"], 0, ["success", "selected"]],
};

function runnable(command: CommandSpec, path: readonly string[]): string[] {
  const own = command.load === undefined ? [] : [path.join(" ")];
  return [...own, ...(command.commands ?? []).flatMap((child) => runnable(child, [...path, child.name]))];
}

/** Commands of products and interfaces. */
const ELSEWHERE = /^(demo|phases|rules|hook|session|mcp|acp|dashboard|completion|engine|worker|submit|loops)\b/;

test("every command is called here", () => {
  const names = (AOT.commands ?? []).flatMap((command) => runnable(command, [command.name]));
  expect(names.filter((name) => !ELSEWHERE.test(name)).toSorted()).toEqual(Object.keys(CALLS).toSorted());
});

describe("SPEC 10: one document on stdout", () => {
  for (const [name, [line, code, keys]] of Object.entries(CALLS)) {
    test(name, async () => {
      const { dir } = projectWith();
      const ran = await aotJson(line, { cwd: dir });
      expect({ code: ran.code, err: ran.code === code ? "" : ran.err + ran.out }).toEqual({ code, err: "" });
      expect(Object.keys(ran.json)).toEqual(expect.arrayContaining([...keys]));
    });
    test(`${name}, on a file that is not valid`, async () => {
      const { dir, state } = projectWith("no frontmatter\n");
      const ran = await aotJson(line, { cwd: dir });
      expect(ran.out.trim().split("\n")).toHaveLength(1);
      const reads = ![
        "align",
        "attach",
        "doctor",
        "clean",
        "logs",
        "diff",
        "receipt verify",
        "verify command",
        "verify file",
        "redirect",
        "redirect edit",
      ].includes(name);
      if (reads) {
        expect(ran.code).toBe(2);
        expect(JSON.stringify(ran.json)).toContain("no_frontmatter");
      }
      expect(state).toContain("aot-loop-state.md");
    });
  }
});

test("SPEC 10: --help and --version with --json are documents as well", async () => {
  const { dir } = projectWith();
  expect((await aotJson(["state", "--help"], { cwd: dir })).json["help"]).toContain("Commands");
  expect((await aotJson(["--version"], { cwd: dir })).json["version"]).toMatch(/^\d+\.\d+\.\d+$/);
});

test("AOT_DEBUG: a defect is said to be one, exit 70, with the stack only when asked for", async () => {
  const { dir } = projectWith();
  const preload = join(dir, "defect.cjs");
  writeFileSync(preload, 'require("node:path").relative = () => { throw new TypeError("boom") };');
  const env = { NODE_OPTIONS: `--require ${preload}` };
  const ran = aotProcess(["state", "show"], { cwd: dir, env });
  expect({ code: ran.code, out: ran.out }).toEqual({ code: 70, out: "" });
  expect(ran.err).toContain("this is a defect of aot");
  expect(ran.err).not.toContain("    at ");
  expect(aotProcess(["state", "show"], { cwd: dir, env: { ...env, AOT_DEBUG: "1" } }).err).toContain("    at ");
  const json = aotProcess(["state", "show", "--json"], { cwd: dir, env });
  expect(documentOf(json)).toMatchObject({ success: false, errors: [{ code: "defect" }] });
});
