/** `aot mcp install`: files of a scratch HOME and a scratch project, never real ones. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { MCP } from "../../../src/interfaces/mcp/command.ts";
import { CLIENTS } from "../../../src/mcp-clients/clients.ts";
import { aot, aotJson, aotPath, cleanEnv, type RanJson } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

interface InstallContext {
  readonly home: string;
  readonly project: string;
  install(...args: string[]): Promise<RanJson>;
}

function scratch(): InstallContext {
  const [home, project] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(project, ".git"));
  const env = { HOME: home, USERPROFILE: home, APPDATA: join(home, "AppData"), XDG_CONFIG_HOME: join(home, ".config") };
  return {
    home,
    project,
    install: async (...args) => await aotJson(["mcp", "install", ...args], { cwd: project, env }),
  };
}

/** As earlier states of this version wrote it. */
const BY_NAME = { command: "npx", args: ["-y", "aot-loop", "mcp"] };

const FILES: Readonly<Record<string, readonly [project: string | null, linux: string]>> = {
  "claude-code": [".mcp.json", ".claude.json"],
  "claude-desktop": [null, ".config/Claude/claude_desktop_config.json"],
  codex: [".codex/config.toml", ".codex/config.toml"],
  cursor: [".cursor/mcp.json", ".cursor/mcp.json"],
  gemini: [".gemini/settings.json", ".gemini/settings.json"],
  vscode: [".vscode/mcp.json", ".config/Code/User/mcp.json"],
};

test("the table names the clients that there are", () => {
  const flag = MCP.commands?.[0]?.flags?.find(({ name }) => name === "client");
  expect(flag?.choices).toEqual(CLIENTS.map(({ name }) => name));
  expect(Object.keys(FILES)).toEqual(CLIENTS.map(({ name }) => name));
});

