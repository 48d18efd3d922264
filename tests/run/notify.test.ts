/** Telling a person who is away: when, with what, and that it can never harm the run (SPEC section 9). Real commands. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createNotifier, type Notice } from "../../src/run/notify.ts";
import { systemClock } from "../../src/project/clock.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { setStage } from "../scenarios/stage.ts";

/** Appends what it gets, a JSON line of its stdin and of its variables, to `told`; then exits so. */
function listener(exit = 0): { readonly command: string; readonly cwd: string; reported(): readonly Reported[] } {
  const cwd = temporaryFolder();
  const file = join(cwd, "listen.mjs");
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from "node:fs";
    const { AOT_EVENT: event, AOT_OUTCOME: outcome, AOT_MESSAGE: message } = process.env;
    const line = { notice: JSON.parse(readFileSync(0, "utf8")), env: { event, outcome, message } };
    appendFileSync(${JSON.stringify(join(cwd, "told"))}, JSON.stringify(line) + "\\n");
    if (${exit}) console.error("nobody at home");
    process.exit(${exit});`,
  );
  const reported = (): readonly Reported[] => {
    const path = join(cwd, "told");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Reported);
  };
  return { command: `"${process.execPath}" "${file}"`, cwd, reported };
}

interface Reported {
  readonly notice: Notice;
  readonly env: Readonly<Record<"event" | "outcome" | "message", string>>;
}

const NOTICE: Notice = { event: "halted", time: "2026-01-01T00:00:00.000Z", state_file: "/s", message: "m" };

test("NOTIFY-3: notices arrive whole, one after the other, in their order", async () => {
  const { command, cwd, reported } = listener();
  const notifier = createNotifier({ command, cwd, wait_ms: 0 }, () => {});
  const messages = ["first", 'with "quotes" and\nlines', "third"];
  for (const message of messages) notifier.tell({ ...NOTICE, message });
  await notifier.settled();
  expect(reported().map(({ notice }) => notice.message)).toEqual(messages);
  expect(reported().map(({ env }) => env.message)).toEqual(messages);
  expect(reported()[0]).toMatchObject({ notice: { ...NOTICE, message: "first" }, env: { event: "halted" } });
});

test("NOTIFY-2: a command that fails, or that there is not, is a note", async () => {
  const notes: string[] = [];
  const { command, cwd } = listener(3);
  const failing = createNotifier({ command, cwd, wait_ms: 0 }, (note) => notes.push(note));
  failing.tell(NOTICE);
  await failing.settled();
  const missing = createNotifier({ command: "no-such-program-here", cwd, wait_ms: 0 }, (note) => notes.push(note));
  missing.tell(NOTICE);
  await missing.settled();
  expect(notes).toEqual([
    expect.stringMatching(/notify for "halted" failed: exit code 3: nobody at home/),
    expect.stringMatching(/notify for "halted" failed: exit code \d+/),
  ]);
});

test("NOTIFY-1: of many waits a few are reported, and those that are not begun do not hold up the halt", async () => {
  const { command, cwd, reported } = listener();
  const notifier = createNotifier({ command, cwd, wait_ms: 0 }, () => {});
  for (let count = 0; count < 40; count++) notifier.tell({ ...NOTICE, event: "waiting", message: String(count) });
  await notifier.settled();
  expect(reported().map(({ notice }) => notice.message)).toEqual(
    Array.from({ length: 17 }, (_, count) => String(count)),
  );
  for (let count = 0; count < 9; count++) notifier.tell({ ...NOTICE, event: "waiting" });
  notifier.tell(NOTICE);
  await notifier.settled();
  expect(
    reported()
      .slice(17)
      .map(({ notice }) => notice.event),
  ).toEqual(["waiting", "halted"]);
});

/** What lasts a minute or longer is over at once. */
function impatientClock(): void {
  const after = systemClock.after.bind(systemClock);
  const spy = vi.spyOn(systemClock, "after").mockImplementation((ms, then) => after(ms >= 60_000 ? 1 : ms, then));
  onTestFinished(() => spy.mockRestore());
}

test("SPEC 9: a run tells of a long wait, of needing a person, and of an agent that keeps dying; failing to tell is a note in the journal", async () => {
  impatientClock();
  const stage = setStage({
    atoms: [{ id: "A1" }],
    objective: { base_case: { type: "assertion", value: "it is good" } },
  });
  const { command, reported } = listener();
  const notify = { command, wait_ms: 60_000 };
  stage.rewrite({ "A1.1": [{ stderr: "429", exit: 75 }] });
  await stage.run({ notify, judge: "none", limits: { max_wait_ms: 60_000 } });
  expect(reported().map(({ notice }) => notice.event)).toEqual(["waiting", "agent_unavailable"]);
  expect(reported()[0]?.notice).toMatchObject({
    run: expect.any(String),
    until: expect.any(String),
    state_file: stage.stateFile,
  });

  stage.rewrite({ A1: [{ write: { out: "x" }, answer: { success: true, summary: "s" } }] });
  expect(await stage.run({ notify, judge: "none" })).toMatchObject({ exit_code: 16 });
  expect(reported().at(-1)).toMatchObject({
    notice: { event: "needs_confirmation", outcome: "needs_confirmation", exit_code: 16, goal: "a goal" },
    env: { outcome: "needs_confirmation" },
  });
});

test("SPEC 9: an agent that keeps dying stops the run and is reported; the attempts that are left stay", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2" }],
    constraints: { max_parallel_agents: 1, max_stall_count: 20 },
  });
  stage.rewrite({ A1: [{ stderr: "panic: no model", exit: 101 }], A2: [{ exit: 1 }] });
  const { command, reported } = listener(1);
  const end = await stage.run({ notify: { command, wait_ms: 0 }, settings: { max_deaths: 3 } });
  expect(end).toMatchObject({ exit_code: 17, report: { attempts: 3, outcome: "agent_unavailable" } });
  expect(reported().map(({ notice }) => notice)).toMatchObject([
    {
      event: "agent_unavailable",
      message: expect.stringMatching(/3 times in a row without an answer.*try it by hand/),
    },
  ]);
  const { control } = stage.state();
  expect([control.iteration, control.outcome]).toEqual([3, "agent_unavailable"]);
});
