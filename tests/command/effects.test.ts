/** What the table says that a command does to the loop is what it does. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandSpec } from "../../src/command/spec.ts";
import { COMMANDS } from "../../src/commands.ts";
import { aot, projectWith } from "../support/aot.ts";
import { LOOP } from "../support/loop-fixture.ts";

interface Row {
  readonly name: string;
  readonly command: CommandSpec;
}

function rows(command: CommandSpec, path: readonly string[]): Row[] {
  const own = command.load === undefined ? [] : [{ name: path.join(" "), command }];
  return [...own, ...(command.commands ?? []).flatMap((child) => rows(child, [...path, child.name]))];
}

const ROWS = COMMANDS.flatMap((command) => rows(command, [command.name]));

/** Words behind the name, where a command needs any. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  "verify command": ["node --version"],
  "verify file": ["*.nowhere"],
  diff: ["A1"],
  "receipt verify": [join(".claude", "aot-loop-state.md"), "--yes"],
};

/** Every file below a folder, with its bytes and when it was written. The cache is no part of the loop. */
function bytesBelow(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !path.includes(join("aot-loop", "cache")))
      found[path] = `${statSync(path).mtimeMs} ${readFileSync(path, "hex")}`;
  }
  return found;
}

test("every command that can be run says what it does to the loop", () => {
  expect(ROWS.length).toBeGreaterThan(20);
  expect(ROWS.filter(({ command }) => command.effect === undefined).map(({ name }) => name)).toEqual([]);
});

test("what only looks neither settles anything nor goes on for hours", () => {
  const reading = ROWS.filter(({ command }) => command.effect === "reads");
  expect(reading.filter(({ command }) => command.settles === true || command.lasting === true)).toEqual([]);
});

describe("effect reads: every byte of the loop stays as it was", () => {
  for (const { name, command } of ROWS.filter((row) => row.command.effect === "reads"))
    test(name, async () => {
      const { dir } = projectWith();
      expect((await aot(["stop"], { cwd: dir })).code).toBe(0);
      const before = bytesBelow(dir);
      const ran = await aot([...name.split(" "), ...(WORDS[name] ?? []), "--json"], { cwd: dir });
      expect(JSON.parse(ran.out)).not.toHaveProperty("errors.0.code", "usage");
      expect(command.load).toBeDefined();
      expect(bytesBelow(dir)).toEqual(before);
    });
});

/** Nothing is left but what a person decides. */
const ALL_DONE = LOOP.replaceAll("status: pending", "status: resolved").replace("type: file", "type: assertion");

describe("effect changes, discards: there is a call that changes a byte", () => {
  const CALLS: Readonly<Record<string, readonly string[]>> = {
    align: ["g", "--check", "file: x", "--yes", "--force"],
    run: ["--agent", "command:false", "--max-iterations", "3"],
    report: [],
    redirect: ["--from", "changes.yaml"],
    confirm: ["Login exists", "--yes"],
    reject: ["Login exists", "--reason", "r"],
    "redirect edit": [],
    "redirect change": ["A6", "--description", "d"],
    "redirect set": ["goal", "Another"],
    "redirect limit": ["max_cost_usd", "2.5"],
    "redirect add": ["B1", "--description", "d"],
    "redirect remove": ["A6"],
    "redirect choose": ["token_method", "A4_alt"],
    "redirect redo": ["A3"],
    "redirect rebind": ["A3", "--summary", "s"],
    stop: [],
    "state set-status": ["stopped"],
    "atom add": ["B1", "--description", "d"],
    "atom update": ["A1", "resolved"],
    "atom decompose": ["A2", "--child", "X=x", "--reason", "r"],
    "atom fail": ["A4", "--reason", "r"],
    "binding add": ["A1", "--summary", "s"],
    "or switch": ["token_method", "A4_alt", "--reason", "r"],
  };
  // Here is nothing to clean: tests/doctor shows what `clean` removes.
  for (const { name } of ROWS.filter((row) => row.command.effect !== "reads" && row.name !== "clean"))
    test(name, async () => {
      const { dir } = projectWith(name === "confirm" || name === "reject" ? ALL_DONE : LOOP);
      if (name === "binding add") await aot(["atom", "update", "A1", "resolved"], { cwd: dir });
      writeFileSync(join(dir, "changes.yaml"), "limits: {max_iterations: 40}\n");
      writeFileSync(
        join(dir, "editor.mjs"),
        'import { writeFileSync } from "node:fs"; writeFileSync(process.argv[2], "goal: Another");',
      );
      const before = bytesBelow(dir);
      const call = [...name.split(" "), ...(CALLS[name] ?? ["no call is written for it"])];
      await aot(call, { cwd: dir, env: { EDITOR: "node editor.mjs", VISUAL: "" } });
      expect(bytesBelow(dir)).not.toEqual(before);
    });
});
