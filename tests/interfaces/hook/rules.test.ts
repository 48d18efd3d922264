/** Guard rules in the events of a client's session (SPEC section 12). */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { countFirings } from "../../../src/rules/fired.ts";
import type { RuleFolder } from "../../../src/rules/place.ts";
import { readHookInput } from "../../../src/interfaces/hook/hook-input.ts";
import { answerRules, type RulesReply } from "../../../src/interfaces/hook/rules.ts";
import { temporaryFolder } from "../../support/bundle.ts";

let project: string;
beforeEach(() => {
  project = temporaryFolder();
  mkdirSync(join(project, ".git"));
  mkdirSync(join(project, ".claude"));
});

const folder = (): RuleFolder => ({ owner: "project", dir: join(project, ".claude") });

function rule(name: string, ...lines: readonly string[]): void {
  const text = ["---", `name: ${name}`, ...lines, "---", `Said by ${name}.`].join("\n");
  writeFileSync(join(project, ".claude", `hookify.${name}.local.md`), text);
}

async function ask(event: string, more: object): Promise<RulesReply> {
  const input = readHookInput(JSON.stringify({ session_id: "S", cwd: project, hook_event_name: event, ...more }));
  if (input === null) throw new Error("not read");
  return answerRules(input, [folder()]);
}
const stop = (more: object = {}): Promise<RulesReply> =>
  ask("Stop", { stop_hook_active: false, last_assistant_message: "All done.", ...more });
const timesOf = (name: string): unknown => countFirings(folder()).counts.get(name);