describe.skipIf(process.platform !== "linux")("each client, on Linux", () => {
  for (const [client, [project, user]] of Object.entries(FILES)) {
    if (project !== null)
      test(`${client}, the project's file: the program itself, and that it is of this machine`, async () => {
        const context = scratch();
        const { code, json } = await context.install("--client", client, "--project");
        expect(code).toBe(0);
        expect(json).toMatchObject({ clients: [{ notes: [expect.stringContaining("of this machine")] }] });
        expect(readFileSync(join(context.project, project), "utf8")).toContain(JSON.stringify(aotPath()));
        expect(readdirSync(context.home)).toEqual([]);
      });

    for (const [scope, file, of] of [
      ["--project", project, "project"],
      ["--user", user, "home"],
    ] as const)
      if (file !== null)
        test(`${client}, ${scope}: an entry that starts a package by name is replaced, with the old file kept`, async () => {
          const context = scratch();
          const path = join(context[of], file);
          mkdirSync(dirname(path), { recursive: true });
          const edit = CLIENTS.find(({ name }) => name === client)?.edit("", BY_NAME);
          writeFileSync(path, edit?.ok === true ? edit.text : "");
          const { json } = await context.install("--client", client, scope);
          expect(json).toMatchObject({ clients: [{ client, changed: true, backup: `${path}.bak-1` }] });
          const text = readFileSync(path, "utf8");
          expect(text).not.toMatch(/npx|aot-loop"/);
          expect(text).toContain(JSON.stringify(aotPath()));
        });

    test(`${client}, the user's file: the program itself, which starts`, async () => {
      const context = scratch();
      const { json } = await context.install("--client", client, "--user");
      expect(json).toMatchObject({
        clients: [{ client, scope: "user", changed: true, backup: null, file: join(context.home, user) }],
      });
      const text = readFileSync(join(context.home, user), "utf8");
      expect(text).toContain(JSON.stringify(process.execPath));
      expect(text).toContain(JSON.stringify(aotPath()));
      expect(readdirSync(context.project)).toEqual([".git"]);
    });
  }
});

test("again: it says it already, and nothing is written", async () => {
  const { install, project } = scratch();
  await install("--client", "cursor", "--client", "codex");
  const before = readFileSync(join(project, ".cursor/mcp.json"), "utf8");
  expect((await install("--client", "cursor", "--client", "codex")).json).toMatchObject({
    clients: [{ changed: false }, { changed: false }],
  });
  expect(readFileSync(join(project, ".cursor/mcp.json"), "utf8")).toBe(before);
  expect(readdirSync(join(project, ".cursor"))).toEqual(["mcp.json"]);
});

test("what stood there stays, and the old file is kept", async () => {
  const { install, project } = scratch();
  const file = join(project, ".vscode/mcp.json");
  mkdirSync(dirname(file));
  const old = '{\n  // ours\n  "inputs": [],\n  "servers": { "git": { "command": "uvx" } },\n}\n';
  writeFileSync(file, old);
  const { json } = await install("--client", "vscode");
  expect(json).toMatchObject({ clients: [{ changed: true, backup: `${file}.bak-1` }] });
  expect(readFileSync(`${file}.bak-1`, "utf8")).toBe(old);
  const text = readFileSync(file, "utf8");
  expect(text).toContain("// ours");
  expect(text).toContain(
    `"git": { "command": "uvx" }, "aot": ${JSON.stringify({ type: "stdio", command: process.execPath, args: [aotPath(), "mcp"] })} }`,
  );
});

test("--print shows the entry, and nothing of a file that may hold secrets; nothing is written", async () => {
  const { install, home, project } = scratch();
  writeFileSync(join(home, ".claude.json"), '{"token": "secret"}');
  const env = { HOME: home };
  const ran = await aot(["mcp", "install", "--user", "--print"], { cwd: project, env });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toContain('"mcpServers"');
  expect(ran.out + ran.err).not.toContain("secret");
  expect((await install("--print")).json).toMatchObject({ written: false, clients: [{ changed: true }] });
  expect(readFileSync(join(home, ".claude.json"), "utf8")).toBe('{"token": "secret"}');
  expect(readdirSync(project)).toEqual([".git"]);
});

/** Where npx, pnpm dlx, yarn dlx and bunx keep what they run, for a while. */
const RUNNERS = [
  ".npm/_npx/1f2e3d/node_modules/aot-loop",
  ".cache/pnpm/dlx/abc/def/node_modules/aot-loop",
  "xfs-1a2b/dlx-77/node_modules/aot-loop",
  "bunx-1000-aot-loop@latest/node_modules/aot-loop",
];

describe("refused, with nothing written", () => {
  test.each(RUNNERS)("started from where a package runner keeps it: %s", (folder) => {
    const { home, project } = scratch();
    const place = join(temporaryFolder(), folder);
    cpSync(dirname(aotPath()), join(place, "dist"), { recursive: true });
    symlinkSync(join(process.cwd(), "node_modules"), join(place, "node_modules"), "junction");
    const args = [join(place, "dist", basename(aotPath())), "mcp", "install", "--json"];
    const ran = spawnSync(process.execPath, args, { cwd: project, env: cleanEnv({ HOME: home }), encoding: "utf8" });
    expect(ran.status).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      success: false,
      errors: [
        { code: "refused", message: expect.stringContaining(place), hint: expect.stringContaining("npm install -g") },
      ],
    });
    expect([readdirSync(home), readdirSync(project)]).toEqual([[], [".git"]]);
  });

  for (const [client, file, text, place] of [
    ["cursor", ".cursor/mcp.json", '{\n  "mcpServers": {\n', "mcp.json:3:1"],
    ["codex", ".codex/config.toml", "a = 1\nb =\n", "config.toml:2:4"],
    ["gemini", ".gemini/settings.json", "[]", "settings.json:1:1"],
  ] as const)
    test(`${client}: a file that is not what it should be`, async () => {
      const { install, project } = scratch();
      mkdirSync(dirname(join(project, file)));
      writeFileSync(join(project, file), text);
      const ran = await install("--client", client);
      expect(ran).toMatchObject({ code: 2, json: { success: false, errors: [{ code: "file_unreadable" }] } });
      expect(JSON.stringify(ran.json)).toContain(place);
      expect(readFileSync(join(project, file), "utf8")).toBe(text);
      expect(readdirSync(dirname(join(project, file)))).toHaveLength(1);
    });

  test("an unknown client, both scopes, and a scope that a client has not", async () => {
    const { install, home, project } = scratch();
    for (const [args, said] of [
      [["--client", "cursr"], "did you mean cursor?"],
      [["--project", "--user"], "use one of them"],
      [["--client", "claude-desktop", "--project"], "say --user"],
    ] as const) {
      const ran = await install(...args);
      expect(ran.code).toBe(2);
      expect(JSON.stringify(ran.json)).toContain(said);
    }
    expect([readdirSync(home), readdirSync(project)]).toEqual([[], [".git"]]);
    expect(existsSync(join(project, ".mcp.json"))).toBe(false);
  });
});
