/** The real Claude Code as a client of `aot mcp`: it sees the tools, the scripted model calls one, the file changes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aotPath, projectWith } from "../support/aot.ts";
import { sessionEnvironment } from "./claude-client.ts";
import { removeFolder, withClient } from "./clients.ts";
import { say, suiteModel, use } from "./scripted-model.ts";

withClient("claude", suite);

function suite(path: string): void {
  const model = suiteModel();

  const session = async (prompt: string, cwd: string, home: string, ...args: readonly string[]): Promise<string> => {
    const env = { ...sessionEnvironment(home, model.url), ENABLE_TOOL_SEARCH: "false" };
    const words = ["-p", prompt, "--output-format", "stream-json", "--verbose", ...args];
    const child = spawn(path, [...words, "--permission-mode", "dontAsk", "--allowedTools", "mcp__aot"], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
    await once(child, "close");
    return out;
  };

  const scratch = (): string => {
    const home = mkdtempSync(join(tmpdir(), "aot-claude-"));
    onTestFinished(() => removeFolder(home));
    return home;
  };

  test("SPEC 10: a tool call of its model changes the state file", { timeout: 120_000 }, async () => {
    const { dir, state } = projectWith();
    const home = scratch();
    const config = join(home, "mcp.json");
    const server = { command: process.execPath, args: [aotPath(), "mcp"] };
    writeFileSync(config, JSON.stringify({ mcpServers: { aot: server } }));
    model.play(
      ({ results }) =>
        [
          use("mcp__aot__aot_status", {}),
          use("mcp__aot__aot_more", { tool: "aot_atom_update", arguments: { id: "A1", status: "resolvd" } }),
          use("mcp__aot__aot_more", { tool: "aot_atom_update", arguments: { id: "A1", status: "resolved" } }),
        ][results.length] ?? say("done"),
    );
    const out = await session("go", dir, home, "--mcp-config", config, "--strict-mcp-config");
    const last = model.turns.at(-1);
    expect(last?.results, out).toHaveLength(3);
    const [shown, refused, done] = last?.results ?? [];
    expect(shown).toContain("executable_atoms");
    expect(refused).toContain("did you mean resolved?");
    expect(done).toContain("A1");
    expect(readFileSync(state, "utf8")).toContain('description: "User model"\n    status: resolved');
    const offered = (last?.tools ?? []).filter((name) => name.startsWith("mcp__aot__"));
    expect(offered).toHaveLength(10);
    expect(out).toContain('"aot","status":"connected"');
  });
}
