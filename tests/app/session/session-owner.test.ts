/** A loop that a session works, and whoever else wants it: the command as real processes (SPEC sections 8 and 10). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sessionFiles } from "../../../src/app/session/session-record.ts";
import { loopText } from "../../e2e/plugin-states.ts";
import { aot, aotJson, projectWith, type Ran } from "../../support/aot.ts";

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
    expect(enter(session, client.pid ?? 0)).toMatchObject({ code: 0 });
  } finally {
    client.kill("SIGKILL");
    await once(client, "exit");
  }
}
const ALIVE = process.pid;
const ANOTHER = process.ppid;
const enter = (session: string, pid: number | null, ...flags: string[]): Ran =>
  aot(["session", "enter", ...flags], {
    cwd: dir,
    env: { CLAUDE_CODE_SESSION_ID: session, ...(pid === null ? {} : { CLAUDE_PID: String(pid) }) },
  });
const WORKER = 'command:echo x > done.txt; echo \'{"success": true, "summary": "done"}\'';
const run = (...flags: string[]): ReturnType<typeof aotJson> =>
  aotJson(["run", "--agent", WORKER, "--in-place", ...flags], { cwd: dir });
/** What the hooks are told; the note or message that a person or a model sees. */
function hook(event: string, session: string, more: object = {}): string {
  const input = JSON.stringify({ session_id: session, hook_event_name: event, cwd: dir, ...more });
  const ran = aot(["hook", event], { cwd: dir, input, env: { CLAUDE_PROJECT_DIR: dir } });
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
  test("a run is refused while a session is at work, says which and how to take over, and changes nothing", () => {
    expect(enter("S", ALIVE)).toMatchObject({ code: 0 });
    const before = readFileSync(file, "utf8");
    const refused = run();
    expect(refused.code).toBe(1);
    expect(refused.json).toMatchObject({ success: false });
    const said = JSON.stringify(refused.json);
    expect(said).toContain("session S works this loop, iteration 1");
    expect(said).toContain(`process ${ALIVE}`);
    expect(said).toContain("aot run --take-over");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(existsSync(sessionFiles(file).mark)).toBe(true);
    expect(run("--restart").code).toBe(1);
    expect(aot(["status"], { cwd: dir }).out).toContain("running (worked by session S)");
    expect(aotJson(["status"], { cwd: dir }).json).toMatchObject({
      runner: null,
      session: { session: "S", pid: ALIVE, standing: "at_work" },
    });
  });

  test("with --take-over it goes on and tells it; the session has no say any more", () => {
    enter("S", ALIVE);
    expect(run("--take-over")).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(notes().join("\n")).toContain("session S has the loop no more");
    expect(existsSync(sessionFiles(file).mark)).toBe(false);
    expect(readFileSync(file, "utf8")).not.toMatch(/session_id: "?S/);
    expect(hook("SubagentStop", "S", { agent_id: "c", agent_type: "aot-loop:coordinator" })).toBe("");
  });

  test("a session whose client named no process counts as at work", () => {
    enter("S", null);
    expect(JSON.stringify(run().json)).toContain("named no process");
    expect(run("--take-over").code).toBe(0);
  });

  test("SPEC 10: in Codex the session is named by Codex's own variable", () => {
    const entered = aot(["session", "enter", "--as", "main"], { cwd: dir, env: { CODEX_SESSION_ID: "C1" } });
    expect(entered.code).toBe(0);
    expect(readFileSync(file, "utf8")).toMatch(/session_id: "?C1/);
    expect(aot(["session", "enter"], { cwd: dir })).toMatchObject({ code: 2 });
  });

  test("another session is refused like a run, and may take over like one; its own comes back without a word", () => {
    enter("S", ALIVE);
    const refused = enter("T", ANOTHER);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("session S works this loop") });
    expect(refused.err).toContain("aot session enter --take-over");
    expect(enter("S", ALIVE)).toMatchObject({ code: 0 });
    expect(enter("T", ANOTHER, "--take-over")).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toMatch(/session_id: "?T/);
  });
});

test("SPEC 8: a loop that a session works is not overwritten by a new alignment, not even forced, until it lets it go", () => {
  enter("S", ALIVE);
  const before = readFileSync(file, "utf8");
  const align = (): Ran => aot(["align", "Another", "--check", "file: x.txt", "--yes", "--force"], { cwd: dir });
  const refused = align();
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("session S works this loop") });
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(aot(["state", "set-status", "stopped", "--reason", "enough"], { cwd: dir }).code).toBe(0);
  expect(align().code).toBe(0);
});

