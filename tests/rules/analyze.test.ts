/** Transcripts on disk: found where Claude Code keeps them, read as a stream, analyzed and replayed (SPEC section 12). */
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { analyzeFiles, analyzeTranscripts, type Analysis } from "../../src/rules/analyze.ts";
import { replayRules } from "../../src/rules/replay.ts";
import { findTranscripts, type TranscriptChoice, type TranscriptFile } from "../../src/rules/replay-sources.ts";
import type { Result } from "../../src/core/problem.ts";
import { readRule } from "../../src/rules/match/read-rule.ts";
import type { Rule } from "../../src/rules/match/rule.ts";
import type { Judge } from "../../src/rules/analyze.ts";
import { agreedOn } from "../../src/rules/analyze/findings.ts";
import { questionOn } from "../../src/rules/analyze/turn-questions.ts";
import { bundleFixture, startProgram, temporaryFolder } from "../support/bundle.ts";
import { answer, bash, call, CORRECTED, linesOf, refusal, said, USE_PNPM, user } from "../support/transcript.ts";

const PROJECT = (dir: string): TranscriptChoice & { readonly dir: string } => ({ dir, paths: [], everywhere: false });
let home: string;
let dir: string;
let env: Record<string, string>;
beforeEach(() => {
  home = temporaryFolder();
  dir = join(temporaryFolder(), "my.project");
  mkdirSync(dir);
  env = { HOME: home };
});

