/** SPEC 10: what atoms took is kept beside the loops, bounded, without what they were about, and forgotten on demand. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepPastAtoms, readPastAtoms } from "../../src/history/past-atoms-file.ts";
import { pastAtomsOf, pastShares, type PastAtom } from "../../src/history/past-atoms.ts";
import { createStory } from "../../src/history/run-story.ts";
import { decodeLines } from "../../src/core/decode-line.ts";
import { aot, aotJson, projectWith } from "../support/aot.ts";
import { stateOf } from "../support/loops.ts";

const one = (agent: string, attempts: number): PastAtom => ({
  loop: "r1",
  agent,
  kind: "code",
  attempts,
  ms: 60_000 * attempts,
  cost_usd: 0.1 * attempts,
  resolved: true,
});

const at = (second: number): string => new Date(Date.parse("2026-01-01T12:00:00Z") + 1_000 * second).toISOString();

test("an atom that was resolved or given up counts with all its attempts; one that is left open does not", () => {
  const state = stateOf({
    atoms: [{ id: "A1", status: "resolved" }, { id: "W1" }, { id: "W2" }, { id: "A3" }],
    groups: [{ name: "way", choices: ["W1", "W2"], selected: "W2", failed: ["W1"] }],
  });
  const story = createStory();
  const tried = (atom: string, second: number, end: object): readonly object[] => [
    {
      time: at(second),
      event: "attempt_started",
      attempt: `${atom}.1`,
      atom,
      role: "worker",
      agent: "command:secret x",
    },
    { time: at(second + 2), attempt: `${atom}.1`, atom, agent: "command:secret x", usage: { cost_usd: 0.5 }, ...end },
  ];
  const failed = { event: "attempt_failed", reason: "no" };
  const lines = [
    ...tried("A1", 0, { event: "work_succeeded", summary: "s" }),
    ...tried("W1", 3, failed),
    ...tried("A3", 6, failed),
  ];
  for (const line of decodeLines([{ time: at(0), event: "run_started", run: "r1" }, ...lines])) story.read(line);
  const past = pastAtomsOf(state, story.now().attempts, "r1");
  expect(past).toMatchObject([
    { loop: "r1", agent: "command", kind: "code", attempts: 1, ms: 2_000, cost_usd: 0.5, resolved: true },
    { agent: "command", attempts: 1, ms: 2_000 },
  ]);
  expect(past[1]).not.toHaveProperty("resolved");
  expect(JSON.stringify(past)).not.toContain("secret");
});

test("PAST-ATOMS-FILE-1, 2: the newest 2,000 are kept; what is no past atom is passed over", () => {
  const { dir, state } = projectWith();
  for (let times = 0; times < 3; times++)
    keepPastAtoms(
      state,
      Array.from({ length: 900 }, (_, index) => one("claude", times * 900 + index + 1)),
    );
  const kept = readPastAtoms(state);
  expect(kept).toHaveLength(2_000);
  expect(kept.at(-1)?.attempts).toBe(2_700);
  const file = join(dir, ".claude", "aot-loop", "past-atoms.jsonl");
  writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0]}\nno json\n{"agent":1}\n`);
  expect(readPastAtoms(state)).toHaveLength(1);
});

test("aot history: who did what for how much, what is still to come, and nothing once it is forgotten", async () => {
  const { dir, state } = projectWith();
  expect((await aot(["history"], { cwd: dir })).out).toContain("no history");
  keepPastAtoms(state, [...Array.from({ length: 9 }, () => one("claude", 2)), one("codex", 1)]);
  const shown = await aot(["history"], { cwd: dir });
  expect(shown.out).toMatch(/claude +code +9 +9 +2 +2m 0s +\$0\.20/);
  expect(shown.out).toMatch(/still to come in this loop: \d+ to \d+ attempts|still to come in this loop: \d+ attempts/);
  expect((await aot(["status"], { cwd: dir })).out).toContain("still to come:");
  expect((await aotJson(["history"], { cwd: dir })).json).toMatchObject({
    past: pastShares(readPastAtoms(state)),
    forecast: { past: 10 },
  });
  expect((await aot(["history", "--forget"], { cwd: dir })).out).toContain("forgotten");
  expect((await aot(["history"], { cwd: dir })).out).toContain("no forecast: fewer than");
});
