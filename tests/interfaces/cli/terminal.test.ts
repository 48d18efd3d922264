/** What a person sees on a real terminal (SPEC section 10): the live region of a run, and `aot status --watch`. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aot, aotPath, cleanEnv, projectWith } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { commitAll } from "../../support/git.ts";
import { LOOP } from "../../support/loop-fixture.ts";
import { onTerminal, shows, whyNoTerminal, type Terminal } from "../../support/terminal.ts";

const CTRL_C = "\u0003";
const why = whyNoTerminal();

const HOSTILE = "made it \u001b]0;owned\u0007\u001b[2J\u001b[31m\u0007\u202e\u0090q";

/** A loop of two atoms, the second after the first; its agent waits for the file `go-<atom>`. */
async function waitingLoop(more: readonly string[] = []) {
  const dir = temporaryFolder();
  const signs = temporaryFolder();
  const agent = join(signs, "agent.mjs");
  writeFileSync(
    agent,
    `import { existsSync, writeFileSync } from "node:fs";
    const sign = ${JSON.stringify(join(signs, "go-"))} + process.env.AOT_ATOM;
    const look = () => {
      if (!existsSync(sign)) return setTimeout(look, 20);
      writeFileSync("made.txt", "x");
      console.log(JSON.stringify({ success: true, summary: ${JSON.stringify(HOSTILE)}, artifacts: [] }));
    };
    look();`,
  );
  const flags = ["--atom", "A1: Write the model", "--atom", "A2: Write the view <- A1", ...more, "--yes"];
  const ran = await aot(["align", "Make it", "--check", "file: made.txt", ...flags], { cwd: dir });
  if (ran.code !== 0) throw new Error(ran.err);
  return {
    dir,
    go: (atom: string) => writeFileSync(join(signs, `go-${atom}`), ""),
    run: [process.execPath, aotPath(), "run", "--agent", `command:"${process.execPath}" "${agent}"`],
  };
}

/** The process that works the loop. */
async function runnerIn(dir: string): Promise<number> {
  const { runner } = JSON.parse((await aot(["status", "--json"], { cwd: dir })).out) as { runner: { pid: number } };
  return runner.pid;
}

const SPINNING = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /;
const FUEL = /^(?:stopping .*)?iteration \d+|^stopping/;
const everything = ({ screen }: Terminal): string[] => [...screen.scrolled, ...screen.rows()];
const spinning = ({ screen }: Terminal): string[] => screen.rows().filter((row) => SPINNING.test(row));