function keep(session: string, lines: readonly (object | string)[], age = 0): string {
  const path = join(home, ".claude", "projects", dir.replaceAll(/[^A-Za-z0-9]/g, "-"), `${session}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, linesOf(lines));
  const time = new Date(Date.UTC(2026, 0, 20 - age));
  utimesSync(path, time, time);
  return path;
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

/** Two readings that say the same of all turns. */
const reading =
  (...corrections: readonly object[]): Judge =>
  (turns) => {
    const { read, resolve } = questionOn(turns);
    const found = resolve(valueOf(asResult(read({ corrections }))));
    const told = turns.map((turn) => agreedOn(turn, [found.get(turn) ?? null, found.get(turn) ?? null]));
    return Promise.resolve({
      ok: true,
      value: { agreed: told.filter((one) => one !== null && one !== "open"), differing: 0 },
    });
  };

function asResult<T>(read: { readonly ok: true; readonly value: T } | { readonly ok: false }): Result<T> {
  return read.ok ? read : { ok: false, problems: [] };
}

const analyze = async (choice: Partial<TranscriptChoice> = {}, judge?: Judge): Promise<Analysis> =>
  valueOf(await analyzeTranscripts({ paths: [], everywhere: false, ...choice }, { cwd: dir, env }, undefined, judge));

describe("where transcripts are looked for", () => {
  const found = (choice: Partial<TranscriptChoice>, cwd = dir): readonly string[] => {
    const files = findTranscripts({ paths: [], everywhere: false, ...choice }, cwd, env);
    return files.ok ? files.value.map(({ path }) => path) : [];
  };

  test("the project's, oldest first, with the sub-agents of its sessions", () => {
    const [newer, older] = [keep("s1", CORRECTED, 1), keep("s2", CORRECTED, 2)];
    const agent = keep("s1/subagents/agent-a", CORRECTED, 0);
    expect(found({})).toEqual([older, newer, agent]);
    expect(found({ session: "s1" })).toEqual([newer, agent]);
    expect(found({ session: "latest" })).toEqual([newer, agent]);
    expect(found({ session: "s3" })).toEqual([]);
    expect(found({}, home)).toEqual([]);
    expect(found({ everywhere: true }, home)).toEqual([older, newer, agent]);
    expect(found({ paths: [older] })).toEqual([older]);
  });

  test("the folder's real name counts, too, and CLAUDE_CONFIG_DIR", () => {
    const path = keep("s1", CORRECTED);
    const link = join(temporaryFolder(), "link");
    symlinkSync(dir, link, process.platform === "win32" ? "junction" : "dir");
    expect(found({}, link)).toEqual([path]);
    env = { HOME: temporaryFolder(), CLAUDE_CONFIG_DIR: join(home, ".claude") };
    expect(found({})).toEqual([path]);
  });

  test("where there is none it says where it looked, and what to do", async () => {
    const none = await analyzeTranscripts(PROJECT(dir), { cwd: dir, env });
    expect(none).toMatchObject({ ok: false, problems: [{ code: "file_missing" }] });
    expect(JSON.stringify(none)).toContain(dir.replaceAll(/[^A-Za-z0-9]/g, "-"));
    expect(JSON.stringify(none)).toContain("--transcript");
    expect(await analyzeTranscripts(PROJECT(dir), { cwd: dir, env: {} })).toMatchObject({ ok: false });
    keep("s1", CORRECTED);
    const other = await analyzeTranscripts({ ...PROJECT(dir), session: "s7" }, { cwd: dir, env });
    expect(JSON.stringify(other)).toContain("s7");
  });
});

describe("SPEC 12: analyze", () => {
  test("a finding has severity, what happened, quotes with file and line, a rule and its replay", async () => {
    const path = keep("s1", [...CORRECTED, bash("b3", "npm view x")]);
    const { findings, counts, messages } = await analyze({}, reading(USE_PNPM));
    expect(counts).toMatchObject({ files: 1, lines: 5, unreadable: 0, broken: [] });
    expect(messages).toEqual({ asked: 1, again: 0, older: 0, approvals: 0, pasted: 0, without_calls: 1 });
    expect(findings).toMatchObject([
      {
        finding: {
          severity: "medium",
          call: { id: "b1" },
          quotes: [{ text: "use pnpm instead of npm", at: { file: path, line: 3 }, call: { at: { line: 2 } } }],
          rule: { name: "use-pnpm", words: "Use pnpm, never npm." },
        },
        proposed: {
          rule: {
            name: "use-pnpm",
            event: "bash",
            action: "warn",
            conditions: [{ field: "command", pattern: "^npm\\b" }],
          },
          replay: { tried: 5, caught: 1, harmless: 1 },
          harmless: [{ text: "npm view x", at: { file: path, line: 5 } }],
        },
      },
    ]);
    const written = readRule(findings[0]?.proposed?.text ?? "", "hookify.use-pnpm.local.md");
    expect(valueOf(written)).toMatchObject({ warnings: [], rule: { name: "use-pnpm" } });
  });

  describe("ANALYZE-1: the rule stays in words", () => {
    const proposed = async (...corrections: readonly object[]): Promise<unknown> => {
      keep("s1", [...CORRECTED, ...Array.from({ length: 30 }, (_, at) => bash(`c${at}`, "ls"))]);
      const { findings } = await analyze({}, reading(...corrections));
      return findings.map(
        (one) => one.proposed?.rule.conditions.map(({ pattern }) => pattern) ?? one.finding.rule?.words,
      );
    };
    const when = (pattern: string, field = "command"): object => ({ ...USE_PNPM, when: [{ field, pattern }] });
    test.each([
      ["there is no pattern", { ...USE_PNPM, when: [] }, "Use pnpm, never npm."],
      ["it catches none of the calls it is for", when("^yarn"), "Use pnpm, never npm."],
      ["it is about a field that the call does not have", when("npm", "new_text"), "Use pnpm, never npm."],
      ["no engine reads it", when("npm(?"), "Use pnpm, never npm."],
      ["it catches more than one in twenty of the others", when("npm|ls"), "Use pnpm, never npm."],
      ["nothing lasts", { ...USE_PNPM, rule: null }, undefined],
      ["no call is named, and nothing is caught", { ...when("^yarn"), call: null }, "Use pnpm, never npm."],
      ["but not: no call is named, and one is caught", { ...when("^npm"), call: null }, ["^npm"]],
    ])("%s", async (_, correction, expected) => expect(await proposed(correction)).toEqual([expected]));
  });

  test("of several patterns the one is taken that catches least of the others", async () => {
    keep("s1", [...CORRECTED, bash("b3", "npm view x")]);
    const judge: Judge = async (turns) => {
      const one = valueOf(await reading(USE_PNPM)(turns)).agreed;
      const other = valueOf(
        await reading({ ...USE_PNPM, when: [{ field: "command", pattern: "^npm install" }] })(turns),
      ).agreed;
      const agreed = one.map((first, at) => ({
        ...first,
        readings: [...first.readings, ...(other[at]?.readings ?? [])],
      }));
      return { ok: true, value: { agreed, differing: 0 } };
    };
    const { findings } = await analyze({}, judge);
    expect(findings[0]?.proposed?.rule.conditions).toMatchObject([{ pattern: "^npm install" }]);
  });

  test("a rule on another tool is about that tool alone", async () => {
    keep("s1", [
      call("t1", "Task", { prompt: "look at a" }),
      user("one agent is enough"),
      call("t2", "Other", { prompt: "look" }),
    ]);
    const correction = {
      ...USE_PNPM,
      quote: "one agent",
      name: "one-agent",
      when: [{ field: "prompt", pattern: "^look" }],
    };
    const { findings } = await analyze({}, reading(correction));
    expect(findings[0]?.proposed).toMatchObject({
      rule: { event: "all", conditions: [{ field: "tool_name", pattern: "^Task$" }, { field: "prompt" }] },
      replay: { caught: 1, harmless: 0 },
    });
  });

  test("ANALYZE-2: a message is asked about once, though a resumed session repeats its history", async () => {
    keep("s1", CORRECTED, 2);
    keep("s2", [...CORRECTED, user("and y"), bash("b7", "npm i y"), user("no, use pnpm instead of npm")], 1);
    const asked: string[] = [];
    const judge: Judge = async (turns) => {
      asked.push(...turns.map(({ text }) => text));
      return await reading(USE_PNPM, { ...USE_PNPM, turn: 3, call: 4 })(turns);
    };
    const { findings, messages } = await analyze({}, judge);
    expect(asked).toEqual(["no, use pnpm instead of npm", "and y", "no, use pnpm instead of npm"]);
    expect(messages).toMatchObject({ asked: 3, again: 1 });
    expect(findings.map(({ finding }) => finding.quotes.length)).toEqual([2]);
    expect(findings[0]?.proposed?.replay).toMatchObject({ caught: 2, harmless: 0, tried: 9 });
  });

  test("of very many messages the newest are asked about", async () => {
    const many = Array.from({ length: 130 }, (_, at) => user(`not so ${at}`));
    keep("s1", [bash("b1", "ls"), ...many]);
    let first = "";
    const judge: Judge = (turns) => {
      first = turns[0]?.text ?? "";
      return Promise.resolve({ ok: true, value: { agreed: [], differing: 2 } });
    };
    const { messages, differing } = await analyze({}, judge);
    expect([messages.asked, messages.older, first, differing]).toEqual([120, 10, "not so 10", 2]);
  });

  test("ANALYZE-3: without an agent refused calls alone, with their words, and no rules", async () => {
    keep("s1", [
      ...CORRECTED,
      bash("r1", "rm -rf build"),
      refusal("r1", "never delete the build"),
      call("a1", "AskUserQuestion", { questions: [] }),
      refusal("a1", "neither of them"),
      bash("r2", "git push"),
      refusal("r2"),
      user("[Request interrupted by user for tool use]"),
      user("not yet"),
      said("all right"),
    ]);
    const { findings, messages } = await analyze();
    expect(messages.asked).toBe(0);
    expect(
      findings.map(({ finding, proposed }) => [finding.call?.id, finding.quotes[0]?.text, finding.rule, proposed]),
    ).toEqual([
      ["r1", "never delete the build", null, null],
      ["r2", "not yet", null, null],
    ]);
  });

  test("lines of other versions, broken ones and an unfinished last one are counted and passed over", async () => {
    keep("s1", [
      "nonsense",
      { type: "user" },
      { type: "system", subtype: "init" },
      ...CORRECTED,
      '{"type":"user","mess',
    ]);
    const { counts, findings } = await analyze({}, reading(USE_PNPM));
    expect(counts).toMatchObject({ lines: 8, other: 1, unreadable: 2, unknown: 1, too_long: 0 });
    expect(findings).toHaveLength(1);
  });

  test("a file that goes while it is read is named, and the others are analyzed", async () => {
    keep("s1", CORRECTED);
    const gone = findTranscripts(PROJECT(dir), dir, env);
    expect(gone.ok).toBe(true);
    const [file] = valueOf(gone);
    if (file === undefined) throw new Error("no transcript");
    const broken = { ...file, path: "gone.jsonl", pieces: () => failing() };
    const { counts, findings } = valueOf(await analyzeFiles([broken, file], undefined, reading(USE_PNPM)));
    expect(counts.broken).toEqual([{ file: "gone.jsonl", why: "gone" }]);
    expect(findings).toHaveLength(1);
  });

  test("an ended call reads no further", async () => {
    keep("s1", CORRECTED);
    const ended = await analyzeTranscripts(PROJECT(dir), { cwd: dir, env }, AbortSignal.abort());
    expect(valueOf(ended)).toMatchObject({ counts: { files: 0 }, findings: [] });
  });

  test(
    "memory is bounded: 200 MB pass through a heap of 64 MB, a line of 20 MB among them",
    { timeout: 300_000 },
    async () => {
      const program = await bundleFixture("programs/analyze-stream.ts");
      const child = startProgram([process.execPath, "--max-old-space-size=64", program]);
      const found = JSON.parse(await child.line()) as Record<string, number>;
      expect(await child.ended()).toBe(0);
      expect(found).toMatchObject({ findings: 1, too_long: 1, asked: 120, occurrences: 120 });
      expect(found["bytes"]).toBeGreaterThan(200 * 1024 * 1024);
      expect(found["older"]).toBeGreaterThan(500);
    },
  );
});

describe("SPEC 12: fuzzed transcripts never crash and never block", () => {
  const edit = call("e1", "Edit", { file_path: "/p/a.ts", old_string: "x", new_string: "y" });
  const sessions = [
    CORRECTED,
    [user("add it"), edit, answer("e1", "ok"), said("Done."), user("not in this file"), refusal("e1", "no")],
    [bash("b9", "rm -rf x"), refusal("b9", "never"), user([{ type: "text", text: "why?" }, { type: "image" }])],
  ].map(linesOf);
  const fileOf = (bytes: Uint8Array): TranscriptFile => ({
    path: "fuzzed.jsonl",
    bytes: bytes.length,
    changed: 0,
    pieces: async function* () {
      for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
    },
  });

  test("real ones with bytes changed, cut, doubled and shuffled", async () => {
    const change = fc.record({
      at: fc.nat(20_000),
      kind: fc.constantFrom("flip", "cut", "double", "insert", "swap"),
      byte: fc.constantFrom(0, 10, 34, 92, 91, 123, 125, 192, 255),
    });
    const seen = { runs: 0, findings: 0, unreadable: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...sessions), { minLength: 1, maxLength: 4 }),
        fc.array(change, { maxLength: 12 }),
        async (texts, changes) => {
          let bytes = new TextEncoder().encode(texts.join(""));
          for (const { at, kind, byte } of changes) bytes = changed(bytes, at % bytes.length, kind, byte);
          const everything: Judge = async (turns) =>
            await reading(...turns.map(({ text }, at) => ({ ...USE_PNPM, turn: at + 1, quote: text || "-" })))(turns);
          const { findings, counts } = valueOf(await analyzeFiles([fileOf(bytes)], undefined, everything));
          seen.runs++;
          seen.findings += findings.length;
          seen.unreadable += counts.unreadable;
          expect(counts.bytes).toBe(bytes.length);
          for (const { proposed } of findings)
            expect(
              proposed === null || proposed.replay.caught + proposed.replay.harmless <= proposed.replay.tried,
            ).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
    // Neither everything nor nothing was broken.
    expect(seen.findings).toBeGreaterThan(seen.runs / 6);
    expect(seen.unreadable).toBeGreaterThan(seen.runs / 6);
  });

  test("words that are made to be slow", async () => {
    const words = [
      "no ",
      "ok,",
      "yes",
      "a\n",
      '"',
      "```\n",
      "~~~",
      "> ",
      "    x\n",
      "1 ",
      "at a:1\n",
      "的",
      "; ",
      "+;",
    ];
    for (const word of words) {
      const text = word.repeat(20_000 / word.length);
      const lines = [
        bash("b1", text),
        call("e1", "Edit", { file_path: text, old_string: "x", new_string: text }),
        user(text),
      ];
      const { counts } = valueOf(await analyzeFiles([fileOf(new TextEncoder().encode(linesOf(lines)))]));
      expect([word, counts.lines, counts.unreadable]).toEqual([word, 3, 0]);
    }
  });
});

