/** A run of a phase loop that nobody sits with: detached, looked at, reported (SPEC sections 8, 9 and 11). Real processes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aot, aotJson, aotPath, documentOf } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { lookOn, waitingAgent, type Observer, type WaitingAgent } from "../../support/detached.ts";
import { readJunit } from "../../support/junit.ts";
import { elementsOf, readMarkup, textOf } from "../../support/markup.ts";
import { onTerminal, whyNoTerminal } from "../../support/terminal.ts";

const LIMIT_MS = 60_000;

const LOOP = {
  id: "small",
  name: "A small <way>",
  version: "1.0.0",
  phases: [
    { name: "DRAFT", skills: ["write"], required: true },
    { name: "EXTRA", skills: ["adorn"], required: false },
    { name: "SHIP", skills: ["send"], required: true },
  ],
  gates: [
    { id: "review", afterPhase: "DRAFT", required: true, approvalType: "human", deliverables: ["NOTES.md"] },
    { id: "taste", afterPhase: "DRAFT", required: false, approvalType: "human", deliverables: [] },
    {
      id: "sent",
      afterPhase: "SHIP",
      required: true,
      approvalType: "auto",
      deliverables: [],
      checks: ["test -e NOTES.md"],
    },
  ],
  defaults: { mode: "m" },
};

interface Scene extends Pick<WaitingAgent, "go" | "begun"> {
  readonly dir: string;
  /** The words behind `aot phases run`. */
  readonly flags: readonly string[];
}

async function scene(): Promise<Scene> {
  const dir = temporaryFolder();
  const { command, ...signs } = waitingAgent("NOTES.md", "made <it>");
  writeFileSync(join(dir, "loop.json"), JSON.stringify(LOOP));
  expect((await aot(["phases", "init", "loop.json", "--task", "a letter & a stamp"], { cwd: dir })).code).toBe(0);
  return { dir, flags: ["--in-place", "--planner", "none", "--agent", command], ...signs };
}

/** The process that it started, which ends with the test at the latest. */
async function detach({ dir, flags }: Scene, ...more: readonly string[]): Promise<number> {
  const { code, json, err } = await aotJson(["phases", "run", "--detach", ...flags, ...more], { cwd: dir });
  expect(code, err).toBe(0);
  const pid = Number(json["pid"]);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  expect(json["next_step"]).toMatch(/aot phases attach.*aot phases status.*aot phases pause/);
  return pid;
}

function attach({ dir }: Scene, ...flags: readonly string[]): Observer {
  return lookOn(dir, ["phases", "attach", ...flags]);
}