describe("SPEC 8, 10: a session that was cut off", () => {
  test("its client is gone: the next session start says so, and so does the run that goes on", async () => {
    await enterAndEnd("S");
    const told = hook("SessionStart", "T", { source: "startup" });
    expect(told).toContain("It is running by session S");
    expect(told).toContain("cut off");
    expect(run()).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(notes().join("\n")).toMatch(/session S is gone.*iteration 1/);
  });

  test("or another session takes it up without being asked to take over", async () => {
    await enterAndEnd("S");
    expect(enter("T", ALIVE)).toMatchObject({ code: 0 });
  });

  test("its client lives and its turn ended without the coordinator's stop: told once, and nobody works it", () => {
    enter("S", ALIVE);
    const before = readFileSync(file, "utf8");
    const told = hook("Stop", "S");
    expect(told).toContain("systemMessage");
    expect(told).toContain("iteration 1");
    expect(hook("Stop", "S")).toBe("");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(hook("SessionStart", "T", { source: "startup" })).toContain("cut off");
    expect(aot(["status"], { cwd: dir }).out).toContain("session S was cut off");
    expect(run()).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(notes().join("\n")).toContain("session S was cut off");
  });

  test("a stop says whether attempts are finished first, or the next one to come finds it", () => {
    const stop = (): string => aot(["stop", "lunch"], { cwd: dir }).out;
    enter("S", ALIVE);
    expect(stop()).toContain("attempts in flight are finished");
    hook("Stop", "S");
    expect(stop()).toContain("nobody works the loop now");
    expect(run()).toMatchObject({ code: 10, json: { outcome: "stop_requested" } });
  });

  test("a redirect from elsewhere says that the session's agents go on, unless it was interrupted", () => {
    const redirect = (id: string): Ran =>
      aot(["redirect", "add", id, "--description", "d", "--reason", "r"], { cwd: dir });
    const said = ({ code, out, err }: Ran): string => (expect(code).toBe(0), out + err);
    expect(said(redirect("B1"))).not.toContain("session S");
    enter("S", ALIVE);
    expect(said(redirect("B2"))).toContain("session S is at work");
    expect(aot(["session", "interrupt"], { cwd: dir, env: { CLAUDE_CODE_SESSION_ID: "S" } }).code).toBe(0);
    expect(said(redirect("B3"))).not.toContain("session S is at work");
  });

  test("a coordinator in the background is at work, and one that comes back is, too", () => {
    enter("S", ALIVE);
    const tasks = [{ id: "c", type: "subagent", status: "running", agent_type: "aot-loop:coordinator" }];
    expect(hook("Stop", "S", { background_tasks: tasks })).toBe("");
    expect(run().code).toBe(1);
    expect(hook("Stop", "S", { background_tasks: [] })).toContain("nobody works it");
    hook("SubagentStart", "S", { agent_id: "c2", agent_type: "aot-loop:coordinator" });
    expect(run().code).toBe(1);
  });

  test("the same session begun anew has no coordinator; one that is at work elsewhere is told as such", () => {
    enter("S", ALIVE);
    expect(hook("SessionStart", "S", { source: "resume" })).toContain("cut off");
    const other = hook("SessionStart", "T", { source: "startup" });
    expect(other).toContain("That session works it");
    expect(other).not.toContain("cut off");
  });

  test("its client has begun a session anew, as after /clear: nobody is left in the one before", () => {
    enter("S", ALIVE);
    expect(enter("T", ALIVE)).toMatchObject({ code: 0, out: expect.stringContaining("iteration 2") as unknown });
    expect(readFileSync(file, "utf8")).toMatch(/session_id: "?T/);
    expect(hook("SubagentStop", "S", { agent_id: "c", agent_type: "aot-loop:coordinator" })).toBe("");
    expect(enter("S", ANOTHER)).toMatchObject({ code: 1 });
  });

  test.each([
    ["StopFailure", "agent", { error: "rate_limit" }],
    ["StopFailure", "main", { error: "rate_limit" }],
    ["SessionEnd", "agent", { reason: "clear" }],
  ])("%s (coordinator: %s): nothing is decided, and nobody works it", (event, as, more) => {
    enter("S", ALIVE, "--as", as);
    const before = readFileSync(file, "utf8");
    expect(hook(event, "S", { ...more, agent_id: "w", agent_type: "aot-loop:coordinator" })).toBe("");
    expect(hook(event, "T", more)).toBe("");
    expect(run().code).toBe(1);
    expect(hook(event, "S", more)).toContain("nobody works it");
    expect(hook(event, "S", more)).toBe("");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(aot(["status"], { cwd: dir }).out).toContain("session S was cut off");
    expect(run()).toMatchObject({ code: 0, json: { outcome: "verified" } });
  });

  test("SPEC 10: a main thread that coordinates, and whose turn failed, goes on at its next stop", () => {
    enter("S", ALIVE, "--as", "main");
    hook("StopFailure", "S", { error: "overloaded" });
    expect(hook("Stop", "S")).toContain("iteration 2 is open");
    expect(run().code).toBe(1);
  });

  test("a state file that was copied without its mark is nobody's", () => {
    enter("S", ALIVE);
    rmSync(sessionFiles(file).mark);
    expect(run()).toMatchObject({ code: 0 });
  });
});
