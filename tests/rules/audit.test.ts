/** An agent's claims against its own tools' answers (SPEC section 17). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAudit, type Unbacked } from "../../src/rules/analyze/audit.ts";
import type { Entry } from "../../src/rules/analyze/read/entry.ts";
import { aot, aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";

let calls = 0;
function ran(command: string, exit: number | null, text = ""): readonly Entry[] {
  const id = `c${++calls}`;
  const outcome = exit === null || exit === 0 ? "done" : "failed";
  return [
    { kind: "call", id, tool: "Bash", input: { command } },
    { kind: "result", id, outcome, text, said: "", exit },
  ];
}
function edited(path = "/p/src/a.ts"): readonly Entry[] {
  const id = `c${++calls}`;
  return [
    { kind: "call", id, tool: "Edit", input: { file_path: path, old_string: "a", new_string: "b" } },
    { kind: "result", id, outcome: "done", text: "", said: "", exit: null },
  ];
}
const says = (text: string): Entry => ({ kind: "reply", text });

function unbacked(...entries: readonly (Entry | readonly Entry[])[]): readonly Unbacked[] {
  const found: Unbacked[] = [];
  const audit = createAudit((one) => found.push(one));
  for (const [at, entry] of entries.flat().entries()) audit.take(entry, { file: "f", line: at + 1 }, "/p");
  audit.stop();
  return found;
}

test("AUDIT-2: what failed last is named with both places", () => {
  expect(unbacked(edited(), ran("npm test", 1), says("Done. All tests pass."))).toEqual([
    {
      kind: "tests",
      why: "failed",
      claim: { text: "All tests pass.", at: { file: "f", line: 5 } },
      against: { text: "npm test exited 1", at: { file: "f", line: 3 } },
    },
  ]);
  expect(unbacked(ran("git commit -m x", 1), says("Committed."))).toMatchObject([{ kind: "committed", why: "failed" }]);
  expect(unbacked(edited(), ran("go test ./...", 2), says("Fixed."))).toMatchObject([{ kind: "fixed", why: "failed" }]);
});

test("AUDIT-2: what was run before the last edit backs nothing, and what was never run neither", () => {
  expect(unbacked(ran("npm test", 0), edited(), says("All tests pass."))).toMatchObject([
    { why: "before_edit", against: { text: "Edit src/a.ts", at: { line: 3 } } },
  ]);
  expect(unbacked(edited(), ran("ls", 0), says("All 12 tests pass."))).toMatchObject([{ why: "never" }]);
});

test.each<readonly [string, readonly (Entry | readonly Entry[])[]]>([
  ["the tests were run since", [edited(), ran("npm test", 0), says("All tests pass.")]],
  ["they failed, and then passed", [ran("npm test", 1), edited(), ran("npm test", 0), says("All tests pass.")]],
  ["only a page was edited since", [ran("npm test", 0), edited("/p/README.md"), says("All tests pass.")]],
  ["a pipe hides the exit code", [edited(), ran("npm test | tail -5", 1), says("All tests pass.")]],
  ["something followed it", [edited(), ran("npm test; false", 1), says("All tests pass.")]],
  ["it runs in the background", [edited(), ran("npm test", null), says("All tests pass.")]],
  ["a command that nobody knows", [edited(), ran("./verify.sh", 0), says("All tests pass.")]],
  ["a commit, whose hooks may test", [edited(), ran("git commit -m x", 0), says("All tests pass.")]],
  [
    "a sub-agent may have run them",
    [edited(), { kind: "call", id: "t", tool: "Task", input: {} }, says("All tests pass.")],
  ],
  [
    "an edit that was refused",
    [
      ran("npm test", 0),
      { kind: "call", id: "e", tool: "Edit", input: { file_path: "/p/a.ts" } },
      { kind: "result", id: "e", outcome: "refused", text: "", said: "", exit: null },
      says("All tests pass."),
    ],
  ],
  ["an if", [edited(), ran("npm test", 1), says("If all tests pass, I will commit.")]],
  ["a no", [edited(), ran("npm test", 1), says("The tests do not pass. 3 tests pass, 1 fails.")]],
  ["a question", [edited(), ran("npm test", 1), says("Do all tests pass?")]],
  ["a quote", [edited(), ran("npm test", 1), says('The page says "all tests pass".')]],
  ["nothing was done in this turn", [edited(), { kind: "message", text: "and?" }, says("All tests pass.")]],
])("AUDIT-1, AUDIT-2: nothing is said where %s", (_, entries) => {
  expect(unbacked(...entries)).toEqual([]);
});

test("aot rules audit, and the Stop hook, name it with both places", async () => {
  const [home, dir] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(dir, ".claude"));
  const transcript = join(dir, "s.jsonl");
  const agent = (...content: readonly object[]): object => ({
    type: "assistant",
    message: { role: "assistant", content },
  });
  const lines = [
    agent({ type: "tool_use", id: "b", name: "Bash", input: { command: "npm test" } }),
    {
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "b", content: "Exit code 1\n", is_error: true }],
      },
    },
    agent({ type: "text", text: "All tests pass." }),
  ];
  writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const audited = await aotJson(["rules", "audit", "--transcript", transcript], { cwd: dir, env: { HOME: home } });
  expect(audited.code).toBe(1);
  expect(audited.json).toMatchObject({
    claims: 1,
    unbacked: [{ why: "failed", claim: { at: { line: 3 } }, against: { at: { line: 1 } } }],
  });
  const input = JSON.stringify({
    hook_event_name: "Stop",
    session_id: "S",
    cwd: dir,
    transcript_path: transcript,
    last_assistant_message: "All tests pass.",
  });
  const hooked = await aot(["hook", "Stop"], { cwd: dir, env: { HOME: home }, input });
  expect(JSON.parse(hooked.out)).toMatchObject({
    systemMessage: expect.stringContaining(`npm test exited 1  ${transcript}:1`) as unknown,
  });
  writeFileSync(
    transcript,
    lines
      .map((line) => `${JSON.stringify(line).replace(',"is_error":true', "").replace("Exit code 1\\n", "ok")}\n`)
      .join(""),
  );
  expect((await aotJson(["rules", "audit", "--transcript", transcript], { cwd: dir, env: { HOME: home } })).code).toBe(
    0,
  );
});
