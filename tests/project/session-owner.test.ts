/** A loop that a session works, and whoever else wants it: the command as real processes (SPEC sections 8 and 10). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sessionFiles } from "../../src/project/session-record.ts";
import { loopText } from "../e2e/plugin-states.ts";
import { aot, aotJson, projectWith, type Ran, type RanJson } from "../support/aot.ts";

let dir: string;
let file: string;
beforeEach(() => {
  const made = projectWith(loopText({ atoms: [["A1"], ["A2"]], check: "test -f done.txt" }));
  dir = made.dir;
  file = made.state;
});

/** A session enters, and then its client ends. */
async function enterAndEnd(session: string): Promise<void> {
  const client = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  try {
    await once(client, "spawn");
    expect(await enter(session, client.pid ?? 0)).toMatchObject({ code: 0 });
  } finally {
    client.kill("SIGKILL");
    await once(client, "exit");
  }
}
const ALIVE = process.pid;
const ANOTHER = process.ppid;
const enter = async (session: string, pid: number | null, ...flags: string[]): Promise<Ran> =>
  await aot(["session", "enter", ...flags], {
    cwd: dir,
    env: { CLAUDE_CODE_SESSION_ID: session, ...(pid === null ? {} : { CLAUDE_PID: String(pid) }) },
  });
const WORKER = 'command:echo x > done.txt; echo \'{"success": true, "summary": "done"}\'';
const run = async (...flags: string[]): Promise<RanJson> =>
  await aotJson(["run", "--agent", WORKER, ...flags], { cwd: dir });
