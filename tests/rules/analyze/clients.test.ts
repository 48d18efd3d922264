/** Sessions of Codex, Copilot CLI and OpenCode in the form of Claude Code's (SPEC section 17). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry, LineReading } from "../../../src/rules/analyze/read/entry.ts";
import { isOpenCodeExport, readOpenCode } from "../../../src/rules/analyze/read/opencode.ts";
import { createReader } from "../../../src/rules/analyze/read/reader.ts";

const entriesIn = (readings: readonly LineReading[]): readonly Entry[] =>
  readings.flatMap((reading) => (reading.kind === "entries" ? reading.entries : []));
function linesOf(values: readonly object[]): readonly LineReading[] {
  const read = createReader();
  return values.map((value) => read(JSON.stringify(value)));
}

const item = (payload: object): object => ({ timestamp: "t", type: "response_item", payload });
const event = (payload: object): object => ({ timestamp: "t", type: "event_msg", payload });
const meta = (more: object = {}): object => ({ type: "session_meta", payload: { id: "s", cwd: "/p", ...more } });

test("SPEC 17: a session of Codex", () => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n-a\n+b\n*** End Patch";
  const readings = linesOf([
    meta(),
    item({ type: "message", role: "user", content: [{ type: "input_text", text: "# AGENTS.md instructions" }] }),
    event({ type: "user_message", message: "test it" }),
    item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "I will." }] }),
    event({ type: "agent_message", message: "I will." }),
    item({
      type: "function_call",
      name: "exec_command",
      call_id: "c1",
      arguments: '{"cmd":"npm test","workdir":"/p"}',
    }),
    item({
      type: "function_call_output",
      call_id: "c1",
      output: "Wall time: 1 s\nProcess running with session ID 7\n",
    }),
    item({ type: "function_call", name: "write_stdin", call_id: "c2", arguments: '{"session_id":7}' }),
    item({ type: "function_call_output", call_id: "c2", output: "Process exited with code 1\nOutput:\n1 failed" }),
    item({ type: "custom_tool_call", name: "apply_patch", call_id: "c3", input: patch }),
    item({ type: "custom_tool_call_output", call_id: "c3", output: '{"output":"ok","metadata":{"exit_code":0}}' }),
    item({ type: "function_call", name: "shell", call_id: "c4", arguments: '{"command":["bash","-lc","ls -a"]}' }),
    item({ type: "function_call_output", call_id: "c4", output: "aborted by user after 3 s" }),
    event({ type: "turn_aborted", reason: "interrupted" }),
    item({ type: "reasoning", summary: [] }),
  ]);
  expect(readings.map(({ kind }) => kind).filter((kind) => kind !== "entries")).toEqual(Array(4).fill("other"));
  expect(readings[2]).toMatchObject({ cwd: "/p", sidechain: false });
  expect(entriesIn(readings)).toEqual([
    { kind: "message", text: "test it" },
    { kind: "reply", text: "I will." },
    { kind: "call", id: "c1", tool: "Bash", input: { command: "npm test" } },
    { kind: "result", id: "c1", outcome: "done", text: "Process running with session ID 7\n", said: "", exit: null },
    {
      kind: "result",
      id: "c1",
      outcome: "failed",
      text: "Process exited with code 1\nOutput:\n1 failed",
      said: "",
      exit: 1,
    },
    { kind: "call", id: "c3", tool: "apply_patch", input: { input: patch } },
    { kind: "result", id: "c3", outcome: "done", text: "ok", said: "", exit: 0 },
    { kind: "call", id: "c4", tool: "Bash", input: { command: "ls -a" } },
    { kind: "result", id: "c4", outcome: "refused", text: "aborted by user after 3 s", said: "", exit: null },
    { kind: "interrupt" },
  ]);
  const [, prompt] = linesOf([meta({ thread_source: "subagent" }), event({ type: "user_message", message: "look" })]);
  expect(prompt).toMatchObject({ sidechain: true });
});

test("SPEC 17: Codex's scripts are the commands that they run, and the patches", () => {
  const exec = (call_id: string, input: string): object =>
    item({ type: "custom_tool_call", name: "exec", call_id, input });
  const output = [
    { type: "input_text", text: "Script completed\n" },
    { type: "input_text", text: "1 failed" },
  ];
  const readings = linesOf([
    meta(),
    exec(
      "c1",
      'const r = await tools.exec_command({cmd:"npm test -- \\"a b\\"\\nls","workdir":"/p"}); text(r.output);',
    ),
    item({ type: "custom_tool_call_output", call_id: "c1", output }),
    exec(
      "c2",
      'const [a, b] = await Promise.all([tools.exec_command({"cmd":"ls"}), tools.exec_command({cmd: `pwd`})]);',
    ),
    exec(
      "c3",
      'const patch = "*** Begin Patch\\n*** Update File: a.ts\\n-a\\n+b\\n*** End Patch"; text(await tools.apply_patch(patch));',
    ),
    exec("c4", "text(await tools.wait({}))"),
  ]);
  expect(entriesIn(readings)).toMatchObject([
    { kind: "call", id: "c1", tool: "Bash", input: { command: 'npm test -- "a b"\nls' } },
    { kind: "result", id: "c1", text: "Script completed\n1 failed", exit: null },
    { kind: "call", id: "c2", tool: "Bash", input: { command: "ls\npwd" } },
    {
      id: "c3",
      tool: "apply_patch",
      input: { input: "*** Begin Patch\n*** Update File: a.ts\n-a\n+b\n*** End Patch" },
    },
    { id: "c4", tool: "exec" },
  ]);
});

test("SPEC 17: a session of Copilot CLI", () => {
  const start = (toolCallId: string, toolName: string, given: object): object => ({
    type: "tool.execution_start",
    data: { toolCallId, toolName, arguments: given },
  });
  const readings = linesOf([
    { type: "session.start", data: { sessionId: "s", context: { cwd: "/p" } } },
    { type: "user.message", data: { content: "test it", transformedContent: "<now/>test it" } },
    { type: "user.message", data: { content: "skill text", source: "skill-x" } },
    { type: "assistant.message", data: { content: "I will.", toolRequests: [] } },
    start("c1", "bash", { command: "npm test", description: "Run" }),
    {
      type: "tool.execution_complete",
      data: {
        toolCallId: "c1",
        success: true,
        result: { content: "1 failed\n<shellId: 0 completed with exit code 1>" },
      },
    },
    start("c2", "edit", { path: "/p/a.ts", old_str: "a", new_str: "b" }),
    {
      type: "tool.execution_complete",
      data: { toolCallId: "c2", success: false, error: { message: "no", code: "denied" } },
    },
    start("c3", "view", { path: "/p/a.ts" }),
    { type: "abort", data: { reason: "user_initiated" } },
    { type: "assistant.turn_end", data: { turnId: "0" } },
  ]);
  expect(entriesIn(readings)).toMatchObject([
    { kind: "message", text: "test it" },
    { kind: "reply", text: "I will." },
    { kind: "call", id: "c1", tool: "Bash", input: { command: "npm test" } },
    { kind: "result", id: "c1", outcome: "failed", exit: 1 },
    { kind: "call", tool: "Edit", input: { file_path: "/p/a.ts", old_string: "a", new_string: "b" } },
    { kind: "result", id: "c2", outcome: "refused", text: "no", exit: null },
    { kind: "call", tool: "Read", input: { file_path: "/p/a.ts" } },
    { kind: "interrupt" },
  ]);
  expect(readings[1]).toMatchObject({ cwd: "/p" });
});

test("SPEC 17: an exported session of OpenCode; one that belongs to another session is a sub-agent's", () => {
  const tool = (id: string, name: string, state: object): object => ({ type: "tool", id, tool: name, state });
  const done = (input: object, output: string, metadata: object = {}): object => ({
    status: "completed",
    input,
    output,
    metadata,
  });
  const document = {
    info: { id: "ses_1", directory: "/p" },
    messages: [
      {
        info: { id: "m1", role: "user" },
        parts: [
          { type: "text", text: "test it" },
          { type: "text", text: "Summarize the output above", synthetic: true },
        ],
      },
      {
        info: { id: "m2", role: "assistant" },
        parts: [
          { type: "text", text: "I will." },
          tool("t1", "bash", done({ command: "npm test" }, "1 failed", { exit: 1 })),
          tool("t2", "edit", done({ filePath: "/p/a.ts", oldString: "a", newString: "b" }, "ok")),
          tool("t3", "write", {
            status: "error",
            input: { filePath: "/p/b.ts", content: "b" },
            error: "The user rejected permission to use this tool with the following feedback: not there",
          }),
        ],
      },
    ],
  };
  expect(isOpenCodeExport(JSON.stringify(document, null, 2))).toBe(true);
  expect(isOpenCodeExport('{"type":"user"}')).toBe(false);
  expect(entriesIn(readOpenCode(document))).toMatchObject([
    { kind: "message", text: "test it" },
    { kind: "reply", text: "I will." },
    { kind: "call", id: "t1", tool: "Bash", input: { command: "npm test" } },
    { kind: "result", id: "t1", outcome: "failed", exit: 1 },
    { kind: "call", tool: "Edit", input: { file_path: "/p/a.ts", old_string: "a", new_string: "b" } },
    { kind: "result", outcome: "done", exit: null },
    { kind: "call", tool: "Write", input: { file_path: "/p/b.ts", content: "b" } },
    { kind: "result", outcome: "refused", said: "not there" },
  ]);
  const child = readOpenCode({ ...document, info: { ...document.info, parentID: "ses_0" } });
  expect(child[0]).toMatchObject({ sidechain: true, cwd: "/p" });
});

test("SPEC 17: nothing that a line or a document holds makes a reader throw", () => {
  const kinds = fc.constantFrom("response_item", "event_msg", "user.message", "tool.execution_complete", "assistant");
  const record = fc.record({ type: kinds, payload: fc.jsonValue(), data: fc.jsonValue() }, { requiredKeys: ["type"] });
  fc.assert(fc.property(fc.array(record), (values) => void linesOf(values)));
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("info", "messages"), fc.jsonValue()),
      (value) => void readOpenCode(value),
    ),
  );
});