describe("SPEC 12: warn and block on every event", () => {
  test.each<readonly [string, string, object]>([
    ["bash", "PreToolUse", { tool_name: "Bash", tool_input: { command: "secret" } }],
    ["file", "PreToolUse", { tool_name: "Write", tool_input: { file_path: "a", content: "secret" } }],
    ["read", "PreToolUse", { tool_name: "Read", tool_input: { file_path: "secret" } }],
    ["prompt", "UserPromptSubmit", { prompt: "the secret" }],
  ])("%s: a warning is reported to the user and to the model, and nothing is refused", async (event, hook, input) => {
    rule("careful", `event: ${event}`, "pattern: secret");
    const text = "**[careful]**\nSaid by careful.";
    expect(await ask(hook, input)).toEqual({
      blocked: false,
      json: { systemMessage: text, hookSpecificOutput: { hookEventName: hook, additionalContext: text } },
    });
    expect(timesOf("careful")).toMatchObject({ times: 1, tried: 0 });
  });

  test("a block has its reason in the form of its event, with every rule that blocks", async () => {
    rule("one", "event: all", "pattern: .", "action: block");
    rule("two", "event: all", "pattern: .", "action: block");
    rule("three", "event: all", "pattern: .");
    const reason = "**[one]**\nSaid by one.\n\n**[two]**\nSaid by two.\n\n**[three]**\nSaid by three.";
    const call = { tool_name: "Bash", tool_input: { command: "x" } };
    const deny = { hookEventName: "PreToolUse", permissionDecision: "deny" };
    const inOrder = (text: unknown): readonly string[] => String(text).split("\n\n").toSorted();
    const before = (await ask("PreToolUse", call)).json as { hookSpecificOutput: { permissionDecisionReason: string } };
    expect(before).toMatchObject({ hookSpecificOutput: deny });
    expect(inOrder(before.hookSpecificOutput.permissionDecisionReason)).toEqual(inOrder(reason));
    for (const reply of [await ask("UserPromptSubmit", { prompt: "x" }), await stop()]) {
      const json = reply.json as { decision: string; reason: string };
      expect([json.decision, inOrder(json.reason), reply.blocked]).toEqual(["block", inOrder(reason), true]);
    }
    const permission = (await ask("PermissionRequest", call)).json;
    expect(permission).toMatchObject({ hookSpecificOutput: { decision: { behavior: "deny" } } });
    // The permission's call was counted before it.
    expect(timesOf("one")).toMatchObject({ times: 3 });
  });

  test("a rule without words says which it is", async () => {
    writeFileSync(
      join(project, ".claude", "hookify.mute.local.md"),
      "---\nname: mute\nevent: bash\npattern: x\naction: block\n---\n",
    );
    const { json } = await ask("PreToolUse", { tool_name: "Bash", tool_input: { command: "x" } });
    expect(JSON.stringify(json)).toContain("The rule mute (");
  });

  test("RULES-4: what a tool answered is looked at after the call, everything else before it only", async () => {
    rule("before", "event: bash", "pattern: make", "action: block");
    rule(
      "after",
      "event: bash",
      "conditions:",
      "- {field: command, pattern: make}",
      "- {field: output, pattern: FAILED}",
    );
    const call = { tool_name: "Bash", tool_input: { command: "make" } };
    expect(JSON.stringify((await ask("PreToolUse", call)).json)).not.toContain("after");
    const { json } = await ask("PostToolUse", { ...call, tool_response: { stdout: "1 FAILED", stderr: "" } });
    expect(json).toMatchObject({
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "**[after]**\nSaid by after." },
    });
    expect(await ask("PostToolUse", { ...call, tool_response: { stdout: "ok" } })).toEqual({ blocked: false });
  });

  test("RULES-4: a call that failed is over, too: the client tells one text, and takes no decision about it", async () => {
    rule("after", "event: bash", "conditions:", "- {field: output, pattern: FAILED}", "action: block");
    const failed = { tool_name: "Bash", tool_input: { command: "make" }, error: "Exit code 2\n1 FAILED" };
    const text = "**[after]**\nSaid by after.";
    expect(await ask("PostToolUseFailure", failed)).toMatchObject({
      json: {
        systemMessage: text,
        hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: text },
      },
    });
    expect(await ask("PostToolUseFailure", { ...failed, error: "Exit code 2" })).toEqual({ blocked: false });
  });

  test("FIRED-1: a call counts once, however many hooks ask; another call, and the same rule before and after it, count anew", async () => {
    rule("no-rm", "event: bash", "pattern: rm", "action: block");
    const call = { tool_name: "Bash", tool_input: { command: "rm x" } };
    // A run's own hooks, and those of the plugin.
    for (const tool_use_id of ["t1", "t1", "t2"])
      expect((await ask("PreToolUse", { ...call, tool_use_id })).blocked).toBe(true);
    expect(timesOf("no-rm")).toMatchObject({ times: 2 });
    await ask("PreToolUse", { ...call, tool_use_id: "t1", session_id: "another" });
    expect(timesOf("no-rm")).toMatchObject({ times: 3 });
    for (let times = 0; times < 2; times++) await ask("PreToolUse", call);
    expect(timesOf("no-rm")).toMatchObject({ times: 5 });
  });

  test("a disabled rule is none; one in shadow fires, is recorded and changes nothing", async () => {
    rule("off", "event: prompt", "pattern: x", "action: block", "enabled: false");
    rule("new", "event: prompt", "pattern: x", "action: block", "shadow: true");
    expect(await ask("UserPromptSubmit", { prompt: "x" })).toEqual({ blocked: false });
    expect(timesOf("new")).toMatchObject({ times: 1, tried: 1 });
    expect(timesOf("off")).toBeUndefined();
    expect(readFileSync(join(project, ".claude", "aot-rules", ".gitignore"), "utf8")).toBe("*\n");
  });
});