test("SPEC 8: detached, it waits at a gate and goes on once it is answered; who watches sees phases, work and gates in order, and ends as it ends", async () => {
  const here = await scene();
  const report = join(here.dir, "night", "way.xml");
  const pid = await detach(here, "--wait", "--report", report);
  await eventually("its agent works", () => here.begun("write"), LIMIT_MS);
  const again = await aotJson(["phases", "run", "--detach", ...here.flags], { cwd: here.dir });
  expect(again).toMatchObject({ code: 1, json: { success: false } });
  expect(JSON.stringify(again.json)).toMatch(new RegExp(`worked by pid ${pid}.*aot phases attach.*aot phases pause`));
  expect((await aotJson(["phases", "status"], { cwd: here.dir })).json).toMatchObject({ runner: { pid } });

  const [one, two, bored] = [attach(here), attach(here, "--json"), attach(here)];
  await eventually("it sees the work", () => /write .*started/.test(one.heard()), LIMIT_MS);
  await eventually("so does another", () => bored.heard() !== "", LIMIT_MS);
  bored.interrupt();
  expect(await bored.ended()).toMatchObject({ code: 0, out: expect.stringContaining("goes on; look again with") });

  here.go("write");
  await eventually("it stays at the gate", () => /halted \(needs_confirmation\)/.test(one.heard()), LIMIT_MS);
  expect(isAlive(pid)).toBe(true);
  // Nobody holds the lock, and the run is not over.
  const late = attach(here);
  await eventually("who comes late sees it all", () => /halted \(needs_confirmation\)/.test(late.heard()), LIMIT_MS);
  for (const gate of ["review", "taste"]) {
    const approved = async (): Promise<boolean> =>
      (await aot(["phases", "approve", gate, "--by", "ada"], { cwd: here.dir })).code === 0;
    await eventually(`${gate} is approved`, approved, LIMIT_MS);
  }
  for (const skill of ["adorn", "send"]) here.go(skill);

  for (const end of [await one.ended(), await late.ended()]) {
    expect(end.code, end.out + end.err).toBe(0);
    expect(end.out).toContain("Complete: the loop small is complete");
    const reported = [
      "phase DRAFT is worked by 01-DRAFT.md",
      "write resolved",
      "phase DRAFT is complete: NOTES.md",
      "gate review is passed by ada",
      "phase EXTRA begins",
      "adorn resolved",
      "send resolved",
      "gate sent is passed by its checks",
    ];
    const places = reported.map((words) => end.out.indexOf(words));
    expect(places, end.out).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    for (const words of reported) expect(end.out.split(words), words).toHaveLength(2);
  }
  expect(documentOf({ ...(await two.ended()) })).toMatchObject({
    success: true,
    outcome: "verified",
    status: "complete",
  });
  expect(readJunit(readFileSync(report, "utf8")).cases).toEqual([
    "run/complete: passed",
    "phases/DRAFT: passed",
    "phases/EXTRA: passed",
    "phases/SHIP: passed",
    "gates/review: passed",
    "gates/taste: passed",
    "gates/sent: passed",
  ]);
  const later = await aot(["phases", "attach"], { cwd: here.dir });
  expect([later.code, later.out.includes("Complete: the loop small")]).toEqual([0, true]);
  // The same story, read from the journal.
  const log = (await aot(["log", "--state-file", join(".claude", "loops", "small.state.json")], { cwd: here.dir })).out;
  expect(log).toContain("gate sent looked at: it holds");
  expect(log).not.toMatch(/\{"|phase_w/);
});

test("SPEC 8: who watches a killed run learns that, and at one that was refused why; nobody ran: that", async () => {
  const here = await scene();
  expect(await aotJson(["phases", "attach"], { cwd: here.dir })).toMatchObject({ code: 1 });
  const pid = await detach(here);
  await eventually("its agent works", () => here.begun("write"), LIMIT_MS);
  const observer = attach(here);
  await eventually("it sees the work", () => observer.heard() !== "", LIMIT_MS);
  process.kill(pid, "SIGKILL");
  expect(await observer.ended()).toMatchObject({
    code: 1,
    err: expect.stringMatching(/ended without a message.*\n.*aot phases run/),
  });
  // Its definition is gone: the run breaks off.
  here.go("write");
  const kept = join(here.dir, ".claude", "loops", "small.loop.json");
  const text = readFileSync(kept, "utf8");
  writeFileSync(kept, "{");
  expect((await aotJson(["phases", "run", "--detach", ...here.flags], { cwd: here.dir })).code).toBe(2);
  expect(await aotJson(["phases", "attach"], { cwd: here.dir })).toMatchObject({ code: 2, json: { success: false } });
  writeFileSync(kept, text);
  const nobody = ["phases", "run", "--agent", "nobody"];
  expect(await aotJson([...nobody, "--detach"], { cwd: here.dir })).toMatchObject({
    code: 2,
    json: { success: false },
  });
  // Not detached: why is read from the journal alone.
  expect((await aotJson(nobody, { cwd: here.dir })).code).toBe(2);
  expect(await aot(["phases", "attach"], { cwd: here.dir })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/broke off: there is no agent "nobody"/),
  });
  const end = await aotJson(["phases", "run", ...here.flags], { cwd: here.dir });
  expect(end).toMatchObject({ code: 16 });
  // Not detached: read from the journal.
  expect(await aotJson(["phases", "attach"], { cwd: here.dir })).toMatchObject({
    code: 16,
    json: { outcome: "needs_confirmation", next_step: expect.stringContaining("aot phases approve review") },
  });
});

