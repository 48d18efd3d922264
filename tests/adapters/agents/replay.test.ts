import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createCommandAgent } from "../../../src/adapters/agents/command.ts";
import { createRecorder } from "../../../src/adapters/agents/record.ts";
import { printCall, printHeader, type FileChange, type RecordedCall } from "../../../src/adapters/agents/recording.ts";
import { createReplayAgent } from "../../../src/adapters/agents/replay.ts";
import type { Result } from "../../../src/core/problem.ts";
import { ask } from "../../../src/loop/ask.ts";
import type { Agent, AgentAnswer } from "../../../src/loop/ports.ts";
import { agentContract, workerRequest } from "../../contracts/agent.ts";
import { tempFolder, until } from "../../fixtures/programs.ts";

const program = fileURLToPath(new URL("../../fixtures/agents/agent.mjs", import.meta.url));
const command = (behaviour: string): Agent => createCommandAgent(`"${process.execPath}" "${program}" ${behaviour}`);
const never = (): AbortSignal => new AbortController().signal;

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problems.map((p) => p.message).join("; "));
  return result.value;
}
const recorder = (agent: Agent, file: string): Agent =>
  value(
    createRecorder(agent, file, (message) => {
      throw new Error(message);
    }),
  );

/** Of A1's first attempt, but for what is said. */
function writeRecording(file: string, ...calls: readonly Partial<RecordedCall>[]): void {
  const call = {
    role: "worker",
    call: "A1.1",
    answer: { kind: "answer", value: {} },
    duration_ms: 0,
    changes: [],
  } as const;
  const lines = calls.map((more) => printCall({ ...call, ...(more.role === "judge" ? {} : { atom: "A1" }), ...more }));
  writeFileSync(file, printHeader("x") + lines.join(""));
}

/** An agent in this process: does `work` in the call's folder, then answers. */
function inProcess(
  work: (cwd: string) => void,
  answer: AgentAnswer = { kind: "answer", value: { success: true } },
): Agent {
  return {
    name: "in-process:secret --key=abc",
    call(request) {
      work(request.cwd);
      return Promise.resolve(answer);
    },
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
  };
}

// A recording is made of the real command agent, then played back under the same contract.
agentContract({
  name: "replay:",
  async agent(behaviour) {
    const file = join(tempFolder(), "run.jsonl");
    const cwd = tempFolder();
    const agent = recorder(command(behaviour), file);
    if (behaviour === "hang") {
      const stop = new AbortController();
      const call = agent.call(workerRequest(cwd), stop.signal);
      await until(() => existsSync(join(cwd, "pids")), "the call has begun");
      stop.abort();
      await call;
    } else await ask(agent, workerRequest(cwd), (answer) => ({ ok: true, value: answer }), never());
    await agent.close();
    return value(createReplayAgent(file));
  },
  usage: { cost_usd: 0.25, input_tokens: 12, output_tokens: 3 },
  patience_ms: 300,
  processes: false,
  retry_after_ms: 7_000,
  skips: {
    nonsense: "of the recorded command it is a claim of success: see command.test.ts",
    empty: "of the recorded command it is a claim of success: see command.test.ts",
    silence: "no process that could fall silent: the absolute limit ends it",
    flood: "output is not recorded",
    no_login: "the recorded command has no exit code for it",
    over_budget: "what was recorded was spent",
    SIGINT: "no process that could be interrupted",
    "killed parent": "no process that could be left",
  },
});

