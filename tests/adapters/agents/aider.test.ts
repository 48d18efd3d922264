/** SPEC 10: aider by its documented flags, played by a small program: the real one was not run here. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createAiderAgent } from "../../../src/adapters/agents/aider.ts";
import type { AgentRequest } from "../../../src/loop/ports.ts";
import { tempFolder } from "../../fixtures/programs.ts";

/** An `aider` on a PATH of its own, which notes what it was called with. */
function aiderThat(does: string): { readonly env: Record<string, string>; readonly bin: string } {
  const bin = tempFolder();
  const program = `#!${process.execPath}\nconst fs = require("node:fs");\nfs.writeFileSync(${JSON.stringify(join(bin, "args"))}, JSON.stringify(process.argv.slice(2)));\n${does}\n`;
  writeFileSync(join(bin, "aider"), program, { mode: 0o755 });
  return { bin, env: { PATH: `${bin}${delimiter}${dirname(process.execPath)}${delimiter}/usr/bin` } };
}

function requestFor(role: AgentRequest["role"], cwd: string): AgentRequest {
  return { role, call: "A1.1", prompt: "mend sum.js", bindings: {}, nogoods: [], schema: {}, cwd, timeout_ms: 30_000 };
}

const { signal } = new AbortController();

test.skipIf(process.platform === "win32")(
  "a worker's exit code 0 is a claim; its own files are no part of the work, what it found there stays",
  async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, ".aider.chat.history.md"), "the person's");
    const { env, bin } = aiderThat(
      'fs.writeFileSync("sum.js", "mended"); fs.mkdirSync(".aider.tags.cache.v4"); console.log("Applied edit to sum.js {");',
    );
    const answer = await createAiderAgent({ env, model: "sonnet" }).call(requestFor("worker", cwd), signal);
    expect(answer).toMatchObject({ kind: "answer", value: { success: true, summary: "Applied edit to sum.js {" } });
    expect(readFileSync(join(cwd, "sum.js"), "utf8")).toBe("mended");
    expect(existsSync(join(cwd, ".aider.tags.cache.v4"))).toBe(false);
    expect(existsSync(join(cwd, ".aider.chat.history.md"))).toBe(true);
    const args = JSON.parse(readFileSync(join(bin, "args"), "utf8")) as readonly string[];
    expect(args.slice(-4)).toEqual(["--model", "sonnet", "--message", "mend sum.js"]);
    expect(args).toContain("--no-auto-commits");
  },
);

test.skipIf(process.platform === "win32")("who only reads asks; a judge's answer is its JSON object", async () => {
  const { env, bin } = aiderThat(`console.log('I looked.\\n{"passed": true, "evidence": "it is there"}');`);
  const answer = await createAiderAgent({ env }).call(requestFor("judge", tempFolder()), signal);
  expect(answer).toMatchObject({ kind: "answer", value: { passed: true } });
  expect(readFileSync(join(bin, "args"), "utf8")).toContain('"--chat-mode","ask"');
});

test.skipIf(process.platform === "win32")("another exit code fails the attempt, with what it said", async () => {
  const { env } = aiderThat('console.error("no key"); process.exit(1);');
  const answer = await createAiderAgent({ env }).call(requestFor("worker", tempFolder()), signal);
  expect(answer).toMatchObject({ kind: "failed", reason: "exit code 1: no key" });
});

test("without aider it says what to install", async () => {
  expect(await createAiderAgent({ env: { PATH: tempFolder() } }).available()).toEqual({
    ok: false,
    reason: "there is no aider on PATH (install aider: https://aider.chat)",
  });
});