test("SPEC 9: --report says what --json says, is red for CI until the loop is complete, and a page travels", async () => {
  const here = await scene();
  for (const skill of ["write", "write.2", "adorn", "send"]) here.go(skill);
  const at = (name: string): string => join(here.dir, name);
  const run = async (name: string) =>
    await aotJson(["phases", "run", ...here.flags, "--report", name], { cwd: here.dir });
  const waits = await run("one.json");
  expect(waits.code).toBe(16);
  expect(JSON.parse(readFileSync(at("one.json"), "utf8"))).toEqual(waits.json);

  expect((await run("two.xml")).code).toBe(16);
  expect(readJunit(readFileSync(at("two.xml"), "utf8")).cases).toEqual([
    "run/complete (needs_confirmation): failure",
    "phases/DRAFT: passed",
    "phases/EXTRA: skipped",
    "phases/SHIP: skipped",
    "gates/review: skipped",
    "gates/taste: skipped",
    "gates/sent: skipped",
  ]);
  expect((await aot(["phases", "reject", "review", "--reason", "too <short>"], { cwd: here.dir })).code).toBe(0);
  expect((await run("three.xml")).code).toBe(16);
  expect((await aot(["phases", "approve", "review", "--by", "ada"], { cwd: here.dir })).code).toBe(0);
  expect((await aot(["phases", "skip-gate", "taste"], { cwd: here.dir })).code).toBe(0);
  expect((await run("four.html")).code).toBe(0);
  const page = readFileSync(at("four.html"), "utf8");
  const words = textOf(readMarkup(page));
  for (const said of [
    "A small <way>",
    "a letter & a stamp",
    "too <short>",
    "ada",
    "01-DRAFT.2.md",
    "made <it>",
    "complete",
  ])
    expect(words).toContain(said);
  const tree = readMarkup(page);
  for (const name of ["script", "img", "link", "iframe"]) expect(elementsOf(tree, name)).toEqual([]);
  const made = await aotJson(["phases", "report", "--output", "-"], { cwd: here.dir });
  expect(made).toMatchObject({ code: 0, json: { loop: "small", status: "complete" } });

  expect((await aotJson(["phases", "run", ...here.flags, "--report", "x.pdf"], { cwd: here.dir })).code).toBe(2);
  const broken = await aotJson(["phases", "run", ...here.flags, "--agent", "nobody", "--report", "five.xml"], {
    cwd: here.dir,
  });
  expect(broken.code).not.toBe(0);
});

const why = whyNoTerminal();

test.skipIf(why !== null)(
  "SPEC 10: status --watch shows the phases and, below, the loop that works one; it fits, and gives the terminal back",
  async () => {
    const here = await scene();
    const terminal = onTerminal([process.execPath, aotPath(), "phases", "status", "--watch"], here.dir, 90, 30);
    const shows = async (...words: readonly RegExp[]): Promise<void> => {
      const seen = (): boolean => words.every((word) => terminal.screen.rows().some((row) => word.test(row)));
      await eventually(`${words.join(", ")} on the screen`, seen, 25_000).catch(() => {
        throw new Error(`not all of ${words.join(", ")}:\n${terminal.screen.rows().join("\n")}`);
      });
    };
    await shows(/^small 1\.0\.0 \(m\): active$/, /DRAFT +active/, /review +pending/, /active: DRAFT/);
    expect(terminal.screen).toMatchObject({ alternate: true, cursorShown: false });
    const pid = await detach(here);
    await shows(new RegExp(`active, worked by pid ${pid}`), /▶|⠹/, /0 of 1 resolved/);
    terminal.resize(50, 12);
    await shows(/small 1\.0\.0/, /0 of 1 resolved/);
    expect(terminal.screen.rows()[0]).toMatch(/^small/);
    here.go("write");
    // What to type is there whole, on as many rows as it takes.
    await shows(/the gate review waits/, /`aot phases skip-gate/);
    terminal.type("\u0003");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen).toMatchObject({ alternate: false, cursorShown: true });
  },
);
