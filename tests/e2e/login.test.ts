/** Whether the real clients are logged in, as they say without asking anybody: a closed port is their only proxy. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { clientLogin } from "../../src/adapters/agents/client-login.ts";
import { scratchHome, scrubbed, withClient } from "./clients.ts";

const LIMIT_MS = 120_000;

/** Its PATH begins with the client under its own name. */
function environment(home: string, name: string, path: string): Record<string, string | undefined> {
  const bin = join(home, "bin");
  mkdirSync(bin);
  symlinkSync(path, join(bin, name));
  const { PATH = "", ...rest } = scrubbed(home);
  return { ...rest, PATH: `${bin}${delimiter}${PATH}`, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
}

withClient("claude", (path) => {
  describe("claude", () => {
    test("without a login it says so, with a key how", { timeout: LIMIT_MS }, async () => {
      const env = environment(scratchHome(), "claude", path);
      expect(await clientLogin("claude", env)).toMatchObject({ standing: "out" });
      expect(await clientLogin("claude", { ...env, ANTHROPIC_API_KEY: "dummy" })).toEqual({
        standing: "in",
        how: "api_key",
      });
    });
  });
});

withClient("codex", (path) => {
  describe("codex", () => {
    test("without a login it says so, with a key kept that it is in", { timeout: LIMIT_MS }, async () => {
      const home = scratchHome();
      const env = environment(home, "codex", path);
      expect(await clientLogin("codex", env)).toMatchObject({ standing: "out" });
      mkdirSync(join(home, ".codex"), { recursive: true });
      writeFileSync(join(home, ".codex", "auth.json"), '{ "OPENAI_API_KEY": "dummy" }');
      expect(await clientLogin("codex", env)).toEqual({ standing: "in" });
    });
  });
});