describe.skipIf(why !== null)(`on a pseudo-terminal${why === null ? "" : ` (skipped: ${why})`}`, () => {
  test("SPEC 10: a run is a tree with spinners, redrawn in place; no frame is half drawn; nothing is left behind", async () => {
    const { dir, go, run } = await waitingLoop();
    const terminal = onTerminal(run, dir);
    await shows(
      terminal,
      /^. A1 {2}Write the model {2}\d+s$/,
      "· A2  Write the view  waits for A1",
      "2 left · 1 running",
    );
    await shows(terminal, /^iteration 1 of 20 · \d+s · no cost reported$/);
    const [first = ""] = spinning(terminal);
    await eventually("the region is drawn anew", () => spinning(terminal)[0]?.[0] !== first[0], 50_000);
    expect(spinning(terminal), "one row for the one running atom").toHaveLength(1);
    expect(terminal.screen.cursorShown).toBe(false);
    go("A1");
    await shows(
      terminal,
      /✓ A1 made it/,
      "✓ A1  Write the model",
      /^. A2 {2}Write the view {2}\d+s$/,
      /1 left · 1 running/,
    );
    expect(spinning(terminal)).toHaveLength(1);
    go("A2");
    expect(await terminal.ended()).toBe(0);
    const all = everything(terminal);
    expect(all.filter((row) => SPINNING.test(row) || row.includes(" running"))).toEqual([]);
    expect(all.filter((row) => row.includes("Verified: the base case holds"))).toHaveLength(1);
    expect(terminal.screen.cursorShown).toBe(true);
    // Each frame is whole: its last row is about the fuel, once, and the cursor is behind it.
    const whole = terminal.screen.frames.filter(({ rows }) => rows.some((row) => FUEL.test(row)));
    expect(whole.length).toBeGreaterThan(5);
    for (const { rows, cursor } of whole) {
      expect(
        rows.filter((row) => FUEL.test(row)),
        rows.join("\n"),
      ).toHaveLength(1);
      expect(rows.findIndex((row) => FUEL.test(row))).toBe(cursor.row - 1);
      expect(rows.slice(cursor.row).join("")).toBe("");
      expect(rows[cursor.row - 2]).toMatch(/running$/);
    }
  });

  test("SPEC 10: what an agent says never steers the terminal", async () => {
    const { dir, go, run } = await waitingLoop();
    go("A1");
    go("A2");
    const terminal = onTerminal(run, dir);
    expect(await terminal.ended()).toBe(0);
    const OURS = /\u001b\[(?:\?(?:2026|25)[hl]|\d*[AJK]|(?:\d+;?)*m)/g;
    expect(terminal.raw()).toContain("made it");
    expect(terminal.raw().replaceAll(OURS, "")).not.toMatch(
      /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/,
    );
    expect(terminal.raw()).not.toContain("owned");
  });

  test("while checks run before any work a row says which and for how long; Ctrl-C there leaves nothing but a sentence", async () => {
    const dir = temporaryFolder();
    const check = `"${process.execPath}" -e "setTimeout(() => process.exit(1), 60000)"`;
    const line = [process.execPath, aotPath(), "run", "Make it", "--check", check, "--agent", "command:true"];
    const terminal = onTerminal(line, dir);
    await shows(terminal, /^ +\d+s {2}before any work: .*setTimeout/);
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(1);
    expect(everything(terminal).filter((row) => row !== "")).toEqual(["interrupted: nothing was decided or changed"]);
  });

  test("SPEC 8: a terminal whose window is closed is a Ctrl-C: the attempt is finished, the outcome is kept", async () => {
    const { dir, go, run } = await waitingLoop();
    const terminal = onTerminal(run, dir);
    await shows(terminal, /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] A1 /);
    terminal.hangUp();
    const journal = (): string => readFileSync(join(dir, ".claude", "aot-loop", "journal.jsonl"), "utf8");
    await eventually("the run was told", () => journal().includes('"stop_requested"'), 50_000);
    go("A1");
    expect(await terminal.ended()).toBe(10);
    expect((await aot(["status", "--json"], { cwd: dir })).out).toContain('"outcome":"stop_requested"');
  });

  test("SPEC 10: the region keeps to a terminal that becomes narrower", async () => {
    const { dir, go, run } = await waitingLoop();
    const terminal = onTerminal(run, dir);
    await shows(terminal, /^. A1 .*Write the model/);
    terminal.resize(24, 10);
    // A row that is broken in two would be between these.
    const isWhole = (): boolean => {
      const rows = terminal.screen.rows();
      const at = rows.findIndex((row) => SPINNING.test(row));
      return (
        at >= 0 &&
        /^. A1 /.test(rows[at] ?? "") &&
        (rows[at + 1] ?? "").startsWith("· A2 ") &&
        FUEL.test(rows[at + 3] ?? "")
      );
    };
    await eventually("the rows of the region, each whole", isWhole, 50_000).catch(() => {
      throw new Error(terminal.screen.rows().join("\n"));
    });
    expect(spinning(terminal)).toHaveLength(1);
    go("A1");
    go("A2");
    expect(await terminal.ended()).toBe(0);
  });

  test("SPEC 10: of many atoms as many are shown as there is space for, that running among them", async () => {
    const many = Array.from({ length: 60 }, (_, n) => ["--atom", `B${n}: Part ${n} <- A2`]).flat();
    const { dir, go, run } = await waitingLoop(many);
    const terminal = onTerminal([...run, "--max-iterations", "2"], dir, 60, 15);
    await shows(terminal, /^. A1 {2}Write the model {2}\d+s$/, /^\.\.\. \d+ more/, /running$/);
    go("A1");
    await shows(terminal, /^. A2 {2}Write the view {2}\d+s$/);
    terminal.type(CTRL_C);
    go("A2");
    expect(await terminal.ended()).toBe(10);
  });

  test("SPEC 10: with CI set, and on a terminal that cannot move its cursor, there are lines only; NO_COLOR has no colours", async () => {
    const { dir, go, run } = await waitingLoop();
    go("A1");
    go("A2");
    const ci = onTerminal(run, dir, 80, 24, { CI: "true" });
    expect(await ci.ended()).toBe(0);
    expect(everything(ci).join("\n")).toContain("A1 worker started");
    expect(ci.raw()).not.toMatch(/\u001b\[(?!\d*m)/);
    const dumb = onTerminal([...run, "--restart"], dir, 80, 24, { TERM: "dumb" });
    expect(await dumb.ended()).toBe(0);
    expect(dumb.raw()).not.toContain("\u001b");
    const grey = onTerminal([...run, "--restart"], dir, 80, 24, { NO_COLOR: "1" });
    expect(await grey.ended()).toBe(0);
    expect(grey.raw()).toContain("\u001b[?2026h");
    expect(grey.raw()).not.toMatch(/\u001b\[[0-9;]*m/);
  });

  test("SPEC 2: an error on a terminal says what, where with the line itself, and the next step; nothing in it steers", async () => {
    const { dir } = projectWith(LOOP.replace("status: resolved", "status: done"));
    const terminal = onTerminal([process.execPath, aotPath(), "status"], dir);
    expect(await terminal.ended()).toBe(2);
    const rows = everything(terminal);
    const at = rows.findIndex((row) => row.startsWith("error: "));
    expect(rows.slice(at, at + 5)).toEqual([
      expect.stringMatching(/^error: .*status/),
      expect.stringMatching(/^ {2}at \.claude\/aot-loop-state\.md:\d+:\d+$/),
      expect.stringMatching(/^ +\d+ \| {5}status: done/),
      expect.stringMatching(/^ +\| +\^$/),
      expect.stringMatching(/^ {2}next: .*pending/),
    ]);
    const { dir: hostile } = projectWith(LOOP.replace("status: resolved", "status: done\u009b2J"));
    const steered = onTerminal([process.execPath, aotPath(), "status"], hostile);
    expect(await steered.ended()).toBe(2);
    expect(everything(steered).join("\n")).toMatch(/ \d+ \| {5}status: done 2J/);
    expect(steered.raw()).not.toContain("\u009b");
    const usage = onTerminal([process.execPath, aotPath(), "statsu"], dir);
    expect(await usage.ended()).toBe(2);
    expect(everything(usage).filter((row) => row !== "")).toEqual([
      "error: there is no command `aot statsu`",
      "  next: did you mean status?",
      "  see `aot --help`",
    ]);
  });

  test("SPEC 10: what is longer than a row is broken between words: why a loop stopped, and why a command refused", async () => {
    const reason = Array.from({ length: 30 }, (_, nth) => `reasonably${nth}.`).join(" ");
    const { dir } = projectWith();
    expect((await aot(["state", "set-status", "stopped", "--reason", reason], { cwd: dir })).code).toBe(0);
    for (const words of [["status"], ["atom", "update", "A1", reason]]) {
      const terminal = onTerminal([process.execPath, aotPath(), ...words], dir);
      await terminal.ended();
      const reported = everything(terminal).filter((row) => row.includes("reasonably"));
      expect(reported.length, words.join(" ")).toBeGreaterThan(1);
      for (const row of reported.slice(0, -1)) expect(row).toMatch(/reasonably\d+\.$/);
    }
  });

  test("SPEC 10: the cursor comes back when the run is asked to end, and when the program itself breaks", async () => {
    const { dir, go, run } = await waitingLoop();
    const broken = join(dir, "broken.cjs");
    writeFileSync(
      broken,
      `const { existsSync } = require("node:fs");
      setInterval(() => { if (existsSync(${JSON.stringify(join(dir, "break"))})) throw new TypeError("boom"); }, 20).unref();`,
    );
    const [node = "", ...words] = run;
    const crashed = onTerminal([node, "--require", broken, ...words], dir);
    await shows(crashed, /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] A1 /);
    expect(crashed.screen.cursorShown).toBe(false);
    writeFileSync(join(dir, "break"), "");
    expect(await crashed.ended()).not.toBe(0);
    expect(crashed.screen.cursorShown).toBe(true);
    const reported = onTerminal(run, dir);
    await shows(reported, /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] A1 /);
    process.kill(await runnerIn(dir), "SIGTERM");
    await shows(reported, /^stopping when these are done/);
    go("A1");
    expect(await reported.ended()).toBe(10);
    expect(reported.screen.cursorShown).toBe(true);
  });

  test("SPEC 10: while it is stopped with Ctrl-Z the terminal is as it was; afterwards the region is back", async () => {
    const { dir, go, run } = await waitingLoop();
    const terminal = onTerminal(run, dir);
    await shows(terminal, /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] A1 /);
    const pid = await runnerIn(dir);
    terminal.type("\u001a");
    await eventually("the cursor is back", () => terminal.screen.cursorShown, 50_000);
    expect(spinning(terminal)).toEqual([]);
    // Again and again: one that comes before the process has stopped is lost.
    const goesOn = (): boolean => process.kill(pid, "SIGCONT") && spinning(terminal).length === 1;
    await eventually("the region is back", goesOn, 50_000);
    expect(terminal.screen.cursorShown).toBe(false);
    go("A1");
    go("A2");
    expect(await terminal.ended()).toBe(0);
  });

  test("SPEC 10: from one line to the verdict nothing scrolls off a screen of 80 columns", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "agent.mjs"), 'import { writeFileSync } from "node:fs"; writeFileSync("made.txt", "");');
    commitAll(dir);
    const line = ["run", "Make it", "--check", "file: made.txt", "--agent", "command:node agent.mjs"];
    const terminal = onTerminal([process.execPath, aotPath(), ...line], dir, 80, 24);
    await shows(terminal, "Run it?");
    terminal.type("\r");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen.rows().join("\n")).toContain("Verified: the base case holds");
    expect(terminal.screen.scrolled).toEqual([]);
  });

  test("SPEC 10: status --watch follows the file on a screen of its own, and gives the terminal back", async () => {
    const { dir } = projectWith();
    const terminal = onTerminal([process.execPath, aotPath(), "status", "--watch"], dir, 80, 24);
    await shows(terminal, "Log in with a token", "Session store");
    expect(terminal.screen).toMatchObject({ alternate: true, cursorShown: false });
    const top = terminal.screen.rows()[0];
    expect((await aot(["atom", "add", "A9", "--description", "Logging out"], { cwd: dir })).code).toBe(0);
    await shows(terminal, "Logging out");
    expect(terminal.screen.rows()[0], "the first row stays where it is").toBe(top);
    terminal.resize(40, 8);
    // Rows that do not fit would scroll the first one away.
    await shows(terminal, /…\s*$/);
    expect(terminal.screen.rows()[0]).toBe(top);
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen).toMatchObject({ alternate: false, cursorShown: true });
    expect(everything(terminal).join("").replace("^C", "")).toBe("");
  });
});

test("SPEC 9: a reader who leaves early still learns the outcome from the exit code", async () => {
  const { dir, go, run } = await waitingLoop();
  go("A1");
  go("A2");
  const line = `"$@" | true; exit "\${PIPESTATUS[0]}"`;
  const ended = (...more: string[]): number | null =>
    spawnSync("bash", ["-c", line, "bash", ...run, ...more], { cwd: dir, env: cleanEnv(), timeout: 60_000 }).status;
  writeFileSync(join(dir, "made.txt"), "");
  expect(ended("--max-iterations", "1", "--parallel", "1")).toBe(12);
  expect(ended()).toBe(0);
});
