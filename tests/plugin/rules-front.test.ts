/** Guard rules through the hooks' quick front, as a client calls it (SPEC section 12). */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { program } from "../fixtures/programs.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { agentEnvironment } from "../../src/project/agent-restrictions.ts";
import { loadRules } from "../../src/rules/load.ts";
import { ruleFolders } from "../../src/rules/place.ts";
import { toolEvent } from "../../src/rules/match/subject.ts";
import { SILENT, stageFront, type Asked, type Front } from "./call-front.ts";
import { calledWith } from "./hook-groups.ts";

const POSIX = process.platform !== "win32";
let staged: Front;
let front: string;
let noNode: string;
let project: string;
let home: string;
/** See `Calling.isPart`. */
let reportedKind = true;
/** Who calls it; undefined: whoever tests. */
let user: number | undefined;
beforeAll(async () => {
  staged = await stageFront();
  ({ path: front, noNode } = staged);
});
beforeEach(() => {
  reportedKind = true;
  user = undefined;
  project = temporaryFolder();
  home = temporaryFolder();
  mkdirSync(join(project, ".git"));
  mkdirSync(join(project, ".claude"));
  mkdirSync(join(home, ".claude"));
});

interface Answered {
  readonly hookSpecificOutput?: Readonly<Record<string, string>>;
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
}

const hook = (
  event: string,
  input: object,
  more: Readonly<Record<string, string>> = {},
  cwd = project,
): Promise<Asked> =>
  staged.call(
    event,
    { session_id: "S", cwd: project, hook_event_name: event, ...input },
    { cwd, env: { HOME: home, CLAUDE_PROJECT_DIR: project, ...more }, isPart: reportedKind, user },
  );
const answerOf = ({ out }: Asked): Answered => (out === "" ? {} : (JSON.parse(out) as Answered));
const bash = (command: string): object => ({ tool_name: "Bash", tool_input: { command } });
const pre = async (input: object): Promise<string | undefined> =>
  answerOf(await hook("PreToolUse", input)).hookSpecificOutput?.["permissionDecision"];

/** Neither Node nor anything else was started. */
const quiet = async (event: string, input: object): Promise<void> =>
  expect([event, await hook(event, input, { PATH: noNode })]).toEqual([event, SILENT]);

function rule(name: string, lines: readonly string[], folder = project): string {
  const file = join(folder, ".claude", `hookify.${name}.local.md`);
  writeFileSync(file, ["---", `name: ${name}`, ...lines, "---", `Said by ${name}.`].join("\n"));
  return file;
}
const BLOCK_RM = ["event: bash", String.raw`pattern: rm\s+-rf`, "action: block"];
/** As if everything here was written a while ago and looked at since: the mark is believed once it is younger. */
async function settle(...folders: readonly string[]): Promise<void> {
  // The first time a folder is made for the mark, which changes the one that it is in.
  await hook("PreToolUse", bash("true"));
  for (const folder of folders) age(folder, 60);
}
function age(folder: string, seconds: number): void {
  const before = Date.now() / 1000 - seconds;
  const dir = join(folder, ".claude");
  for (const name of readdirSync(dir)) if (name.endsWith(".md")) utimesSync(join(dir, name), before, before);
  utimesSync(dir, before, before);
}

test.skipIf(!POSIX)(
  "rules in a subfolder, where the client was started, do not switch off the repository's",
  async () => {
    rule("no-rm", BLOCK_RM);
    const sub = join(project, "packages", "one");
    mkdirSync(join(sub, ".claude"), { recursive: true });
    rule("careful", ["event: bash", "pattern: careful"], sub);
    const asked = async (command: string): Promise<Answered> =>
      answerOf(await hook("PreToolUse", bash(command), { CLAUDE_PROJECT_DIR: sub }, sub));
    for (const time of ["first", "second"]) {
      const { hookSpecificOutput } = await asked("rm -rf x");
      expect([time, hookSpecificOutput?.["permissionDecision"]]).toEqual([time, "deny"]);
      expect((await asked("careful")).systemMessage).toContain("Said by careful.");
      for (const folder of [project, sub]) age(folder, 60);
    }
    const { code, err } = await hook("PreToolUse", bash("rm -rf x"), { CLAUDE_PROJECT_DIR: sub, PATH: noNode }, sub);
    expect([code, err]).toEqual([2, expect.stringContaining("node is not found")]);
  },
);

