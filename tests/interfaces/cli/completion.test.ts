/** `aot completion`: what the table knows, offered where the parser would take it, in the shells themselves. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AOT } from "../../../src/aot.ts";
import { candidatesFor, type LoopNames } from "../../../src/interfaces/cli/completion/candidates.ts";
import { parseCommand } from "../../../src/interfaces/cli/parse-command.ts";
import { SHELLS } from "../../../src/interfaces/cli/completion/scripts.ts";
import { aot, aotPath, documentOf, projectWith } from "../../support/aot.ts";
import { eventually } from "../../support/bundle.ts";
import { onTerminal, whyNoTerminal } from "../../support/terminal.ts";

const NAMES: LoopNames = {
  atoms: async () => [
    { value: "A1", summary: "pending: User model" },
    { value: "A2", summary: "" },
    { value: "b c", summary: "" },
    { value: "$(x)", summary: "" },
  ],
  groups: async () => [{ value: "token", summary: "" }],
};

async function offered(...words: string[]): Promise<readonly string[] | "files"> {
  const found = await candidatesFor(AOT, words, NAMES);
  return found.kind === "files" ? "files" : found.words.map(({ value }) => value);
}

test("commands, flags that are not given yet, choices, atoms, groups and paths, each where they belong", async () => {
  expect(await offered("stat")).toEqual(["status", "state"]);
  expect(await offered("atom", "")).toEqual(["add", "update", "decompose", "fail"]);
  expect(await offered("atom", "update", "")).toEqual(["A1", "A2"]);
  expect(await offered("atom", "update", "A1", "")).toEqual(["pending", "in_progress", "resolved"]);
  expect(await offered("atom", "update", "A1", "r")).toEqual(["resolved"]);
  expect(await offered("graph", "--f")).toEqual(["--format"]);
  expect(await offered("graph", "--format", "m")).toEqual(["mermaid"]);
  expect(await offered("graph", "--format=m")).toEqual(["--format=mermaid"]);
  expect(await offered("graph", "--format", "=", "m"), "as bash takes it apart").toEqual(["mermaid"]);
  expect(await offered("graph", "--format", "json", "--f")).toEqual([]);
  expect(await offered("redirect", "choose", "")).toEqual(["token"]);
  expect(await offered("redirect", "choose", "token", "A")).toEqual(["A1", "A2"]);
  expect(await offered("--json", "or", "switch", "t")).toEqual(["token"]);
  expect(await offered("report", "--output", "x")).toBe("files");
  expect(await offered("verify", "file", "")).toBe("files");
  expect(await offered("nowhere", "--wrong", "x", "")).toEqual([]);
  const commands = await offered("");
  expect(commands).toEqual((AOT.commands ?? []).map(({ name }) => name));
});

test("law CANDIDATES-1: what is offered behind any words is taken by the parser as a command, a flag or a value", async () => {
  const word = fc.oneof(
    fc.constantFrom(
      ..."atom|update|redirect|set|graph|--format|--json|A1|or|switch|verify|--|run|--agent|x|phases".split("|"),
    ),
    fc.string({ maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 4 }), async (before) => {
      const was = parseCommand(AOT, before, {});
      const known = (message: string): boolean => /is not known|there is no (flag|command)/.test(message);
      if (was.kind === "usage" && known(was.message)) return;
      const found = await offered(...before, "");
      if (found === "files") return;
      for (const value of found) {
        const parsed = parseCommand(AOT, [...before, value], {});
        if (parsed.kind === "usage")
          expect(known(parsed.message), `${[...before, value].join(" ")}: ${parsed.message}`).toBe(false);
      }
    }),
    { numRuns: 150 },
  );
});

test("the command says it line by line, and as a document; without a loop it is silent, never an error", async () => {
  const { dir } = projectWith();
  const ran = await aot(["completion", "complete", "--", "atom", "update", "A4"], { cwd: dir });
  expect(ran).toEqual({ code: 0, out: "A4\tpending: Signed tokens\nA4_alt\tpending: Server sessions\n", err: "" });
  const document = documentOf(
    await aot(["completion", "complete", "--json", "--", "graph", "--format", "mer"], { cwd: dir }),
  );
  expect(document).toEqual({ success: true, files: false, words: [{ value: "mermaid", summary: "" }] });
  const { dir: broken } = projectWith("no loop\n");
  expect(await aot(["completion", "complete", "--", "atom", "update", ""], { cwd: broken })).toEqual({
    code: 0,
    out: "",
    err: "",
  });
  expect((await aot(["completion", "complete"], { cwd: dir })).out).toContain("status\t");
  expect((await aot(["completion", "complete", "--", "atom", '""'], { cwd: dir })).out).toContain("update\t");
  for (const shell of SHELLS)
    expect((await aot(["completion", shell], { cwd: dir })).out).toContain("completion complete --");
});

/** How each shell is started so that it reads nothing of the machine's own, and how it is set up. */
const STARTED: Readonly<Record<"bash" | "zsh" | "fish", readonly [command: readonly string[], setUp: string]>> = {
  bash: [["bash", "--norc", "--noprofile", "-i"], 'eval "$(aot completion bash)"'],
  zsh: [["zsh", "-f", "-i"], 'autoload -Uz compinit; compinit -u -d $HOME/dump; eval "$(aot completion zsh)"'],
  fish: [["fish", "--private", "-i"], "aot completion fish | source"],
};
const isThere = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

describe.skipIf(whyNoTerminal() !== null)("in the shell itself, on a terminal (needs python3 and the shell)", () => {
  for (const [shell, [command, setUp]] of Object.entries(STARTED))
    test.skipIf(!isThere(shell))(shell, async () => {
      const { dir } = projectWith();
      const bin = join(dir, "bin");
      mkdirSync(bin);
      writeFileSync(join(bin, "aot"), `#!/bin/sh\nexec "${process.execPath}" "${aotPath()}" "$@"\n`);
      chmodSync(join(bin, "aot"), 0o755);
      const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: dir, PS1: "> ", LC_ALL: "C.UTF-8" };
      const terminal = onTerminal(command, dir, 100, 30, env);
      const all = (): string => terminal.screen.rows().join("\n");
      const shows = async (what: RegExp): Promise<void> =>
        await eventually(`${what} in ${shell}`, () => what.test(all()), 50_000).catch((error: unknown) => {
          throw new Error(`${String(error)}\n${all()}`);
        });
      terminal.type(`${setUp}; echo set''up\r`);
      await shows(/^setup/m);
      terminal.type("aot atom upd\t");
      await shows(/aot atom update /);
      terminal.type("A4_\t");
      await shows(/aot atom update A4_alt /);
      terminal.type("res\t");
      await shows(/aot atom update A4_alt resolved/);
      terminal.type("--js\t\r");
      await shows(/"success":false|"success": ?false|waits|refused|resolved_atoms|executable_atoms/);
      terminal.type("\raot verify file .cla\t");
      await shows(/aot verify file \.claude\//);
    });
});