/** What the hooks get; the note or message that a person or a model sees. */
async function hook(event: string, session: string, more: object = {}): Promise<string> {
  const input = JSON.stringify({ session_id: session, hook_event_name: event, cwd: dir, ...more });
  const ran = await aot(["hook", event], { cwd: dir, input, env: { CLAUDE_PROJECT_DIR: dir } });
  expect(ran.code).toBe(0);
  return ran.out;
}
const notes = (): string[] =>
  readFileSync(join(dir, ".claude", "aot-loop", "journal.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; message?: string })
    .flatMap((line) => (line.event === "note" ? [line.message ?? ""] : []));

describe("SPEC 8: one at a time works a loop", () => {
  test("a run is refused while a session is running, says which and how to take over, and changes nothing", async () => {
    expect(await enter("S", ALIVE)).toMatchObject({ code: 0 });
    const before = readFileSync(file, "utf8");
    const refused = await run();
    expect(refused.code).toBe(1);
    expect(refused.json).toMatchObject({ success: false });
    const said = JSON.stringify(refused.json);
    expect(said).toContain("session S works this loop, iteration 1");
    expect(said).toContain(`process ${ALIVE}`);
    expect(said).toContain("aot run --take-over");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(existsSync(sessionFiles(file).mark)).toBe(true);
    expect((await run("--restart")).code).toBe(1);
    expect((await aot(["status"], { cwd: dir })).out).toContain("running (worked by session S)");
    expect((await aotJson(["status"], { cwd: dir })).json).toMatchObject({
      runner: null,
      session: { session: "S", pid: ALIVE, standing: "at_work" },
    });
  });

  test("with --take-over it goes on and tells it; the session has no say any more", async () => {
    await enter("S", ALIVE);
    expect(await run("--take-over")).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(notes().join("\n")).toContain("session S has the loop no more");
    expect(existsSync(sessionFiles(file).mark)).toBe(false);
    expect(readFileSync(file, "utf8")).not.toMatch(/session_id: "?S/);
    expect(await hook("SubagentStop", "S", { agent_id: "c", agent_type: "aot-loop:coordinator" })).toBe("");
  });

  test("a session whose client named no process counts as running", async () => {
    await enter("S", null);
    expect(JSON.stringify((await run()).json)).toContain("named no process");
    expect((await run("--take-over")).code).toBe(0);
  });

  test("SPEC 10: in Codex the session is named by Codex's own variable", async () => {
    const entered = await aot(["session", "enter", "--as", "main"], { cwd: dir, env: { CODEX_SESSION_ID: "C1" } });
    expect(entered.code).toBe(0);
    expect(readFileSync(file, "utf8")).toMatch(/session_id: "?C1/);
    expect(await aot(["session", "enter"], { cwd: dir })).toMatchObject({ code: 2 });
  });

  test("another session is refused like a run, and may take over like one; its own comes back without a word", async () => {
    // The main thread is sent to the coordinator, whose agents are not its to start.
    expect((await enter("S", ALIVE)).out).toMatch(/^.*aot-loop:coordinator.*\n$/);
    const refused = await enter("T", ANOTHER);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("session S works this loop") });
    expect(refused.err).toContain("aot session enter --take-over");
    expect(await enter("S", ALIVE)).toMatchObject({ code: 0 });
    expect(await enter("T", ANOTHER, "--take-over")).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toMatch(/session_id: "?T/);
  });
});

test("SPEC 8: a loop that a session works is not overwritten by a new alignment, not even forced, until it lets it go", async () => {
  await enter("S", ALIVE);
  const before = readFileSync(file, "utf8");
  const align = async (): Promise<Ran> =>
    await aot(["align", "Another", "--check", "file: x.txt", "--yes", "--force"], { cwd: dir });
  const refused = await align();
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("session S works this loop") });
  expect(readFileSync(file, "utf8")).toBe(before);
  expect((await aot(["state", "set-status", "stopped", "--reason", "enough"], { cwd: dir })).code).toBe(0);
  expect((await align()).code).toBe(0);
});

describe("SPEC 8, 10: a session that was cut off", () => {
  test("its client is gone: the next session start says so, and so does the run that goes on", async () => {
    await enterAndEnd("S");
    const reported = await hook("SessionStart", "T", { source: "startup" });
    expect(reported).toContain("It is running by session S");
    expect(reported).toContain("cut off");
    expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(notes().join("\n")).toMatch(/session S is gone.*iteration 1/);
  });

  test("its client lives and its turn ended without the coordinator's stop: reported once, and nobody works it", async () => {
    await enter("S", ALIVE);
    const before = readFileSync(file, "utf8");
    const reported = await hook("Stop", "S");
    expect(reported).toContain("systemMessage");
    expect(reported).toContain("iteration 1");
    expect(await hook("Stop", "S")).toBe("");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(await hook("SessionStart", "T", { source: "startup" })).toContain("cut off");
    expect((await aot(["status"], { cwd: dir })).out).toContain("session S was cut off");
    expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(notes().join("\n")).toContain("session S was cut off");
  });

  test("a stop says whether attempts are finished first, or the next one to come finds it", async () => {
    const stop = async (): Promise<string> => (await aot(["stop", "lunch"], { cwd: dir })).out;
    await enter("S", ALIVE);
    expect(await stop()).toContain("attempts in flight are finished");
    await hook("Stop", "S");
    expect(await stop()).toContain("nothing runs the loop now");
    expect(await run()).toMatchObject({ code: 10, json: { outcome: "stop_requested" } });
  });

  test("a redirect from elsewhere says that the session's agents go on, unless it was interrupted", async () => {
    const redirect = async (id: string): Promise<Ran> =>
      await aot(["redirect", "add", id, "--description", "d", "--reason", "r"], { cwd: dir });
    const said = ({ code, out, err }: Ran): string => (expect(code).toBe(0), out + err);
    expect(said(await redirect("B1"))).not.toContain("session S");
    await enter("S", ALIVE);
    expect(said(await redirect("B2"))).toContain("session S is working on it");
    expect((await aot(["session", "interrupt"], { cwd: dir, env: { CLAUDE_CODE_SESSION_ID: "S" } })).code).toBe(0);
    expect(said(await redirect("B3"))).not.toContain("session S is working on it");
  });

  test("a coordinator in the background is running, and one that comes back is, too", async () => {
    await enter("S", ALIVE);
    const tasks = [{ id: "c", type: "subagent", status: "running", agent_type: "aot-loop:coordinator" }];
    expect(await hook("Stop", "S", { background_tasks: tasks })).toBe("");
    expect((await run()).code).toBe(1);
    expect(await hook("Stop", "S", { background_tasks: [] })).toContain("nobody works it");
    await hook("SubagentStart", "S", { agent_id: "c2", agent_type: "aot-loop:coordinator" });
    expect((await run()).code).toBe(1);
  });

  test("the same session begun anew has no coordinator; one that is running elsewhere is reported as such", async () => {
    await enter("S", ALIVE);
    expect(await hook("SessionStart", "S", { source: "resume" })).toContain("cut off");
    const other = await hook("SessionStart", "T", { source: "startup" });
    expect(other).toContain("That session works it");
    expect(other).not.toContain("cut off");
  });

  test("its client has begun a session anew, as after /clear: nobody is left in the one before", async () => {
    await enter("S", ALIVE);
    expect(await enter("T", ALIVE)).toMatchObject({ code: 0, out: expect.stringContaining("iteration 2") as unknown });
    expect(readFileSync(file, "utf8")).toMatch(/session_id: "?T/);
    expect(await hook("SubagentStop", "S", { agent_id: "c", agent_type: "aot-loop:coordinator" })).toBe("");
    expect(await enter("S", ANOTHER)).toMatchObject({ code: 1 });
  });

  test.each([
    ["StopFailure", "agent", { error: "rate_limit" }],
    ["StopFailure", "main", { error: "rate_limit" }],
    ["SessionEnd", "agent", { reason: "clear" }],
  ])("%s (coordinator: %s): nothing is decided, and nobody works it", async (event, as, more) => {
    await enter("S", ALIVE, "--as", as);
    const before = readFileSync(file, "utf8");
    expect(await hook(event, "S", { ...more, agent_id: "w", agent_type: "aot-loop:coordinator" })).toBe("");
    expect(await hook(event, "T", more)).toBe("");
    expect((await run()).code).toBe(1);
    expect(await hook(event, "S", more)).toContain("nobody works it");
    expect(await hook(event, "S", more)).toBe("");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect((await aot(["status"], { cwd: dir })).out).toContain("session S was cut off");
    expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified" } });
  });

  test("SPEC 10: a main thread that coordinates, and whose turn failed, goes on at its next stop", async () => {
    await enter("S", ALIVE, "--as", "main");
    await hook("StopFailure", "S", { error: "overloaded" });
    expect(await hook("Stop", "S")).toContain("iteration 2 is open");
    expect((await run()).code).toBe(1);
  });
});
