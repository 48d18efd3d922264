/** A run of a phase loop that nobody sits with: detached, looked at, reported (SPEC sections 8, 9 and 11). Real processes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aot, aotJson, aotPath } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { waitingAgent, type WaitingAgent } from "../../support/detached.ts";
import { onTerminal, shows, whyNoTerminal } from "../../support/terminal.ts";

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
  return { dir, flags: ["--set=planner=none", "--agent", command], ...signs };
}

/** The process that it started, which ends with the test at the latest. */
async function detach({ dir, flags }: Scene, ...more: readonly string[]): Promise<number> {
  const { code, json, err } = await aotJson(["phases", "run", "--detach", ...flags, ...more], { cwd: dir });
  expect(code, err).toBe(0);
  const pid = Number(json["pid"]);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  expect(json["next_step"]).toMatch(/aot phases status --watch.*aot phases status.*aot phases pause/);
  return pid;
}

test("SPEC 8: detached, it waits at a gate and goes on once it is answered; status and log tell how it stands and ended", async () => {
  const here = await scene();
  const pid = await detach(here, "--wait");
  await eventually("its agent works", () => here.begun("write"), LIMIT_MS);
  const again = await aotJson(["phases", "run", "--detach", ...here.flags], { cwd: here.dir });
  expect(again).toMatchObject({ code: 1, json: { success: false } });
  expect(JSON.stringify(again.json)).toMatch(
    new RegExp(`worked by pid ${pid}.*aot phases status --watch.*aot phases pause`),
  );
  const status = async () => (await aotJson(["phases", "status"], { cwd: here.dir })).json;
  expect(await status()).toMatchObject({ runner: { pid } });
  here.go("write");
  await eventually("it stays at the gate", async () => (await status())["gate"] === "review", LIMIT_MS);
  expect(isAlive(pid)).toBe(true);
  for (const gate of ["review", "taste"]) {
    const approved = async (): Promise<boolean> =>
      (await aot(["phases", "approve", gate, "--by", "ada"], { cwd: here.dir })).code === 0;
    await eventually(`${gate} is approved`, approved, LIMIT_MS);
  }
  for (const skill of ["adorn", "send"]) here.go(skill);
  await eventually("it is complete", async () => (await status())["status"] === "complete", LIMIT_MS);
  await eventually("it is over", () => !isAlive(pid), LIMIT_MS);
  const log = (await aot(["logs", "--state-file", join(".claude", "loops", "small.state.json")], { cwd: here.dir }))
    .out;
  const told = [
    "phase DRAFT is worked by 01-DRAFT.md",
    "phase DRAFT is complete: NOTES.md",
    "halted (needs_confirmation)",
    "gate review is passed by ada",
    "phase EXTRA begins",
    "gate sent looked at: it holds",
    "gate sent is passed by its checks",
    "halted (verified): the loop small is complete",
  ];
  const places = told.map((words) => log.indexOf(words));
  expect(places, log).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(log).not.toMatch(/\{"|phase_w/);
});

test("SPEC 8: a killed run is not taken for one that works; one that was refused at once says why", async () => {
  const here = await scene();
  const pid = await detach(here);
  await eventually("its agent works", () => here.begun("write"), LIMIT_MS);
  process.kill(pid, "SIGKILL");
  await eventually(
    "nobody works it",
    async () => (await aotJson(["phases", "status"], { cwd: here.dir })).json["runner"] === null,
    LIMIT_MS,
  );
  // Its definition is gone: the run is refused.
  here.go("write");
  const kept = join(here.dir, ".claude", "loops", "small.loop.json");
  const text = readFileSync(kept, "utf8");
  writeFileSync(kept, "{");
  expect((await aotJson(["phases", "run", "--detach", ...here.flags], { cwd: here.dir })).code).toBe(2);
  writeFileSync(kept, text);
  const nobody = ["phases", "run", "--agent", "nobody", "--detach"];
  expect(await aotJson(nobody, { cwd: here.dir })).toMatchObject({ code: 2, json: { success: false } });
  expect(await aotJson(["phases", "run", ...here.flags], { cwd: here.dir })).toMatchObject({ code: 16 });
});

const why = whyNoTerminal();

test.skipIf(why !== null)(
  "SPEC 10: status --watch shows the phases and, below, the loop that works one; it fits, and gives the terminal back",
  async () => {
    const here = await scene();
    const terminal = onTerminal([process.execPath, aotPath(), "phases", "status", "--watch"], here.dir, 90, 30);
    await shows(terminal, /^small 1\.0\.0 \(m\): active$/, /DRAFT +active/, /review +pending/, /active: DRAFT/);
    expect(terminal.screen).toMatchObject({ alternate: true, cursorShown: false });
    const pid = await detach(here);
    await shows(terminal, new RegExp(`active, worked by pid ${pid}`), /▶|⠹/, /0 of 1 resolved/);
    terminal.resize(50, 12);
    await shows(terminal, /small 1\.0\.0/, /0 of 1 resolved/);
    expect(terminal.screen.rows()[0]).toMatch(/^small/);
    here.go("write");
    // What to type is there whole, on as many rows as it takes.
    await shows(terminal, /the gate review waits/, /`aot phases skip-gate/);
    terminal.type("\u0003");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen).toMatchObject({ alternate: false, cursorShown: true });
  },
);
