/** What clients say of their login: little programs in their place; the real ones are in tests/e2e/login.test.ts. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientLogin } from "../../../src/adapters/agents/client-login.ts";
import { examineAgents } from "../../../src/doctor/agents.ts";
import { temporaryFolder } from "../../support/bundle.ts";

/** A PATH on which `name` prints this, and nothing else stands. */
function pathWith(name: string, says: string, exit: number): { readonly PATH: string } {
  const bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\ncase $1 in --version) echo "9.8.7"; exit 0;; esac\nprintf '%s\\n' '${says}'\nexit ${exit}\n`;
  writeFileSync(join(bin, name), script, { mode: 0o755 });
  return { PATH: bin };
}

test.skipIf(process.platform === "win32").each([
  ["claude", '{"loggedIn": true, "authMethod": "api_key", "email": "me@home"}', 0, { standing: "in", how: "api_key" }],
  ["claude", '{"loggedIn": false}', 1, { standing: "out", next: expect.stringContaining("claude auth login") }],
  ["claude:opus", '{"loggedIn": true}', 0, { standing: "in" }],
  ["claude", "unknown command auth", 1, null],
  ["claude", "{}", 0, null],
  ["claude", "null", 0, null],
  ["codex", "Logged in using ChatGPT", 0, { standing: "in" }],
  ["codex", "WARNING: x\nNot logged in", 1, { standing: "out", next: expect.stringContaining("codex login") }],
  ["codex", "error: unknown command", 2, null],
  ["codex", "codex 9.9.9", 0, null],
  ["command:claude", '{"loggedIn": true}', 0, null],
])("SPEC 10: %s that says %j with exit code %i", async (name, says, exit, login) => {
  const [program = ""] = name.split(":");
  expect(await clientLogin(name, pathWith(program, says, exit))).toEqual(login);
});

test.skipIf(process.platform === "win32")("a client that is not there says nothing", async () => {
  expect(await clientLogin("claude", { PATH: temporaryFolder() })).toBeNull();
});

test.skipIf(process.platform === "win32")(
  "SPEC 9: aot doctor warns of an agent without a login, with what to do, and shows nobody's account",
  async () => {
    const out = await examineAgents({}, pathWith("codex", "Not logged in", 1));
    expect(out.find(({ name }) => name === "agent codex")).toEqual({
      name: "agent codex",
      level: "warn",
      detail: "9.8.7, not logged in",
      hint: expect.stringContaining("codex login"),
    });
    const account = '{"loggedIn": true, "authMethod": "claude.ai", "email": "me@home"}';
    const found = await examineAgents({}, pathWith("claude", account, 0));
    expect(found.find(({ name }) => name === "agent claude")).toEqual({
      name: "agent claude",
      level: "good",
      detail: "9.8.7, logged in (claude.ai)",
    });
  },
);
