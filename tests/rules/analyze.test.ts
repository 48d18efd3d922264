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
import { readCorpus } from "../fixtures/transcripts/corpus.mjs";
import { bundleFixture, startProgram, temporaryFolder } from "../support/bundle.ts";

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

const user = (content: unknown, more: object = {}): object => ({
  type: "user",
  cwd: dir,
  message: { role: "user", content },
  ...more,
});
const call = (id: string, tool: string, input: object, more: object = {}): object => ({
  type: "assistant",
  cwd: dir,
  message: { role: "assistant", content: [{ type: "tool_use", id, name: tool, input }] },
  ...more,
});
const bash = (id: string, command: string, more: object = {}): object => call(id, "Bash", { command }, more);
const answer = (id: string, content: string): object => user([{ type: "tool_result", tool_use_id: id, content }]);
const CORRECTED = [
  user("install it"),
  bash("b1", "npm install x"),
  user("no, use pnpm instead of npm"),
  bash("b2", "pnpm add x"),
];

function keep(session: string, lines: readonly (object | string)[], age = 0): string {
  const path = join(home, ".claude", "projects", dir.replaceAll(/[^A-Za-z0-9]/g, "-"), `${session}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")}\n`);
  const time = new Date(Date.UTC(2026, 0, 20 - age));
  utimesSync(path, time, time);
  return path;
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

const analyze = async (choice: Partial<TranscriptChoice> = {}): Promise<Analysis> =>
  valueOf(await analyzeTranscripts({ paths: [], everywhere: false, ...choice }, { cwd: dir, env }));

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
  test("a finding has severity, tool, what happened, quotes with file and line, a rule, its replay and a confidence", async () => {
    const path = keep("s1", [...CORRECTED, bash("b3", "npm view x")]);
    const { findings, counts } = await analyze();
    expect(counts).toMatchObject({ files: 1, lines: 5, unreadable: 0, broken: [] });
    expect(findings).toMatchObject([
      {
        finding: {
          kind: "correction",
          severity: "medium",
          tool: "Bash",
          what: "Bash: npm install x",
          occurrences: 1,
          quotes: [{ text: "no, use pnpm instead of npm", at: { file: path, line: 3 }, call: { file: path, line: 2 } }],
        },
        proposed: {
          proposal: { name: "no-npm", event: "bash", action: "warn" },
          replay: { caught: 1, harmless: 1 },
          harmless: [{ text: "npm view x", at: { file: path, line: 5 } }],
        },
      },
    ]);
    const alone = await analyze({ paths: [keep("s2", CORRECTED)] });
    expect(alone.findings[0]?.confidence).toBeGreaterThan(findings[0]?.confidence ?? 1);
  });

  test("ANALYZE-1: a rule that catches more harmless calls than bad ones is not proposed, and the finding stays", async () => {
    keep("s1", [...CORRECTED, bash("b3", "npm view x"), bash("b4", "npm audit")]);
    const { findings } = await analyze();
    expect(findings).toMatchObject([{ finding: { kind: "correction", doubtful: false }, proposed: null }]);
  });

  test("only words can be doubtful: what failed again and again, and what a person took back by git, is not", async () => {
    const failed = ["f1", "f2", "f3"].flatMap((id) => [
      bash(id, "black src"),
      user([{ type: "tool_result", tool_use_id: id, content: "bash: black: command not found", is_error: true }]),
    ]);
    const edited = call("e1", "Edit", { file_path: join(dir, "a.ts"), old_string: "one", new_string: "two" });
    keep("s1", [user("format it"), ...failed, edited, user("<bash-input>git checkout -- a.ts</bash-input>")]);
    const { findings } = await analyze();
    expect(findings).toMatchObject([
      { finding: { kind: "revert", doubtful: false } },
      { finding: { kind: "repeated", doubtful: false }, proposed: { proposal: { name: "no-black" } } },
    ]);
  });

  test("sessions are put together; a resumed one, which repeats its history, counts nothing twice", async () => {
    const again = [user("and y"), bash("b7", "npm i y"), user("pnpm please, not npm")];
    keep("s1", CORRECTED, 2);
    keep("s2", [...CORRECTED, ...again], 1);
    const { findings } = await analyze();
    expect(findings.map(({ finding }) => [finding.occurrences, finding.quotes.length])).toEqual([[2, 2]]);
    expect(findings[0]?.proposed?.replay).toMatchObject({ caught: 2, harmless: 0, tried: 9 });
  });

  test("lines of other versions, broken ones and an unfinished last one are counted and passed over", async () => {
    keep("s1", [
      "nonsense",
      { type: "user" },
      { type: "system", subtype: "init" },
      ...CORRECTED,
      '{"type":"user","mess',
    ]);
    const { counts, findings } = await analyze();
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
    const { counts, findings } = await analyzeFiles([broken, file]);
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
      expect(found).toMatchObject({ findings: 1, too_long: 1, rule: "no-npm" });
      expect(found["bytes"]).toBeGreaterThan(200 * 1024 * 1024);
      expect(found["occurrences"]).toBe(found["unreadable"]);
      expect(found["caught"]).toBe(found["occurrences"]);
    },
  );
});

describe("SPEC 12: fuzzed transcripts never crash and never block", () => {
  const corpus = readCorpus("tuned").map(({ lines }) => `${lines.join("\n")}\n`);
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
        fc.array(fc.constantFrom(...corpus), { minLength: 1, maxLength: 4 }),
        fc.array(change, { maxLength: 12 }),
        async (texts, changes) => {
          let bytes = new TextEncoder().encode(texts.join(""));
          for (const { at, kind, byte } of changes) bytes = changed(bytes, at % bytes.length, kind, byte);
          const { findings, counts } = await analyzeFiles([fileOf(bytes)]);
          seen.runs++;
          seen.findings += findings.length;
          seen.unreadable += counts.unreadable;
          expect(counts.bytes).toBe(bytes.length);
          for (const { confidence, proposed } of findings) {
            expect(confidence).toBeGreaterThanOrEqual(0);
            expect(confidence).toBeLessThanOrEqual(1);
            expect(
              proposed === null || proposed.replay.caught + proposed.replay.harmless <= proposed.replay.tried,
            ).toBe(true);
          }
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
      "you ",
      "no ",
      "instead of ",
      "tests\n",
      "a\n",
      '"',
      "'",
      "npm ",
      "don't ",
      "i said ",
      "why did you ",
      "的",
      "不要",
      "/",
      "a.b.",
      "; ",
    ];
    for (const word of words) {
      const text = word.repeat(20_000 / word.length);
      const lines = [
        bash("b1", text),
        call("e1", "Edit", { file_path: text, old_string: "x", new_string: text }),
        user(text),
      ];
      const { counts } = await analyzeFiles([
        fileOf(new TextEncoder().encode(lines.map((one) => JSON.stringify(one)).join("\n"))),
      ]);
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