function changed(bytes: Uint8Array<ArrayBuffer>, at: number, kind: string, byte: number): Uint8Array<ArrayBuffer> {
  const [before, after] = [bytes.slice(0, at), bytes.slice(at)];
  const parts: Readonly<Record<string, readonly Uint8Array[]>> = {
    flip: [before, Uint8Array.of(byte), after.slice(1)],
    cut: [before, after.slice(50)],
    double: [before, after.slice(0, 300), after],
    insert: [before, new Uint8Array(20).fill(byte), after],
    swap: [after, before],
  };
  const joined = Buffer.concat(parts[kind] ?? [bytes]);
  return joined.length === 0 ? Uint8Array.of(byte) : new Uint8Array(joined);
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode("{}\n");
  throw new Error("gone");
}

describe("SPEC 12: replay", () => {
  const ruleOf = (head: string): Rule => {
    const read = readRule(`---\nname: r\n${head}\n---\n\nWhy.\n`, "hookify.r.local.md");
    return valueOf(read).rule;
  };
  const caughtBy = async (rule: Rule): Promise<readonly string[]> => {
    const replayed = valueOf(await replayRules([rule], PROJECT(dir), { cwd: dir, env }, { keep: 10 }));
    const [only] = replayed.rules;
    expect(only?.caught).toBe(only?.catches.length);
    return (only?.catches ?? []).map(({ tool, text, at }) => `${at.line} ${tool}: ${text}`);
  };

  test("calls, prompts, stops and answers, each at its place", async () => {
    keep("s1", [
      user("deploy now"),
      bash("b1", "rm -rf /tmp/x"),
      answer("b1", "permission denied"),
      call("w1", "Write", { file_path: join(dir, ".env"), content: "KEY=1" }),
      call("r1", "Read", { file_path: join(dir, ".env") }),
      {
        type: "assistant",
        message: { role: "assistant", content: [{ type: "text", text: "All done, tests skipped." }] },
      },
      user("deploy again"),
    ]);
    expect(await caughtBy(ruleOf("event: bash\npattern: rm\\s+-rf"))).toEqual(["2 Bash: rm -rf /tmp/x"]);
    expect(await caughtBy(ruleOf("event: file\npattern: KEY="))).toEqual([`4 Write: ${join(dir, ".env")}`]);
    expect(await caughtBy(ruleOf("event: read\npattern: \\.env"))).toEqual([`5 Read: ${join(dir, ".env")}`]);
    expect(await caughtBy(ruleOf("event: prompt\npattern: deploy"))).toEqual([
      "1 prompt: deploy now",
      "7 prompt: deploy again",
    ]);
    expect(await caughtBy(ruleOf("event: stop\npattern: skipped"))).toEqual(["6 stop: All done, tests skipped."]);
    const denied = "event: bash\nconditions:\n  - field: output\n    operator: contains\n    pattern: denied";
    expect(await caughtBy(ruleOf(denied))).toEqual(["2 Bash: rm -rf /tmp/x"]);
  });

  test("calls of sub-agents are tried, too, and a call that two transcripts tell once", async () => {
    keep("s1", CORRECTED, 1);
    keep("s2", CORRECTED, 2);
    keep("s1/subagents/agent-a", [bash("a1", "npm ci", { isSidechain: true })], 0);
    expect(await caughtBy(ruleOf("event: bash\npattern: ^npm"))).toEqual(["2 Bash: npm install x", "1 Bash: npm ci"]);
  });
});
