/** An agent's claims against its own tools' answers (SPEC section 17). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAudit, type Unbacked } from "../../src/rules/analyze/audit.ts";
import { auditEnd } from "../../src/rules/audit.ts";
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
  const audit = createAudit((_, one) => {
    if (one !== null) found.push(one);
  });
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

test.each([
  ["npm test 2>&1 | tail -5", " Tests  2 failed | 30 passed (32)\n Duration 3s"],
  ["cd /p && pytest -q | tail -3", "=========== 1 failed, 3 passed in 0.12s ==========="],
  ["cargo test 2>&1 | grep -E 'test result'", "test result: FAILED. 3 passed; 1 failed; 0 ignored"],
  ["go test ./... | grep -v 'no test files'; echo done", "ok  \tx/a\t0.1s\nFAIL\tx/b\t0.2s\nFAIL\ndone"],
  ["bun test | tail -4", " 30 pass\n 2 fail\n 61 expect() calls"],
])(
  "AUDIT-1: where a pipe hides the exit code of `%s`, its report's count of failures is against the claim",
  (command, text) => {
    expect(unbacked(edited(), ran(command, 0, text), says("All tests pass."))).toMatchObject([
      { why: "failed", against: { text: `${command} reported failures` } },
    ]);
    const passed = text.replaceAll(/\b[12] fail/g, "0 fail").replaceAll(/FAIL(?:ED)?\b/g, "ok");
    expect(unbacked(edited(), ran(command, 0, passed), says("All tests pass."))).toEqual([]);
  },
);

test("AUDIT-1: behind a failed chain of commands nothing more was run", () => {
  const commit = "git add -A && git commit -m \"$(cat <<'EOF'\nfix; | more\nEOF\n)\"";
  expect(unbacked(ran(commit, 1), says("Committed."))).toMatchObject([{ why: "failed" }]);
  expect(unbacked(edited(), ran("cd a && npm test && git status", 1), says("All tests pass."))).toHaveLength(1);
  // The style check may have failed, behind tests that passed.
  expect(unbacked(edited(), ran("npm test && npm run lint", 1), says("All tests pass."))).toEqual([]);
});

test("AUDIT-2: what only shows a file backs nothing, whatever the file is called", () => {
  expect(unbacked(edited(), ran("cat tests/a.test.ts", 0), says("All tests pass."))).toMatchObject([{ why: "never" }]);
  expect(unbacked(edited(), ran("ls", 0), says("- `npm test` and `npm run lint` passed."))).toMatchObject([
    { kind: "tests", why: "never" },
  ]);
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
  ["a note outside of the project was edited", [ran("npm test", 0), edited("/tmp/a.ts"), says("All tests pass.")]],
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

test("the Stop hook reads the end of a long session, and names places by the lines of all of it", () => {
  const path = join(temporaryFolder(), "s.jsonl");
  const line = (type: "assistant" | "user", block: object): string =>
    `${JSON.stringify({ type, message: { role: type, content: [block] } })}\n`;
  const failed =
    line("assistant", { type: "tool_use", id: "b", name: "Bash", input: { command: "npm test" } }) +
    line("user", { type: "tool_result", tool_use_id: "b", content: "Exit code 1", is_error: true });
  const said = line("assistant", { type: "text", text: "Committed. All tests pass." });
  for (const long of [0, 3, 4_000]) {
    writeFileSync(path, line("assistant", { type: "text", text: "é".repeat(150) }).repeat(long) + failed + said);
    expect(auditEnd(path, "")).toMatchObject([
      { claim: { text: "All tests pass.", at: { line: long + 3 } }, against: { at: { line: long + 1 } } },
    ]);
    expect(auditEnd(path, "All tests pass.")).toHaveLength(1);
    expect(auditEnd(path, "Done.")).toEqual([]);
  }
});
