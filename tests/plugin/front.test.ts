/** The hooks' quick front as a process: who is let through without Node, and who never is (SPEC section 10). */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enterLoop } from "../../src/session/session.ts";
import { decisionIn as whatIsDecided, guard } from "../../src/interfaces/hook/guard.ts";
import { readHookInput } from "../../src/interfaces/hook/hook-input.ts";
import { readRecord, sessionFiles } from "../../src/project/session-record.ts";
import { projectWith } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { gitIn } from "../support/git.ts";
import { loopText } from "../e2e/plugin-states.ts";
import { SILENT, stageFront, type Asked, type Front } from "./call-front.ts";
import { commandsOf } from "./hook-groups.ts";

const POSIX = process.platform !== "win32";
let staged: Front;
let front: string;
let noNode: string;
let dir: string;
let file: string;
/** See `Calling.isPart`. */
let reportedKind = true;
beforeAll(async () => {
  staged = await stageFront();
  ({ path: front, noNode } = staged);
});
beforeEach(() => {
  reportedKind = true;
  const made = projectWith(loopText({ atoms: [["A1"], ["A2"]] }));
  dir = made.dir;
  file = made.state;
  mkdirSync(join(dir, ".git"));
});

/** @param path without Node: that Node was not started, or that nothing was decided */
function hook(
  event: string,
  input: object | string,
  session = "S",
  path = process.env["PATH"] ?? "",
  more: Readonly<Record<string, string>> = {},
  before?: string,
): Promise<Asked> {
  const full = {
    session_id: session,
    transcript_path: `/home/u/.claude/projects/aot-loop/x.jsonl`,
    cwd: dir,
    hook_event_name: event,
  };
  return staged.call(event, typeof input === "string" ? input : { ...full, ...input }, {
    cwd: dir,
    env: { PATH: path, CLAUDE_PROJECT_DIR: dir, CLAUDE_CODE_SESSION_ID: session, ...more },
    isPart: reportedKind,
    ...(before === undefined ? {} : { before }),
  });
}
const tool = (tool_name: string, tool_input: object, type?: string): object => ({
  ...(type === undefined ? {} : { agent_id: "a1", agent_type: type }),
  tool_name,
  tool_input,
});
const enter = async (session = "S"): Promise<void> => {
  const entered = await enterLoop(file, { session, mode: "agent" }, new AbortController().signal);
  if (!entered.ok) throw new Error(JSON.stringify(entered.problems));
};
const decisionIn = ({ out }: Asked): string =>
  /"permissionDecision":"(\w+)"/.exec(out)?.[1] ?? /"decision":"(\w+)"/.exec(out)?.[1] ?? out;

