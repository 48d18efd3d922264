/** The real clients in the sandbox, against a scripted model on loopback (SPEC section 15). */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findConfinement } from "../../src/adapters/confinement/find.ts";
import { createAcpAgent } from "../../src/adapters/agents/acp.ts";
import { createCodexAgent } from "../../src/adapters/agents/codex.ts";
import type { Confinement } from "../../src/loop/confinement.ts";
import type { Agent } from "../../src/loop/ports.ts";
import { workerRequest } from "../contracts/agent.ts";
import { needs } from "../support/needs.ts";
import { claudeEnvironment, scrubbedClaude } from "./claude-client.ts";
import { codexEnvironment, geminiEnvironment, removeFolder, withClient } from "./clients.ts";
import { say, suiteModel, use, type Model, type Script } from "./scripted-model.ts";

const LIMIT_MS = 120_000;

interface Scene {
  readonly home: string;
  /** The person's checkout, and an attempt's worktree of it. */
  readonly checkout: string;
  readonly worktree: string;
  readonly place: Confinement;
}

/** @param prepare puts the client's settings below the home folder, before the place is made */
async function scene(prepare: (home: string) => void): Promise<Scene> {
  needs("bwrap", "unshare");
  const base = realpathSync(mkdtempSync(join(tmpdir(), "aot-client-")));
  onTestFinished(() => removeFolder(base));
  const [home, checkout, worktree] = [join(base, "home"), join(base, "project"), join(base, "worktree")];
  for (const folder of [join(home, ".ssh"), checkout]) mkdirSync(folder, { recursive: true });
  prepare(home);
  writeFileSync(join(home, ".ssh/id"), "the key\n");
  writeFileSync(join(checkout, "a.txt"), "1\n");
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd: checkout });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  git("worktree", "add", "-q", "--detach", worktree);
  const options = {
    root: checkout,
    home,
    own: [],
    allow_write: [],
    allow_domains: [],
    allow_env: [],
    hidden: [],
    limits: {},
  };
  const found = await findConfinement({ ...options, setting: "require" });
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  onTestFinished(() => found.value.close());
  return { home, checkout, worktree, place: found.value };
}

/** The work of a client that goes by the checkout's whole path, and tries what it must not. */
function commandIn({ home, checkout }: Scene): string {
  return `echo made > ${checkout}/made.txt; cat ${home}/.ssh/id; touch /etc/aot-planted; echo x > ${home}/planted; git status --short`;
}

async function expectHeld(agent: Agent, held: Scene, model: Model): Promise<void> {
  const answer = await agent.call(workerRequest(held.worktree, {}), new AbortController().signal);
  expect(answer).toMatchObject({ kind: "answer", value: { success: true } });
  expect(readFileSync(join(held.worktree, "made.txt"), "utf8")).toBe("made\n");
  expect(existsSync(join(held.checkout, "made.txt"))).toBe(false);
  expect(existsSync(join(held.home, "planted"))).toBe(false);
  const seen = model.turns.flatMap(({ results }) => results).join("\n");
  expect(seen).toContain("?? made.txt");
  expect(seen).not.toContain("the key");
  expect(seen).toContain("Read-only file system");
}

/** What a client's own output says of them is evidence. */
function refusedIn({ place }: Scene): string {
  return [...place.refusals.values()].flat().join();
}

const PLANTED = "writing to /etc/aot-planted is not allowed here";

const good = { success: true, summary: "made it", artifacts: ["made.txt"] };

withClient("claude", (path) => {
  const model = suiteModel();
  test(
    "claude works in the sandbox: its model is reached, its work is in the worktree, nothing else is",
    { timeout: LIMIT_MS },
    async () => {
      const held = await scene(() => {});
      const script: Script = ({ results }) =>
        [use("Bash", { command: commandIn(held), description: "x" }), use("StructuredOutput", good)][results.length] ??
        say("done");
      model.play(script);
      const env = { ...claudeEnvironment(model, held.home), TMPDIR: undefined };
      await expectHeld(scrubbedClaude(path, model, held.home, { place: held.place, env }), held, model);
      expect(refusedIn(held)).toContain(PLANTED);
    },
  );
});

withClient("codex", (path) => {
  const model = suiteModel();
  test("codex works in the sandbox, without its own one", { timeout: LIMIT_MS }, async () => {
    let env: Record<string, string | undefined> = {};
    const held = await scene((home) => void (env = codexEnvironment(model, home)));
    const script: Script = ({ results }) =>
      results.length === 0
        ? use("exec_command", { cmd: commandIn(held) })
        : say(JSON.stringify({ ...good, split: null, reason: null }));
    model.play(script);
    const agent = createCodexAgent({ command: path, env: { ...env, TMPDIR: undefined }, place: held.place });
    await expectHeld(agent, held, model);
    expect(refusedIn(held)).toContain(PLANTED);
  });
});

withClient("gemini", (path) => {
  const model = suiteModel();
  test("gemini works in the sandbox, over its protocol", { timeout: LIMIT_MS }, async () => {
    let env: Record<string, string | undefined> = {};
    const held = await scene((home) => void (env = geminiEnvironment(model, home)));
    const work = use("run_shell_command", { command: commandIn(held), description: "x" });
    model.play(({ results }) => (results.length === 0 ? work : say(JSON.stringify(good))));
    const line = `"${process.execPath}" "${path}" --acp --skip-trust`;
    const how = { env: { ...env, TMPDIR: undefined }, place: held.place, user: "gemini" } as const;
    await expectHeld(createAcpAgent(line, how), held, model);
  });
});