test("SPEC 10: a replayed folder equals the recorded one: text, bytes, modes, links, deletions, commits", async () => {
  const file = join(tempFolder(), "run.jsonl");
  const seed = (): string => {
    const cwd = tempFolder();
    for (const args of [
      ["init", "-q"],
      ["config", "user.email", "a@b"],
      ["config", "user.name", "a"],
    ])
      execFileSync("git", args, { cwd });
    mkdirSync(join(cwd, "sub"));
    writeFileSync(join(cwd, "same"), "same");
    writeFileSync(join(cwd, "old"), "old");
    writeFileSync(join(cwd, "sub/gone"), "gone");
    writeFileSync(join(cwd, ".gitignore"), "ignored\n");
    execFileSync("git", ["add", "-A"], { cwd });
    execFileSync("git", ["commit", "-qm", "base"], { cwd });
    return cwd;
  };
  const work = (cwd: string): void => {
    // Same size, within the time stamp's grain of the commit: only the content tells.
    writeFileSync(join(cwd, "old"), "new");
    writeFileSync(join(cwd, "bytes"), Buffer.from([0, 255, 128, 10]));
    mkdirSync(join(cwd, "deep/er"), { recursive: true });
    writeFileSync(join(cwd, "deep/er/run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    symlinkSync("er/run.sh", join(cwd, "deep/link"));
    rmSync(join(cwd, "sub/gone"));
    writeFileSync(join(cwd, "ignored"), "not recorded");
    execFileSync("git", ["add", "bytes"], { cwd });
    execFileSync("git", ["commit", "-qm", "the agent commits"], { cwd });
  };
  await recorder(inProcess(work), file).call(workerRequest(seed()), never());
  const there = seed();
  expect(await value(createReplayAgent(file)).call(workerRequest(there), never())).toEqual({
    kind: "answer",
    agent: "replay:in-process",
    value: { success: true },
  });
  expect(readFileSync(join(there, "old"), "utf8")).toBe("new");
  expect([...readFileSync(join(there, "bytes"))]).toEqual([0, 255, 128, 10]);
  expect(statSync(join(there, "deep/er/run.sh")).mode & 0o111).not.toBe(0);
  expect(readlinkSync(join(there, "deep/link"))).toBe("er/run.sh");
  expect(existsSync(join(there, "sub/gone"))).toBe(false);
  expect(existsSync(join(there, "ignored"))).toBe(false);
  expect(readFileSync(file, "utf8")).not.toContain('"same"');
});

test("law RECORDING-1: neither prompt, environment nor the command line is in a recording; session ids neither", async () => {
  const file = join(tempFolder(), "run.jsonl");
  process.env["AOT_TEST_SECRET"] = "s3cr3t-in-env";
  try {
    const answering = inProcess(() => {}, { kind: "answer", value: {}, session: "s3ss10n" });
    await recorder(answering, file).call(workerRequest(tempFolder(), { prompt: "pr0mpt" }), never());
  } finally {
    delete process.env["AOT_TEST_SECRET"];
  }
  const text = readFileSync(file, "utf8");
  for (const secret of ["s3cr3t-in-env", "--key=abc", "pr0mpt", "s3ss10n"]) expect(text).not.toContain(secret);
});

test("law RECORDING-3: calls are played in their order per role and atom, whatever is interleaved", async () => {
  const file = join(tempFolder(), "run.jsonl");
  const failed = (reason: string): AgentAnswer => ({ kind: "failed", reason });
  writeRecording(
    file,
    { answer: failed("1") },
    { role: "judge", call: "judge:x", answer: failed("j") },
    { call: "A2.1", atom: "A2", answer: failed("2") },
    { call: "A1.2", answer: failed("3") },
  );
  const agent = value(createReplayAgent(file));
  const cwd = tempFolder();
  const of = (id: string, call: string): Promise<AgentAnswer> =>
    agent.call(workerRequest(cwd, { call, atom: { id, description: "d" } }), never());
  // A crash in between: the second run asks for A1 under another attempt number.
  expect(await of("A1", "A1.7")).toMatchObject({ reason: "1" });
  expect(await of("A2", "A2.1")).toMatchObject({ reason: "2" });
  expect(await of("A1", "A1.8")).toMatchObject({ reason: "3" });
  expect(await of("A1", "A1.9")).toEqual({
    kind: "failed",
    reason: expect.stringMatching(/A1\.9.*run\.jsonl.*all 2 such calls were played/),
  });
  expect(await of("A9", "A9.1")).toEqual({
    kind: "failed",
    reason: expect.stringMatching(/atom A9 is not in the recording.*no such call/),
  });
  const { atom: _, ...judge } = workerRequest(cwd, { role: "judge", call: "judge:x" });
  expect(await agent.call(judge, never())).toMatchObject({ reason: "j" });
});

const content = (path: string): FileChange => ({ path, content: "evil", encoding: "utf8" });
test.each<[string, FileChange]>([
  ["climbs out", content("../evil")],
  ["climbs out later", content("a/../../evil")],
  ["is absolute", content("/tmp/aot-evil")],
  ["is a drive", content("C:/evil")],
  ["has backslashes", content("..\\evil")],
  ["is the folder", content(".")],
  ["is git's", content(".git/hooks/post-checkout")],
  ["is git's in other letters", content("sub/.GIT/config")],
  ["is a link out", { path: "l", link: "../../x" }],
  ["is an absolute link", { path: "l", link: "/etc/passwd" }],
  ["goes through a link", content("door/evil")],
  ["deletes through a link", { path: "door/keep", delete: true }],
  ["was too large", { path: "big", omitted: "too large" }],
])("SPEC 7: a recorded path that %s is refused, and nothing of its call is done", async (_name, change) => {
  const folder = tempFolder();
  const cwd = join(folder, "work");
  const outside = join(folder, "outside");
  mkdirSync(cwd);
  mkdirSync(outside);
  writeFileSync(join(outside, "keep"), "kept");
  symlinkSync(outside, join(cwd, "door"));
  const file = join(folder, "run.jsonl");
  writeRecording(file, { changes: [change] });
  const answer = await value(createReplayAgent(file)).call(workerRequest(cwd), never());
  expect(answer).toEqual({ kind: "failed", reason: expect.stringContaining(JSON.stringify(change.path)) });
  expect(existsSync(join(folder, "evil"))).toBe(false);
  expect(existsSync(join(outside, "evil"))).toBe(false);
  expect(readFileSync(join(outside, "keep"), "utf8")).toBe("kept");
  expect(existsSync(join(cwd, "l"))).toBe(false);
});

test("SPEC 7: a link in a file's place is replaced, never written through", async () => {
  const folder = tempFolder();
  const cwd = join(folder, "work");
  mkdirSync(cwd);
  writeFileSync(join(folder, "target"), "kept");
  symlinkSync("../target", join(cwd, "f"));
  const file = join(folder, "run.jsonl");
  writeRecording(file, { changes: [content("f")] });
  await value(createReplayAgent(file)).call(workerRequest(cwd), never());
  expect(readFileSync(join(folder, "target"), "utf8")).toBe("kept");
  expect(lstatSync(join(cwd, "f")).isSymbolicLink()).toBe(false);
});

test("law RECORDING-2: a recording cut at any byte of its last line is readable, and can be continued", async () => {
  const file = join(tempFolder(), "run.jsonl");
  const agent = inProcess(() => {});
  await recorder(agent, file).call(workerRequest(tempFolder()), never());
  const whole = readFileSync(file, "utf8");
  await recorder(agent, file).call(workerRequest(tempFolder(), { call: "A1.2" }), never());
  const size = statSync(file).size;
  for (let cut = size - 1; cut > whole.length; cut -= 7) {
    truncateSync(file, cut);
    expect(createReplayAgent(file).ok).toBe(true);
  }
  await recorder(agent, file).call(workerRequest(tempFolder(), { call: "A1.3" }), never());
  expect(
    readFileSync(file, "utf8")
      .split("\n")
      .map((line) => (line === "" ? "" : JSON.parse(line).call)),
  ).toEqual([undefined, "A1.1", "A1.3", ""]);
});

test("a file that is no recording is refused, for playing and for recording", () => {
  const file = join(tempFolder(), "notes.txt");
  writeFileSync(file, "my notes\n");
  const idle = inProcess(() => {});
  const problems = [{ message: expect.stringContaining("notes.txt is not a recording") }];
  for (const result of [createReplayAgent(file), createRecorder(idle, file, () => {})])
    expect(result).toMatchObject({ ok: false, problems });
  expect(readFileSync(file, "utf8")).toBe("my notes\n");
  expect(createReplayAgent(join(file, "missing"))).toMatchObject({ ok: false });
  writeFileSync(file, printHeader("x"));
  appendFileSync(file, '{"role":"king"}\n{}\n');
  expect(createReplayAgent(file)).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("line 2") }],
  });
});

