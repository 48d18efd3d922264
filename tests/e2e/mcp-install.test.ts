/** What `aot mcp install` writes, read by the real clients themselves: they list the server, and those that try start it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, onTestFinished, test } from "vitest";
import { aotProcess, projectWith } from "../support/aot.ts";
import { removeFolder } from "./clients.ts";

interface Client {
  /** As `--client` has it. */
  readonly name: string;
  /** Names its program. */
  readonly variable: string;
  /** Where `npm run e2e` puts it, below the clients' folder. */
  readonly installed: string;
  readonly words: readonly string[];
  readonly says: RegExp;
}

const CLIENTS: readonly Client[] = [
  {
    name: "claude-code",
    variable: "AOT_E2E_CLAUDE",
    installed: "@anthropic-ai/claude-code-*/claude",
    words: ["mcp", "list"],
    says: /aot: .*Connected/,
  },
  {
    name: "codex",
    variable: "AOT_E2E_CODEX",
    installed: "@openai/codex-*/vendor/*/bin/codex",
    words: ["mcp", "get", "aot", "--json"],
    says: /"type": "stdio",\s+"command": ".*node.*",\s+"args": \[\s+".*bin\.cjs",\s+"mcp"/,
  },
  {
    name: "gemini",
    variable: "AOT_E2E_GEMINI",
    installed: "@google/gemini-cli/bundle/gemini.js",
    words: ["mcp", "list"],
    says: /aot: .*Connected/,
  },
];

function programOf({ variable, installed }: Client): string | undefined {
  const given = process.env[variable];
  if (given !== undefined) return existsSync(given) ? given : undefined;
  const cwd = join(process.cwd(), "node_modules", ".cache", "aot-clients", "node_modules");
  return globSync(installed, { cwd, absolute: true, expandDirectories: false })[0];
}

/** Nothing of this machine reaches the client but PATH; anything but loopback is refused. */
function run(program: string, words: readonly string[], cwd: string, home: string): string {
  const command = program.endsWith(".js") ? [process.execPath, program] : [program];
  const [file = "", ...first] = command;
  const ran = spawnSync(file, [...first, ...words], {
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      TERM: "dumb",
      LANG: "C.UTF-8",
      ANTHROPIC_API_KEY: "dummy",
      OPENAI_API_KEY: "dummy",
      GEMINI_API_KEY: "dummy",
      HTTPS_PROXY: "http://127.0.0.1:9",
      HTTP_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    encoding: "utf8",
    timeout: 90_000,
  });
  return ran.stdout + ran.stderr;
}

describe("SPEC 10: the client reads the entry and finds the server", () => {
  for (const client of CLIENTS) {
    const program = programOf(client);
    test.skipIf(program === undefined)(
      `${client.name}${program === undefined ? " (not installed: npm run e2e)" : ""}`,
      { timeout: 120_000 },
      () => {
        const { dir } = projectWith();
        const home = mkdtempSync(join(tmpdir(), "aot-client-"));
        onTestFinished(() => removeFolder(home));
        const installed = aotProcess(["mcp", "install", "--client", client.name, "--user"], {
          cwd: dir,
          env: { HOME: home },
        });
        expect(installed.code).toBe(0);
        expect(run(program ?? "", client.words, dir, home)).toMatch(client.says);
      },
    );
  }
});