describe("SPEC 12: stop rules", () => {
  test("a simple pattern is about what was said last, or, from an older client, what the transcript says last", async () => {
    rule("tests", "event: stop", "pattern: all done", "action: block");
    expect((await stop()).blocked).toBe(true);
    expect((await stop({ last_assistant_message: "Not yet." })).blocked).toBe(false);
    const transcript_path = join(project, "t.jsonl");
    const said = (text: string): string =>
      JSON.stringify({ type: "assistant", message: { content: [{ type: "text", text }] } });
    writeFileSync(transcript_path, `${said("Working.")}\n${said("All done!")}\n{"type":"system"}\nhalf a li`);
    expect((await ask("Stop", { transcript_path })).blocked).toBe(true);
  });

  test("the transcript is read through a link; where there is none, a rule about it does not fire", async () => {
    rule(
      "tests",
      "event: stop",
      "conditions:",
      "- {field: transcript, operator: not_contains, pattern: npm test}",
      "action: block",
    );
    const file = join(project, "t.jsonl");
    const link = join(project, "link.jsonl");
    symlinkSync(file, link);
    expect((await stop({ transcript_path: link })).blocked).toBe(false);
    writeFileSync(file, "ran ls");
    expect((await stop({ transcript_path: link })).blocked).toBe(true);
    writeFileSync(file, "ran npm test");
    expect((await stop({ transcript_path: link })).blocked).toBe(false);
    expect((await stop({ transcript_path: project })).blocked).toBe(false);
    expect((await stop()).blocked).toBe(false);
  });

  test("RULES-3: a stop that was prevented once is let go, and that is reported", async () => {
    rule("tests", "event: stop", "pattern: .*", "action: block");
    expect(await stop()).toMatchObject({ blocked: true, json: { decision: "block" } });
    const again = await stop({ stop_hook_active: true });
    expect(again).toMatchObject({
      blocked: false,
      json: { systemMessage: expect.stringContaining("let go") as unknown },
    });
    expect(again.json).not.toHaveProperty("decision");
  });

  test("an agent's stop is not the session's, and no tool call is one", async () => {
    rule("tests", "event: stop", "pattern: .*", "action: block");
    expect(await ask("SubagentStop", { agent_id: "a", agent_type: "x" })).toEqual({ blocked: false });
    expect(await stop({ agent_id: "a", agent_type: "x" })).toEqual({ blocked: false });
    for (const tool_name of ["Read", "SendMessage", "Bash", "Write"])
      expect(await ask("PreToolUse", { tool_name, tool_input: { content: "all done", command: "x" } })).toEqual({
        blocked: false,
      });
  });
});

test("RULES-1: a rule that could not be decided blocks, with the reason", async () => {
  rule("slow", "event: bash", "pattern: ^(a+)+(?!b)$", "action: block");
  const reply = await ask("PreToolUse", { tool_name: "Bash", tool_input: { command: `${"a".repeat(60)}!` } });
  expect(reply.blocked).toBe(true);
  expect(JSON.stringify(reply.json)).toContain("could not be decided in time");
});

test("fuzzed rule files and fuzzed input never crash, and never block", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "---",
      "name: x",
      "event: all",
      "event: bash",
      "conditions:",
      "- field: command",
      "  pattern: (",
      "pattern: '",
      "action: warn",
      "enabled: 7",
      "\u0000",
      "shadow: [",
    ),
    fc.string({ unit: "binary", maxLength: 12 }),
  );
  const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(piece, { maxLength: 8 }), { maxLength: 3 }),
      fc.constantFrom(
        ..."PreToolUse|PostToolUse|PostToolUseFailure|Stop|UserPromptSubmit|SessionStart|Other".split("|"),
      ),
      fc.dictionary(
        fc.constantFrom(..."tool_name|tool_input|tool_response|error|prompt|transcript_path|agent_id".split("|")),
        value,
      ),
      async (files, event, input) => {
        files.forEach((lines, at) =>
          writeFileSync(join(project, ".claude", `hookify.${at}.local.md`), lines.join("\n")),
        );
        const reply = await ask(event, input);
        expect([reply.blocked, reply.note]).toEqual([false, undefined]);
      },
    ),
    { numRuns: 300 },
  );
});