test("a recording that cannot be written any more warns once, and the agent goes on", async () => {
  const folder = tempFolder();
  const file = join(folder, "runs", "run.jsonl");
  const warnings: string[] = [];
  const idle = inProcess(() => {});
  const agent = value(createRecorder(idle, file, (message) => warnings.push(message)));
  rmSync(join(folder, "runs"), { recursive: true });
  const call = (): Promise<AgentAnswer> => agent.call(workerRequest(tempFolder()), never());
  for (const answer of [await call(), await call()])
    expect(answer).toEqual({ kind: "answer", value: { success: true } });
  expect(warnings).toEqual([expect.stringContaining("run.jsonl")]);
});

test("outside git every file but node_modules is recorded", async () => {
  const file = join(tempFolder(), "run.jsonl");
  const work = (cwd: string): void => {
    mkdirSync(join(cwd, "node_modules"));
    writeFileSync(join(cwd, "node_modules/x"), "x");
    writeFileSync(join(cwd, "a"), "a");
  };
  await recorder(inProcess(work), file).call(workerRequest(tempFolder()), never());
  const there = tempFolder();
  await value(createReplayAgent(file)).call(workerRequest(there), never());
  expect(existsSync(join(there, "a"))).toBe(true);
  expect(existsSync(join(there, "node_modules"))).toBe(false);
});