test("every tool is asked about once before its call, with its kind, and once when it is over, if a rule may look at that", () => {
  const kinds = new Map([["loop", "other"]]);
  const name = fc.oneof(
    fc.constantFrom(..."Bash|PowerShell|Monitor|Edit|Write|MultiEdit|NotebookEdit|apply_patch|Read|Task".split("|")),
    fc.constantFrom(
      ..."NotebookRead|Agent|SubagentHandback|Grep|BashOutput|ReadMcpResource|mcp__x__aot_stop|mcp__x__y".split("|"),
    ),
    fc.stringMatching(/^[\w-]{1,20}$/),
  );
  fc.assert(
    fc.property(name, (tool) => {
      const asked = calledWith("PreToolUse", tool);
      expect(asked).toHaveLength(1);
      const [event, kind = ""] = asked[0] ?? [];
      expect([event, kinds.get(kind) ?? kind]).toEqual(["PreToolUse", toolEvent(tool)]);
      expect(kind === "loop").toBe(/^(Agent|Task|SubagentHandback)$|^mcp__.*__aot_/.test(tool));
      // SUBJECT-2: what an editor answers when all went well is no field.
      expect(calledWith("PostToolUse", tool)).toEqual(
        toolEvent(tool) === "file" ? [] : [["PostToolUse", ...(/^(Agent|Task)$/.test(tool) ? ["loop"] : [])]],
      );
      expect(calledWith("PostToolUseFailure", tool)).toEqual([["PostToolUseFailure"]]);
    }),
  );
});

