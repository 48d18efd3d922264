/** SPEC 10: how a client starts this server: by paths that are there, and no name that somebody else could own. */
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "../../src/mcp-clients/clients.ts";
import { ownServer, whatIsWrongWith } from "../../src/mcp-clients/own-server.ts";
import { temporaryFolder } from "../support/bundle.ts";

function made(...parts: string[]): string {
  const file = join(realpathSync(temporaryFolder()), ...parts);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  return file;
}

function entryOf(node: string, script: string) {
  const server = ownServer(node, script);
  if (!server.ok) throw new Error(server.problems[0]?.message);
  return server.value;
}

const NODE = "/usr/bin/node";

test("law: what is written into a client's file is read from it, whatever the paths are", () => {
  fc.assert(
    fc.property(fc.constantFrom(...CLIENTS), fc.string({ unit: "grapheme" }), fc.string(), (client, node, script) => {
      const entry = { command: node, args: [script, "mcp"] };
      const edit = client.edit("", entry);
      expect(edit.ok && client.read(edit.text)).toEqual({ ok: true, entry });
    }),
    { examples: CLIENTS.map((client) => [client, "C:\\Program Files\\nodejs\\node.exe", "/a b/ü/bin.cjs"]) },
  );
});

test("nothing is read where there is nothing, and of an entry that is no program", () => {
  const nothing = { ok: true, entry: null };
  for (const client of CLIENTS) expect([client.name, client.read("")]).toEqual([client.name, nothing]);
  for (const text of ["{}", '{"mcpServers": []}', '{"mcpServers": {"aot": {"url": "http://127.0.0.1"}}}'])
    expect(CLIENTS.find(({ name }) => name === "cursor")?.read(text)).toEqual(nothing);
});

test("a program in a folder with blanks, reached by a link: the place that the link leads to", () => {
  const script = made("my tools", "dist", "bin.cjs");
  const link = join(temporaryFolder(), "aot");
  symlinkSync(script, link);
  expect(entryOf(NODE, link)).toEqual({ entry: { command: NODE, args: [script, "mcp"] }, note: null });
});

test.each([
  [".nvm/versions/node/v22.1.0/lib/node_modules/aot-loop/dist/bin.cjs"],
  [".claude/plugins/cache/aot-loop/aot-loop/0.1.0/lib/aot.cjs"],
  ["pnpm/global/5/.pnpm/aot-loop@0.1.0/node_modules/aot-loop/dist/bin.cjs"],
])("a warning for a program in the folder of a version: it goes with that version: %s", (path) => {
  const script = made(path);
  expect(entryOf(NODE, script)).toMatchObject({
    entry: { args: [script, "mcp"] },
    note: expect.stringContaining(`${script} is in the folder of one version`),
  });
});

test("a warning for a Node in the folder of a version, too", () => {
  const node = "/home/me/.volta/tools/image/node/24.1.0/bin/node";
  expect(entryOf(node, made("bin.cjs")).note).toContain(`${node} is in the folder of one version`);
});

test.skipIf(process.platform === "win32")("Homebrew's link to the installed version outlives that version", () => {
  const node = made("Cellar", "node@24", "24.1.0_1", "bin", "node");
  const prefix = dirname(dirname(dirname(dirname(dirname(node)))));
  const script = made("bin.cjs");
  expect(entryOf(node, script).note, "not linked").toContain(`${node} is in the folder of one version`);
  mkdirSync(join(prefix, "opt"));
  symlinkSync(join(prefix, "Cellar", "node@24", "24.1.0_1"), join(prefix, "opt", "node@24"));
  const linked = join(prefix, "opt", "node@24", "bin", "node");
  expect(entryOf(node, script)).toEqual({ entry: { command: linked, args: [script, "mcp"] }, note: null });
});

describe("what is wrong with an entry", () => {
  test("it starts a package by name", () => {
    for (const [command = "", ...args] of [
      ["npx", "-y", "aot-loop", "mcp"],
      ["npx", "aot", "mcp"],
      ["npx.cmd", "-y", "aot-loop@latest", "mcp"],
      ["cmd", "/c", "npx", "-y", "aot-loop", "mcp"],
      ["pnpm", "dlx", "aot-loop", "mcp"],
      ["/usr/local/bin/npx", "aot-loop", "mcp"],
    ])
      expect(whatIsWrongWith({ command, args })).toContain(`\`${[command, ...args].join(" ")}\``);
  });

  test("what it starts is not there", () => {
    const script = made("bin.cjs");
    const entry = { command: process.execPath, args: [script, "mcp"] };
    expect(whatIsWrongWith(entry)).toBe(null);
    rmSync(script);
    expect(whatIsWrongWith(entry)).toContain(script);
    expect(whatIsWrongWith({ ...entry, command: "/nowhere/node" })).toContain("/nowhere/node");
  });

  test("nothing, where PATH decides, or what somebody wrote themselves", () => {
    expect(whatIsWrongWith({ command: "aot", args: ["mcp"] })).toBe(null);
    expect(whatIsWrongWith({ command: "docker", args: ["run", "my/aot-loop"] })).toBe(null);
  });
});