describe.skipIf(!POSIX)("SPEC 10: the quick front", () => {
  const events = "PreToolUse PermissionRequest SubagentStart SubagentStop Stop StopFailure SessionEnd".split(" ");
  const harmful = tool("Bash", { command: "echo x > .claude/aot-loop-state.md" });

  test("without a loop, with one that no session owns, and in another session Node is not started", async () => {
    for (const event of events) expect([event, await hook(event, harmful, "S", noNode)]).toEqual([event, SILENT]);
    await enter("another");
    for (const event of events) expect([event, await hook(event, harmful, "S", noNode)]).toEqual([event, SILENT]);
  });

  test("the client's shell reads the front as a part of its own command, whatever the plugin's folder is called", async () => {
    await enter();
    const odd = join(temporaryFolder(), `it's a "plugin" of $HOME & \`x\``);
    cpSync(dirname(dirname(front)), odd, { recursive: true });
    const commands = events.flatMap((event) => commandsOf(event, null));
    for (const command of commands)
      expect(command).toMatch(/^set -- \w+(?: \w+)?; command \. "\$CLAUDE_PLUGIN_ROOT\/bin\/aot-hook" \|\| exit [12]$/);
    const own = { CLAUDE_PLUGIN_ROOT: odd };
    expect(decisionIn(await hook("PreToolUse", harmful, "S", process.env["PATH"], own))).toBe("deny");
    expect(await hook("PreToolUse", harmful, "another", noNode, own)).toEqual(SILENT);
  });

  test("a plugin that was removed under a session fails its hooks with a reason: a tool's call is denied, nothing else is", async () => {
    for (const event of ["PreToolUse", "Stop", "UserPromptSubmit"]) {
      const asked = await hook(event, harmful, "S", noNode, { CLAUDE_PLUGIN_ROOT: join(dir, "gone") });
      expect([asked.code, asked.out]).toEqual([event === "PreToolUse" ? 2 : 1, ""]);
      expect(asked.err).toContain(join(dir, "gone", "bin", "aot-hook"));
    }
  });

  test("an agent of `aot run` is no session of its own", async () => {
    await enter();
    const inLoop = { AOT_LOOPS: JSON.stringify([file]) };
    for (const event of [...events, "SessionStart"])
      expect([event, await hook(event, harmful, "S", process.env["PATH"], inLoop)]).toEqual([event, SILENT]);
  });

  test("nor for what a worker does inside the project, however long it is", async () => {
    await enter();
    const worker = "aot-loop:worker";
    for (const input of [
      tool("Bash", { command: "npm test" }, worker),
      tool("Write", { file_path: join(dir, "a.ts"), content: `use aot here ${"x".repeat(300_000)}` }, worker),
      tool("Edit", { file_path: join(dir, "a.ts"), old_string: "$x", new_string: "`y`" }),
      tool("Read", { file_path: join(dir, ".claude", "aot-loop-state.md") }),
      tool("Grep", { pattern: "aot" }, worker),
    ])
      for (reportedKind of [true, false]) expect(await hook("PreToolUse", input, "S", noNode)).toEqual(SILENT);
  });

  test("a client that names its session in the input alone, as Codex: Node is asked about what concerns the loop, and no more", async () => {
    await enter();
    const codex = (input: object, path = noNode): Promise<Asked> => hook("PreToolUse", input, "", path);
    const own = { session_id: "S" };
    const [harmless, plan] = [tool("Bash", { command: "npm test" }), tool("update_plan", { plan: [] })];
    for (const input of [harmless, plan, harmful]) {
      expect(await codex({ ...input, session_id: "another" })).toEqual(SILENT);
      if (input !== harmful) expect(await codex({ ...input, ...own })).toEqual(SILENT);
    }
    expect(decisionIn(await codex({ ...harmful, ...own }, process.env["PATH"]))).toBe("deny");
    const patch = "*** Begin Patch\n*** Update File: .claude/aot-loop-state.md\n@@\n-a\n+b\n*** End Patch";
    expect(decisionIn(await codex({ ...tool("apply_patch", { command: patch }), ...own }, process.env["PATH"]))).toBe(
      "deny",
    );
    // Whose session it is is not known: the name may be the tool's own.
    const hidden = JSON.stringify({ ...tool("Bash", { command: "ls", session_id: "another" }), ...own });
    const { code, err } = await hook("PreToolUse", hidden, "", noNode);
    expect([code, err.includes("node is not found")]).toEqual([2, true]);
  });

  test("what the client tells of a tool's kind is not asked of its input again", async () => {
    await enter();
    const nothing = temporaryFolder();
    // Without `cat` no input is read at all.
    for (const name of ["Read", "Grep"])
      expect(await hook("PreToolUse", tool(name, { file_path: "x" }), "S", nothing)).toEqual(SILENT);
    // And that of a shell by the front's own shell.
    expect(await hook("PreToolUse", tool("Bash", { command: "npm test" }), "S", nothing)).toEqual(SILENT);
  });

  test("a shell's input is read whole: on several lines, without an end of line, and a long one", async () => {
    await enter();
    const of = (command: string): object => ({ session_id: "S", cwd: dir, ...tool("Bash", { command }) });
    const long = `echo ${"x ".repeat(40_000)}`;
    for (const end of ["", "\n", "\n\n"])
      for (const space of [undefined, 2]) {
        const spelled = (command: string): string => JSON.stringify(of(command), null, space) + end;
        expect(await hook("PreToolUse", spelled(long), "S", noNode)).toEqual(SILENT);
        expect(decisionIn(await hook("PreToolUse", spelled(`${long}; rm .claude/aot-loop/session`)))).toBe("deny");
      }
  });

  test.each([
    ["the state file by a shell", tool("Bash", { command: "echo x > .claude/aot-loop-state.md" })],
    [
      "the journal by an editor",
      tool("Edit", { old_string: "a", new_string: "b", file_path: ".claude/aot-loop/journal.jsonl" }),
    ],
    ["the mark", tool("Bash", { command: "rm .claude/aot-loop/session" }, "aot-loop:worker")],
    [
      "a name behind a long text",
      tool("Write", { content: "x".repeat(200_000), file_path: ".claude/aot-loop-state.md" }),
    ],
    ["a name in other letters", tool("Write", { content: "x", file_path: ".CLAUDE/../.claude/aot-loop-state.md" })],
    ["from inside the folder", { ...tool("Write", { content: "x", file_path: "aot-loop-state.md" }), cwd: "FOLDER" }],
    [
      "a person's command",
      tool("Bash", { command: "aot redirect limit max_iterations 99 --reason x" }, "aot-loop:worker"),
    ],
    ["a person's command as a server's tool", tool("mcp__aot__aot_redirect_limit", { value: 99 }, "aot-loop:worker")],
    ["a coordinator's shell", tool("Bash", { command: "ls" }, "aot-loop:coordinator")],
    [
      "an agent that was not handed out",
      tool("Agent", { subagent_type: "aot-loop:worker", description: "B9: x", prompt: "" }, "aot-loop:coordinator"),
    ],
  ])("what a rule denies goes to Node and is denied: %s", async (_, given) => {
    await enter();
    const input = "cwd" in given ? { ...given, cwd: join(dir, ".claude") } : given;
    for (reportedKind of [true, false]) expect(decisionIn(await hook("PreToolUse", input))).toBe("deny");
    const without = await hook("PreToolUse", input, "S", noNode);
    expect(without).toMatchObject({ code: 2, out: "" });
    expect(without.err).toContain("node is not found");
  });

  test("SPEC 10: probes and verifiers only read: the rest asks the person, and is denied where nobody can be asked", async () => {
    await enter();
    const cli = { CLAUDE_CODE_ENTRYPOINT: "cli" };
    const path = process.env["PATH"];
    for (const role of ["probe", "verifier"]) {
      const bash = (command: string): object => tool("Bash", { command }, `aot-loop:${role}`);
      reportedKind = role === "probe";
      for (const command of ["rm -rf src", "npm test"]) {
        expect(decisionIn(await hook("PreToolUse", bash(command), "S", path, cli))).toBe("ask");
        expect(await hook("PermissionRequest", bash(command))).toEqual(SILENT);
      }
      expect(decisionIn(await hook("PreToolUse", bash("echo x > a.ts")))).toBe("deny");
      expect(await hook("PreToolUse", bash("git log -3; grep -rn x ."), "S", path, cli)).toEqual(SILENT);
      expect((await hook("PermissionRequest", bash("cat a.ts"))).out).toContain('"behavior":"allow"');
      const write = tool("Write", { file_path: join(dir, "a.ts"), content: "x" }, `aot-loop:${role}`);
      expect(decisionIn(await hook("PreToolUse", write, "S", path, cli))).toBe("deny");
    }
  });

  test("SPEC 10: of a worker's calls what is known to be harmless is allowed, the base case's own command among them, and the client asks about the rest", async () => {
    writeFileSync(file, loopText({ atoms: [["A1"]], check: "node --version" }));
    await enter();
    const ask = async (command: string): Promise<string> => {
      const { out } = await hook("PermissionRequest", tool("Bash", { command }, "aot-loop:worker"));
      return /"behavior":"(\w+)"/.exec(out)?.[1] ?? out;
    };
    for (const command of ["touch made.txt", "node --version"])
      expect([command, await ask(command)]).toEqual([command, "allow"]);
    expect(await ask("git reset --hard")).toBe("");
    expect(await ask("aot redirect limit max_iterations 99")).toBe("deny");
  });

  test("SPEC 10: a client that passes over a hook which failed says so at the start, where there is something to guard", async () => {
    const start = async (AI_AGENT: string | undefined, source = "startup"): Promise<string> => {
      const client = { CLAUDECODE: "1", ...(AI_AGENT === undefined ? {} : { AI_AGENT }) };
      const { out } = await hook("SessionStart", { source }, "S", process.env["PATH"], client);
      return out === "" ? "" : ((JSON.parse(out) as { systemMessage?: string }).systemMessage ?? "");
    };
    const rule = join(dir, ".claude", "hookify.no.local.md");
    const guarded = [
      // A loop is open; there are rules, too; there are rules alone.
      () => {},
      () => writeFileSync(rule, "---\nname: no\nevent: bash\npattern: x\naction: block\n---\nno\n"),
      () => rmSync(file),
    ];
    for (const happens of guarded) {
      happens();
      for (const old of ["claude-code_2-1-282_harness", "claude-code/2.1.122/agent", "claude-code_1-9-999_x"]) {
        const said = await start(old);
        expect(said.split("Update to 2.1.295 or newer"), "once").toHaveLength(2);
      }
      expect(await start(undefined)).toContain("does not tell its version");
      expect(await start("claude-code_2-1-282_harness", "compact")).toBe("");
      for (const known of ["claude-code_2-1-295_harness", "claude-code_2-1-329_harness", "claude-code_3-0-0_harness"])
        expect(await start(known)).toBe("");
    }
    rmSync(rule);
    expect(await start("claude-code_2-1-282_harness")).toBe("");
  });

  describe("SPEC 2, 10: a loop does not end, break or wait in silence", () => {
    const coordinator = { agent_id: "c1", agent_type: "aot-loop:coordinator", last_assistant_message: "done" };
    const said = ({ out }: Asked): string =>
      out === "" ? "" : ((JSON.parse(out) as { systemMessage?: string }).systemMessage ?? "");
    const git = (...words: string[]): string => gitIn(dir, ...words);
    const repository = (): void => {
      git("init", "--quiet");
      git("commit", "--quiet", "--allow-empty", "--message", "nothing yet");
    };

    test.each([
      ["git clean -fdxq", [["clean", "-fdxq"]]],
      ["git stash -u", [["stash", "-u"]]],
      ["git stash --all", [["stash", "--all", "--quiet"]]],
      [
        "git add -A && git reset --hard",
        [
          ["add", "-A"],
          ["reset", "--hard", "--quiet"],
        ],
      ],
    ])("after a worker's %s the loop goes on, and the person reads what happened", async (_, lines) => {
      repository();
      await enter();
      writeFileSync(join(dir, "a.txt"), "");
      const before = readFileSync(file, "utf8");
      for (const words of lines) git(...words);
      const isSwept = !existsSync(file);
      expect(decisionIn(await hook("SubagentStop", { ...coordinator, stop_hook_active: false }))).toBe("block");
      expect(readFileSync(file, "utf8")).not.toBe(before);
      const stop = await hook("Stop", { last_assistant_message: "", background_tasks: [] });
      expect(said(stop).includes("back from")).toBe(isSwept);
      expect(said(await hook("Stop", { last_assistant_message: "x", background_tasks: [] }))).not.toContain(
        "back from",
      );
    });

    test("the next session says it as well; in a linked working tree, too; another session's hooks stay out of it", async () => {
      repository();
      const tree = join(temporaryFolder(), "tree");
      git("worktree", "add", "--quiet", tree);
      for (const place of [dir, tree]) {
        dir = place;
        file = join(dir, ".claude", "aot-loop-state.md");
        mkdirSync(join(dir, ".claude"), { recursive: true });
        writeFileSync(file, loopText({ atoms: [["A1"]] }));
        await enter();
        git("clean", "-fdxq");
        expect(await hook("Stop", { last_assistant_message: "" }, "another", noNode)).toEqual(SILENT);
        expect(said(await hook("SessionStart", { source: "startup" }, "another"))).toContain("back from");
        expect(existsSync(join(dir, ".claude", "aot-loop", "session"))).toBe(true);
      }
      rmSync(file);
      rmSync(join(dir, ".claude", "aot-loop", "session"));
      expect(said(await hook("SessionStart", { source: "startup" }, "another")), "given up").toBe("");
      expect(existsSync(file)).toBe(false);
    });

    test("what is broken is on the screen where the turn ends and where a session begins", async () => {
      await enter();
      writeFileSync(file, readFileSync(file, "utf8").replace("status: running", "status: runing"));
      expect(await hook("SubagentStop", { ...coordinator, stop_hook_active: false })).toMatchObject({
        code: 0,
        out: "",
      });
      for (const [event, input] of [
        ["Stop", { last_assistant_message: "", background_tasks: [] }],
        ["SessionStart", { source: "startup" }],
      ] as const)
        expect(said(await hook(event, input))).toMatch(/runing.*running/s);
      const stop = await hook("Stop", { last_assistant_message: "" }, "S", noNode);
      expect([stop.code, said(stop)]).toEqual([0, expect.stringContaining("node is not found")]);
    });

    test.skipIf(process.platform !== "linux")("so is a full disk", async () => {
      await enter();
      const full = await hook(
        "Stop",
        { last_assistant_message: "", background_tasks: [] },
        "S",
        process.env["PATH"],
        {},
        "trap '' XFSZ; ulimit -f 0",
      );
      expect(said(full)).toContain("larger than allowed");
    });
  });

  test("SPEC 10: what the guard would refuse is never let through, however its words are quoted", async () => {
    await enter();
    const scope = { project: dir, stateFile: file };
    const line = fc.constantFrom(
      "aot redirect limit max_iterations 99",
      "sed -i s/a/b/ .claude/aot-loop-state.md",
      "cd src; rm ../.claude/aot-loop/session",
      "aot verify command 'rm -rf /'",
      "npm test",
    );
    const marks = fc.array(fc.tuple(fc.nat(50), fc.constantFrom("''", '""', "\\", "UP", "$1", "$@", "$''")), {
      maxLength: 4,
    });
    const spelled = fc.tuple(line, marks).map(([text, list]) => {
      for (const [at, mark] of list)
        text =
          text.slice(0, at) +
          (mark === "UP" ? text.charAt(at).toUpperCase() : mark + text.charAt(at)) +
          text.slice(at + 1);
      return text;
    });
    let refused = 0;
    const type = fc.constantFrom(undefined, "aot-loop:worker", "aot-loop:coordinator");
    const shells = fc.constantFrom("Bash", "PowerShell", "Monitor");
    await fc.assert(
      fc.asyncProperty(spelled, type, shells, fc.boolean(), async (command, agent, shell, reported) => {
        reportedKind = reported;
        const input = { session_id: "S", cwd: dir, ...tool(shell, { command }, agent) };
        const read = readHookInput(JSON.stringify(input));
        if (read === null || guard(read, scope) === null) return;
        refused++;
        expect((await hook("PreToolUse", input, "S", noNode)).code).toBe(2);
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  test.each([false, true])(
    "SPEC 10: a look at a loop is not asked about (in a session's loop: %s); nothing else is allowed",
    async (own) => {
      if (own) await enter();
      const looks = ["aot status", "aot logs --last 20", "aot state show --json", "aot align --help"];
      const more = ["> README.md", "; rm -rf src", "&& aot run", "$(rm a)", "< a", "| sh", "\n rm a"];
      const others = ["aot run", "aot statusx", "aot align x --yes --help", "ls", "./aot status"];
      for (const command of [...looks, ...more.map((part) => `aot status ${part}`), ...others]) {
        const { out } = await hook("PermissionRequest", tool("Bash", { command }));
        expect([command, out.includes('"behavior":"allow"')]).toEqual([command, looks.includes(command)]);
      }
    },
  );

  test("DECISION-1: what a person decides is asked or denied in every session, with a loop or without, however its words are quoted; nothing else is", async () => {
    const line = fc.constantFrom(
      "aot align 'a goal' --check true --yes",
      "aot redirect limit max_iterations 99",
      "aot phases approve review",
      "aot session enter --take-over",
      "aot run --accept goal",
    );
    const marks = fc.array(fc.tuple(fc.nat(50), fc.constantFrom("''", '""', "\\", "$1", "${9}", "$X", "$''", "`x`")), {
      maxLength: 3,
    });
    const spelled = fc.tuple(line, marks).map(([text, list]) => {
      for (const [at, mark] of list) text = text.slice(0, at) + mark + text.slice(at);
      return text;
    });
    const cli = { CLAUDE_CODE_ENTRYPOINT: "cli" };
    const asked = (command: string, more: Readonly<Record<string, string>> = {}): Promise<Asked> =>
      hook("PreToolUse", tool("Bash", { command }), "S", process.env["PATH"], more);
    let decided = 0;
    for (const own of [false, true]) {
      if (own) await enter();
      await fc.assert(
        fc.asyncProperty(spelled, fc.boolean(), async (command, reported) => {
          reportedKind = reported;
          const input = readHookInput(JSON.stringify({ session_id: "S", ...tool("Bash", { command }) }));
          if (input === null || whatIsDecided(input) === null) return;
          decided++;
          expect(decisionIn(await asked(command, cli))).toBe("ask");
        }),
        { numRuns: 20 },
      );
      reportedKind = true;
      expect(decisionIn(await asked("aot phases approve review"))).toBe("deny");
      expect(await asked("aot phases approve review", { AOT_DECISIONS: "allow" })).toEqual(SILENT);
      for (const command of ["aot status", "npm test -- --yes", "aot phases status"])
        expect([command, await asked(command, cli)]).toEqual([command, SILENT]);
    }
    expect(decided).toBeGreaterThan(15);
    const offered = tool("mcp__plugin_x_aot__aot_more", { tool: "aot_phases_approve", arguments: { gate: "review" } });
    expect(decisionIn(await hook("PreToolUse", offered, "S", process.env["PATH"], cli))).toBe("ask");
  });

  test("without Node aot itself says what is missing", () => {
    const { status, stderr } = spawnSync(join(dirname(front), "aot"), ["status"], {
      env: { PATH: noNode },
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([127, expect.stringContaining("install Node 20.19")]);
  });

  test("the session's own aot comes before any other on the PATH, wherever the plugin lies", async () => {
    const odd = join(temporaryFolder(), `it's a "plugin" of $HOME`);
    cpSync(dirname(dirname(front)), odd, { recursive: true });
    const script = join(dir, "session.sh");
    const own = { CLAUDE_PLUGIN_ROOT: odd, CLAUDE_ENV_FILE: script };
    for (const source of ["startup", "compact"]) await hook("SessionStart", { source }, "S", process.env["PATH"], own);
    const { stdout } = spawnSync("/bin/sh", ["-c", `. "${script}"; command -v aot`], { encoding: "utf8" });
    expect(stdout.trim()).toBe(join(odd, "bin", "aot"));
  });

  test("from a folder that is named relative to where the client stands, the search ends", async () => {
    const nowhere = { CLAUDE_PROJECT_DIR: "x" };
    rmSync(join(dir, ".git"), { recursive: true });
    expect(await hook("PreToolUse", harmful, "S", noNode, nowhere)).toEqual(SILENT);
    await enter();
    expect((await hook("PreToolUse", harmful, "S", noNode, { CLAUDE_PROJECT_DIR: "." })).code).toBe(2);
  });

  test("a mark that outlived its loop denies nothing; a mark of another form is looked into by Node", async () => {
    await enter();
    const mark = readFileSync(sessionFiles(file).mark, "utf8");
    expect(mark).toBe("1 run S\n");
    writeFileSync(sessionFiles(file).mark, "2 something else\n");
    expect(await hook("PreToolUse", harmful)).toEqual(SILENT);
    writeFileSync(sessionFiles(file).mark, mark);
    writeFileSync(file, readFileSync(file, "utf8").replace("status: running", "status: stopped"));
    expect(await hook("PreToolUse", harmful)).toEqual(SILENT);
    expect(await hook("SubagentStop", { agent_id: "c", agent_type: "aot-loop:coordinator" })).toEqual(SILENT);
  });

  test("an unreadable input or state passes and is reported on stderr, and no session crashes", async () => {
    await enter();
    expect(await hook("Stop", "{ nonsense")).toMatchObject({ code: 0, out: "", err: expect.stringContaining("stdin") });
    writeFileSync(file, "nonsense");
    for (const event of events) {
      const answer = await hook(event, { ...harmful, agent_id: "c", agent_type: "aot-loop:coordinator" });
      expect([event, answer.code, answer.out]).toEqual([event, 0, ""]);
    }
    expect((await hook("PreToolUse", harmful)).err).not.toBe("");
  });

  test("SPEC 10: a stop is judged once, also by hooks side by side", async () => {
    await enter();
    const transcript = join(dir, "t.jsonl");
    writeFileSync(transcript, "one\n");
    const stop = {
      agent_id: "c1",
      agent_type: "aot-loop:coordinator",
      agent_transcript_path: transcript,
      stop_hook_active: false,
    };
    const answers = await Promise.all(Array.from({ length: 4 }, () => hook("SubagentStop", stop)));
    expect(new Set(answers.map((answer) => answer.out)).size).toBe(1);
    expect(decisionIn(answers[0] as Asked)).toBe("block");
    expect(readFileSync(file, "utf8")).toContain("iteration: 2");
    writeFileSync(transcript, "one\ntwo\n");
    await hook("SubagentStop", stop);
    expect(readFileSync(file, "utf8")).toContain("iteration: 3");
    for (const agent_type of ["", "aot-loop:worker", "coordinator", "other:coordinator"])
      expect(await hook("SubagentStop", { ...stop, agent_type, agent_id: "w" })).toEqual(SILENT);
    expect(readFileSync(file, "utf8")).toContain("iteration: 3");
  });

  test.each([500, 2_000])("SPEC 10: the answers are right at %i atoms, far beyond 64 KiB of state", async (count) => {
    const atoms = Array.from({ length: count }, (_, index) => [`A${index + 1}`] as const);
    writeFileSync(file, loopText({ atoms: atoms.map(([id]) => [id]) }));
    await enter();
    expect(decisionIn(await hook("PreToolUse", harmful))).toBe("deny");
    expect(await hook("PreToolUse", tool("Bash", { command: "npm test" }), "S", noNode)).toEqual(SILENT);
    expect(decisionIn(await hook("SubagentStop", { agent_id: "c1", agent_type: "aot-loop:coordinator" }))).toBe(
      "block",
    );
  });

  test("a worker starts in the foreground, with the loop's instruction, once", async () => {
    await enter();
    const start = tool(
      "Agent",
      { subagent_type: "aot-loop:worker", description: "A1: x", prompt: "p", run_in_background: true },
      "aot-loop:coordinator",
    );
    const { out } = await hook("PreToolUse", start);
    const answer = JSON.parse(out) as { hookSpecificOutput: { updatedInput: Record<string, unknown> } };
    expect(answer.hookSpecificOutput.updatedInput).toMatchObject({
      subagent_type: "aot-loop:worker",
      description: "A1: x",
      run_in_background: false,
    });
    expect(answer.hookSpecificOutput.updatedInput["prompt"]).toContain("make A1.txt");
    expect(decisionIn(await hook("PreToolUse", start))).toBe("deny");
  });

  test("a coordinator does not hand back before the loop has ended: whoever started it would take that for the end", async () => {
    const back = (role: string): object => tool("SubagentHandback", { message: "x" }, `aot-loop:${role}`);
    await enter();
    expect(decisionIn(await hook("PreToolUse", back("coordinator")))).toBe("deny");
    expect(await hook("PreToolUse", back("worker"))).toEqual(SILENT);
    rmSync(sessionFiles(file).mark);
    expect(await hook("PreToolUse", back("coordinator"), "S", noNode)).toEqual(SILENT);
  });

  test("an agent that the client put into the background is remembered, one in the foreground is not", async () => {
    await enter();
    const input = { subagent_type: "aot-loop:worker", description: "A1: x", prompt: "p" };
    const over = (tool_response: object): Promise<Asked> =>
      hook("PostToolUse", { ...tool("Agent", input, "aot-loop:coordinator"), tool_response });
    expect(await over({ status: "completed", agentId: "w0" })).toEqual(SILENT);
    expect(await over({ isAsync: true, status: "async_launched", agentId: "w1" })).toEqual(SILENT);
    expect(readRecord(file, "S")?.running).toEqual([{ id: "w1", role: "worker" }]);
    expect(await hook("PostToolUse", { ...tool("Agent", input), tool_response: {} }, "another", noNode)).toEqual(
      SILENT,
    );
  });

  test("during a redirect every call of the loop's agents is refused", async () => {
    await enter();
    writeFileSync(sessionFiles(file).mark, "1 interrupted S\n");
    writeFileSync(file, readFileSync(file, "utf8").replace("redirect_requested: false", "redirect_requested: true"));
    expect(decisionIn(await hook("PreToolUse", tool("Bash", { command: "ls" }, "aot-loop:worker")))).toBe("deny");
    expect(await hook("PreToolUse", tool("Bash", { command: "ls" }))).toEqual(SILENT);
  });

  test("a session that starts is informed of an open loop, from a folder below, too; of a finished one it is not", async () => {
    const without = await hook("SessionStart", {}, "S", [join(dir, "nothing"), noNode].join(delimiter));
    expect(without).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(without.out)).toEqual({ systemMessage: expect.stringContaining("node is not found") as unknown });
    expect((await hook("SessionStart", { source: "startup" })).out).toContain("An AoT loop is open here");
    const root = dir;
    mkdirSync(join(root, "src", "deep"), { recursive: true });
    dir = join(root, "src", "deep");
    expect((await hook("SessionStart", { source: "startup" })).out).toContain("An AoT loop is open here");
    dir = root;
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace("status: pending\n  iteration", "status: completed\n  iteration"),
    );
    expect(await hook("SessionStart", { source: "startup" })).toEqual(SILENT);
  });
});