describe.skipIf(!POSIX)("SPEC 12: rules in the quick front", () => {
  const EVENTS: readonly (readonly [string, object])[] = [
    ["PreToolUse", bash("rm -rf /")],
    ["PreToolUse", { tool_name: "Read", tool_input: { file_path: "x" } }],
    ["PostToolUse", { ...bash("rm -rf /"), tool_response: { stdout: "" } }],
    ["PostToolUseFailure", { ...bash("rm -rf /"), error: "Exit code 1" }],
    ["UserPromptSubmit", { prompt: "rm -rf" }],
    ["Stop", { stop_hook_active: false, last_assistant_message: "rm -rf" }],
    ["SessionStart", { source: "startup" }],
  ];

  test("without rules nothing is started", async () => {
    for (const [event, input] of EVENTS) await quiet(event, input);
  });

  test("AUDIT-2: without rules a stop is looked at where its words may claim something, and only there", async () => {
    const transcript = join(project, "s.jsonl");
    const content = [{ type: "tool_use", id: "b", name: "Bash", input: { command: "npm test" } }];
    const result = [{ type: "tool_result", tool_use_id: "b", content: "Exit code 1", is_error: true }];
    const lines = [
      { type: "assistant", message: { role: "assistant", content } },
      { type: "user", message: { role: "user", content: result } },
    ];
    writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const stop = (said: string): object => ({ transcript_path: transcript, last_assistant_message: said });
    expect(answerOf(await hook("Stop", stop("All tests pass."))).systemMessage).toContain(`exited 1  ${transcript}:1`);
    expect(await hook("Stop", stop("I will pass this on."))).toEqual(SILENT);
    const worker = { AOT_LOOPS: project, AOT_LOOP_ROOT: project };
    expect(await hook("Stop", stop("All tests pass."), worker)).toEqual(SILENT);
    // Without Node nothing can be compared, and nothing has to be said about that.
    for (const said of ["Done.", "All tests pass."]) await quiet("Stop", stop(said));
  });

  test("a rule blocks with its name and its message, and what it is not about costs nothing from then on", async () => {
    rule("no-rm", BLOCK_RM);
    await settle(project);
    const { hookSpecificOutput, systemMessage } = answerOf(await hook("PreToolUse", bash("sudo rm -rf /")));
    expect(hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
    for (const said of [hookSpecificOutput?.["permissionDecisionReason"], systemMessage]) {
      expect(said).toContain("no-rm");
      expect(said).toContain("Said by no-rm.");
    }
    for (const [event, input] of EVENTS.slice(1)) if (event !== "SessionStart") await quiet(event, input);
    expect(await pre(bash("ls"))).toBeUndefined();
  });

  test("a rule about other tools, or about what other tools answered, costs nothing", async () => {
    rule("notes", ["event: all", "tool_matcher: Edit|mcp__a__b", "pattern: x", "action: block"]);
    rule("result", ["event: bash", "conditions:", "- {field: output, pattern: FAILED}"]);
    await settle(project);
    const read = { tool_name: "Read", tool_input: { file_path: "x" } };
    const tool = (tool_name: string): object => ({ tool_name, tool_input: { file_path: "a", new_string: "x" } });
    for (reportedKind of [true, false]) {
      expect(await pre(tool("Edit"))).toBe("deny");
      expect(await pre(tool("mcp__a__b"))).toBe("deny");
      await quiet("PreToolUse", bash("x"));
      await quiet("PreToolUse", read);
    }
    await quiet("Stop", { stop_hook_active: false, last_assistant_message: "x" });
    await quiet("UserPromptSubmit", { prompt: "x" });
    for (const event of ["PostToolUse", "PostToolUseFailure"]) {
      await quiet(event, { ...read, tool_response: "FAILED" });
      await quiet(event, { ...tool("mcp__a__b"), tool_response: "FAILED" });
    }
    const reported = {
      hookSpecificOutput: { additionalContext: expect.stringContaining("Said by result.") as unknown },
    };
    const after = async (event: string, more: object): Promise<Answered> =>
      answerOf(await hook(event, { ...bash("make"), ...more }));
    expect(await after("PostToolUse", { tool_response: { stdout: "1 FAILED" } })).toMatchObject(reported);
    expect(await after("PostToolUseFailure", { error: `Exit code 1\n${"x".repeat(200_000)} FAILED` })).toMatchObject(
      reported,
    );
    expect(await after("PostToolUse", { tool_response: { stdout: "ok" } })).toEqual({});
  });

  test("live: a rule that comes, changes, goes or is replaced by an older file is seen at once", async () => {
    const file = rule("no-rm", BLOCK_RM);
    await settle(project);
    expect(await pre(bash("rm -rf /"))).toBe("deny");
    await quiet("UserPromptSubmit", { prompt: "ship it" });
    rule("ask", ["event: prompt", "pattern: ship", "action: block"]);
    expect(answerOf(await hook("UserPromptSubmit", { prompt: "ship it" }))).toMatchObject({ decision: "block" });
    rule("no-rm", ["event: bash", "pattern: nothing", "action: block"]);
    expect(await pre(bash("rm -rf /"))).toBeUndefined();
    const older = join(project, "older.md");
    writeFileSync(older, ["---", "name: no-rm", ...BLOCK_RM, "---", "x"].join("\n"));
    utimesSync(older, 1_000_000, 1_000_000);
    renameSync(older, file);
    expect(await pre(bash("rm -rf /"))).toBe("deny");
    rmSync(file);
    expect(await pre(bash("rm -rf /"))).toBeUndefined();
  });

  test("a rule that was put over another one with an older date (cp -p) holds from the next session on at the latest", async () => {
    const file = rule("guard", ["event: prompt", "pattern: nothing", "action: block"]);
    await settle(project);
    await hook("PreToolUse", bash("true"));
    await quiet("PreToolUse", bash("rm -rf /"));
    writeFileSync(file, ["---", "name: guard", ...BLOCK_RM, "---", "x"].join("\n"));
    utimesSync(file, 1_000_000, 1_000_000);
    expect(answerOf(await hook("SessionStart", { source: "startup" }))).toEqual({});
    expect(await pre(bash("rm -rf /"))).toBe("deny");
  });

  test("a mark from a time when the clock was ahead hides no rule that comes once it is right again", async () => {
    rule("ask", ["event: prompt", "pattern: nothing", "action: block"]);
    await settle(project);
    const ahead = Date.now() + 3_600_000;
    vi.useFakeTimers({ now: ahead, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await loadRules(ruleFolders(project, { HOME: home }));
    vi.useRealTimers();
    await quiet("PreToolUse", bash("rm -rf /"));
    rule("ask", BLOCK_RM);
    expect(await pre(bash("rm -rf /"))).toBe("deny");
  });

  /**
   * Asked for the first time, and slow: it begins a minute ago, hangs with what it read before it puts the file in place, and
   * dies right behind that. Meanwhile, half a minute ago, the rule is changed, and `then` happens.
   */
  const readBefore = async (file: "read" | "mark", then: () => Promise<void>): Promise<void> => {
    const signs = temporaryFolder();
    const [request, end] = [`before-${file}`, `after-${file}`].map((name) => join(signs, name));
    writeFileSync(request ?? "", "");
    writeFileSync(end ?? "", "die");
    rule("no-rm", ["event: bash", "pattern: nothing", "action: block"]);
    const preload = pathToFileURL(program("held-at-rename.mjs")).href;
    const asked = hook("PreToolUse", bash("true"), { NODE_OPTIONS: `--import ${preload}`, HELD_AT: signs });
    await eventually("it has read the rule", () => existsSync(join(signs, `is-before-${file}`)), 60_000);
    rule("no-rm", BLOCK_RM);
    age(project, 30);
    await then();
    rmSync(request ?? "");
    expect((await asked).err).toContain("could not decide");
    expect(existsSync(join(project, ".claude", "aot-rules", file))).toBe(true);
  };

  test("LOAD-4: what somebody read before a change, and puts over what was read after it, is not believed", async () => {
    const denied = async (): Promise<void> => expect(await pre(bash("rm -rf /"))).toBe("deny");
    await readBefore("read", denied);
    await denied();
    await quiet("UserPromptSubmit", { prompt: "x" });
  });

  test("a mark is as old as what it was made of from the moment on that it is there", async () => {
    await readBefore("mark", () => Promise.resolve());
    expect(await pre(bash("rm -rf /"))).toBe("deny");
  });

  test("what may block is never let through because Node cannot start or the input is not known", async () => {
    rule("no-rm", BLOCK_RM);
    const without = await hook("PreToolUse", bash("rm -rf /"), { PATH: noNode });
    expect(without).toMatchObject({ code: 2, out: "" });
    expect(without.err).toContain("node is not found");
    await settle(project);
    reportedKind = false;
    const nested = { tool_input: { tool_name: "Read", command: "rm -rf /" }, tool_name: "Bash" };
    expect(await pre(nested)).toBe("deny");
    expect(await pre({ tool_name: "Bash", tool_input: { command: `${"x".repeat(300_000)}; rm -rf /` } })).toBe("deny");
  });

  test("the user's own rules hold as well, in the client's settings folder", async () => {
    rule("mine", ["event: file", "pattern: secret", "action: block"], home);
    await settle(project, home);
    expect(await pre({ tool_name: "Write", tool_input: { file_path: "a", content: "a secret" } })).toBe("deny");
    await quiet("PreToolUse", bash("secret"));
    const elsewhere = temporaryFolder();
    mkdirSync(join(elsewhere, ".claude"));
    rule("other", BLOCK_RM, elsewhere);
    const settings = { CLAUDE_CONFIG_DIR: join(elsewhere, ".claude") };
    expect(answerOf(await hook("PreToolUse", bash("rm -rf /"), settings)).hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
    });
    expect(existsSync(join(project, ".claude", "aot-rules"))).toBe(false);
  });

  test("from a folder below the rules, no further up than the repository", async () => {
    rule("no-rm", BLOCK_RM);
    const below = join(project, "a", "b");
    mkdirSync(below, { recursive: true });
    const at = async (folder: string): Promise<Answered> =>
      answerOf(await hook("PreToolUse", bash("rm -rf /"), { CLAUDE_PROJECT_DIR: folder }));
    expect((await at(below)).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    mkdirSync(join(below, ".git"));
    expect(await at(below)).toEqual({});
    expect((await at(".")).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    rule("mine", ["event: bash", "pattern: mine", "action: block"], home);
    const own = { CLAUDE_PROJECT_DIR: ".", CLAUDE_CONFIG_DIR: relative(project, join(home, ".claude")), CDPATH: "/" };
    for (let times = 0; times < 2; times++) {
      await settle(project, home);
      expect(answerOf(await hook("PreToolUse", bash("mine"), own)).hookSpecificOutput).toMatchObject({
        permissionDecision: "deny",
      });
    }
  });

  test("a broken rule is named when the session starts, and silences no other", async () => {
    rule("no-rm", BLOCK_RM);
    const broken = rule("broken", ["event: bash", "pattern: (", "action: block"]);
    mkdirSync(join(project, ".claude", "hookify.folder.local.md"));
    symlinkSync("nowhere", join(project, ".claude", "hookify.link.local.md"));
    expect(await pre(bash("rm -rf /"))).toBe("deny");
    const { systemMessage = "" } = answerOf(await hook("SessionStart", { source: "startup" }));
    expect(systemMessage).toContain(`${broken}:4`);
    expect(systemMessage).toContain("hookify.folder.local.md");
    expect(systemMessage).toContain("hookify.link.local.md");
    expect(systemMessage).not.toContain("hookify.no-rm");
  });

  /** Somebody whom permissions hold, as they do not hold root: everything that a hook touches is theirs. */
  const asSomebody = (): void => {
    if (process.getuid?.() !== 0) return;
    user = 65_534;
    const plugin = dirname(dirname(front));
    for (const folder of [dirname(plugin), project, home]) chmodSync(folder, 0o755);
    for (const folder of [project, home]) chownSync(join(folder, ".claude"), user, user);
  };
  const reasonOf = async (event: string, input: object): Promise<string | undefined> => {
    const { hookSpecificOutput, reason } = answerOf(await hook(event, input));
    return hookSpecificOutput?.["permissionDecisionReason"] ?? reason;
  };

  test("LOAD-3: a rule that may not be read denies what it might forbid, and nothing of that is kept: it holds once it may", async () => {
    rule("careful", ["event: bash", "pattern: make"]);
    const file = rule("no-rm", BLOCK_RM);
    asSomebody();
    if (user !== undefined) chownSync(file, user, user);
    chmodSync(file, 0);
    await settle(project);
    for (let times = 0; times < 2; times++) {
      expect(await reasonOf("PreToolUse", bash("ls"))).toContain(`${file} cannot be read (EACCES`);
      expect(await reasonOf("UserPromptSubmit", { prompt: "x" })).toContain("chmod u+r");
    }
    expect(answerOf(await hook("SessionStart", { source: "startup" })).systemMessage).toContain(
      `${file}: it cannot be`,
    );
    chmodSync(file, 0o644);
    expect(await pre(bash("ls"))).toBeUndefined();
    expect(await pre(bash("rm -rf /"))).toBe("deny");
  });

  test("LOAD-3: a rule that was read and then may not be any more goes on to hold", async () => {
    const file = rule("no-rm", BLOCK_RM);
    asSomebody();
    if (user !== undefined) chownSync(file, user, user);
    await settle(project);
    await hook("PreToolUse", bash("true"));
    chmodSync(file, 0);
    expect(await pre(bash("rm -rf /"))).toBe("deny");
  });

  test("LOAD-3: a folder that may not be looked into may hold rules; a project's that is not there holds none", async () => {
    rule("no-rm", BLOCK_RM);
    asSomebody();
    const folder = join(project, ".claude");
    for (const mode of [0, 0o100, 0o400]) {
      chmodSync(folder, mode);
      expect([mode, await reasonOf("PreToolUse", bash("ls"))]).toEqual([mode, expect.stringContaining(folder)]);
    }
    chmodSync(folder, 0o755);
    rmSync(folder, { recursive: true });
    await quiet("PreToolUse", bash("rm -rf /"));
  });

  test("a FIFO and a link to itself are no rules: named, skipped, and nothing waits for them", async () => {
    rule("no-rm", BLOCK_RM);
    const odd = ["pipe", "self"].map((name) => join(project, ".claude", `hookify.${name}.local.md`));
    execFileSync("mkfifo", [odd[0] ?? ""]);
    symlinkSync("hookify.self.local.md", odd[1] ?? "");
    expect(await pre(bash("rm -rf /"))).toBe("deny");
    expect(await pre(bash("ls"))).toBeUndefined();
    const { systemMessage } = answerOf(await hook("SessionStart", { source: "startup" }));
    for (const file of odd) expect(systemMessage).toContain(`${file}: `);
  });

  test("RULES-2: without Node a rule that only warns holds nobody up; one that blocks does, and a prompt only if it may be about prompts", async () => {
    const missing = (event: string, input: object): Promise<Asked> => hook(event, input, { PATH: noNode });
    rule("careful", ["event: bash", String.raw`pattern: rm\s+-rf`, "action: warn"]);
    expect((await missing("PreToolUse", bash("rm -rf /"))).code).toBe(0);
    expect(answerOf(await missing("SessionStart", { source: "startup" })).systemMessage).toContain(
      "install Node 20.19",
    );
    rule("no-rm", BLOCK_RM);
    expect(await missing("PreToolUse", bash("rm -rf /"))).toMatchObject({ code: 2 });
    expect((await missing("UserPromptSubmit", { prompt: "x" })).code).toBe(0);
    expect((await missing("Stop", { stop_hook_active: false })).code).toBe(0);
    for (const event of ["prompt", "[bash, prompt]", "all"]) {
      rule("no-prod", [`event: ${event}`, "pattern: production", "action: block"]);
      expect([event, (await missing("UserPromptSubmit", { prompt: "x" })).code]).toEqual([event, 2]);
    }
    rule("no-prod", ["pattern: production", "action: block"]);
    expect((await missing("UserPromptSubmit", { prompt: "x" })).code).toBe(2);
  });

  test("RULES-1, RULES-2: without Node a rule blocks by its action alone, however that is written, and as long as it is on", async () => {
    const asked = async (lines: readonly string[]): Promise<number | null> => {
      rule("one", lines);
      return (await hook("PreToolUse", bash("rm -rf /"), { PATH: noNode })).code;
    };
    const about = ["event: bash", String.raw`pattern: rm\s+-rf`];
    for (const harmless of [
      ["name: no-block-action", ...about, "action: warn"],
      [String.raw`pattern: block|action`, "action: Warn"],
      [...about, "action: block", "enabled: false"],
      [...about, "action: block", "shadow: true"],
      about,
    ])
      expect([harmless, await asked(harmless)]).toEqual([harmless, 0]);
    for (const blocking of [
      [...about, 'action: "block"'],
      [...about, "action:", "  block"],
      [...about, '"action": block'],
      [...about, String.raw`"\x61ction": block`],
      [...about, "'action' : block"],
      [...about, "? action", ": block"],
      ["{ event: bash, pattern: rm, action: block }"],
      ["  event: bash", "  pattern: rm", "  action: block"],
    ])
      expect([blocking, await asked(blocking)]).toEqual([blocking, 2]);
  });

  /** What an agent of the loop in that project has in its environment. */
  const working = (root: string): { readonly AOT_LOOPS: string; readonly AOT_LOOP_ROOT: string } => {
    const { AOT_LOOPS = "", AOT_LOOP_ROOT = "" } = agentEnvironment(
      join(root, ".claude", "aot-loop-state.md"),
      {},
      root,
    );
    return { AOT_LOOPS, AOT_LOOP_ROOT };
  };

  test("an agent of `aot run` obeys the rules of the project whose loop it works for", async () => {
    rule("no-rm", BLOCK_RM);
    const worktree = join(project, ".claude", "worktrees", "aot-loop", "a");
    mkdirSync(join(worktree, ".git"), { recursive: true });
    const loops = working(project);
    // An older `aot` does not say which project it is.
    for (const reported of [loops, { AOT_LOOPS: loops.AOT_LOOPS }]) {
      const asked = await hook("PreToolUse", bash("rm -rf /"), { ...reported, CLAUDE_PROJECT_DIR: worktree }, worktree);
      expect(answerOf(asked).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    }
    rmSync(join(project, ".claude", "hookify.no-rm.local.md"));
    expect(
      await hook("PreToolUse", bash("rm -rf /"), { ...loops, CLAUDE_PROJECT_DIR: worktree, PATH: noNode }),
    ).toEqual(SILENT);
  });

  test("an agent of `aot run` obeys them wherever the project lies: blanks, quotes, globs, line ends and backslashes in its path", async () => {
    for (const name of ['we"ird', "bl ank", "it's", "st*r[a]?", "li\nne", "back\\slash", "-dash", "$(false)"]) {
      const odd = join(project, name);
      const worktree = join(odd, ".claude", "worktrees", "aot-loop", "a");
      mkdirSync(join(worktree, ".git"), { recursive: true });
      mkdirSync(join(odd, ".git"));
      rule("no-rm", BLOCK_RM, odd);
      for (const more of [{ ...working(odd), CLAUDE_PROJECT_DIR: worktree }, { CLAUDE_PROJECT_DIR: odd }]) {
        const answer = answerOf(await hook("PreToolUse", bash("rm -rf /"), more, more.CLAUDE_PROJECT_DIR));
        expect([name, answer.hookSpecificOutput]).toMatchObject([name, { permissionDecision: "deny" }]);
      }
    }
  });

  test("an agent of `aot run` obeys them where `.claude` is a link, as worktrees share it", async () => {
    const shared = temporaryFolder();
    rmSync(join(project, ".claude"), { recursive: true });
    symlinkSync(shared, join(project, ".claude"));
    rule("no-rm", BLOCK_RM);
    const worktree = join(temporaryFolder(), "a");
    mkdirSync(join(worktree, ".git"), { recursive: true });
    const more = { ...working(project), CLAUDE_PROJECT_DIR: worktree };
    for (let times = 0; times < 2; times++) {
      const answer = answerOf(await hook("PreToolUse", bash("rm -rf /"), more, worktree));
      expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
      await settle(project);
    }
  });
});
