/** `aot status` on screens of every size (SPEC section 10). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { loopStatus, type LoopStatus } from "../../../src/status/loop-status.ts";
import { widthOf } from "../../../src/terminal/clip.ts";
import { plain } from "../../../src/terminal/paint.ts";
import { statusText } from "../../../src/status/commands/status-text.ts";
import { newHolder } from "../../../src/host/lock-file.ts";
import { projectWith } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { LOOP } from "../../support/loop-fixture.ts";
import { lineOf } from "../../support/lines.ts";

const ATOMS = 30;

/** A chain of atoms with long descriptions, the first ten of them resolved. */
async function chain(): Promise<LoopStatus> {
  const dir = temporaryFolder();
  mkdirSync(join(dir, ".claude"));
  const file = join(dir, ".claude", "aot-loop-state.md");
  const atoms = Array.from({ length: ATOMS }, (_, n) => [
    `  - id: A${n}`,
    `    description: "Number ${n}, ${"which has a long description ".repeat(3)}"`,
    `    status: ${n < 10 ? "resolved" : "pending"}`,
    `    depends_on: [${n === 0 ? "" : `A${n - 1}`}]`,
  ]);
  const head = `---
objective:
  goal: "A chain"
  base_case: {type: command, value: "true"}
  background_intent: ""
  deliverables: ""
  definition_of_done: ""
  constraints: {max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3}
control: {status: stopped, iteration: 3, stall_count: 0, prev_pending_count: 20, stop_requested: false, stop_reason: null, redirect_requested: false}
atoms:
`;
  writeFileSync(
    file,
    `${head}${atoms.flat().join("\n")}\nbindings: {}\ntrail: []\ncorrections: []\n---\n\n# Original Prompt\n`,
  );
  const status = await loopStatus(file);
  if (!status.ok) throw new Error(JSON.stringify(status.problems));
  return status.value;
}

test("of a graph that the screen has no space for the work and what comes next is shown, the rest is counted", async () => {
  const status = await chain();
  expect(
    statusText(status, plain, null)
      .split("\n")
      .filter((line) => line.includes("A")),
  ).toHaveLength(ATOMS + 1);
  fc.assert(
    fc.property(fc.integer({ min: 60, max: 200 }), fc.integer({ min: 12, max: 50 }), (columns, rows) => {
      const lines = statusText(status, plain, { columns, rows }).split("\n");
      expect(lines.length).toBeLessThanOrEqual(rows);
      const next = lines.find((line) => line.startsWith("○ A10 "));
      expect(next).toBeDefined();
      expect(lines.join("\n")).toContain("10 of 30 resolved, 20 left");
      const shown = lines.filter((line) => /^[✓○·] A\d+ /.test(line));
      const counted = lines.map((line) => Number(/^\.\.\. (\d+) more/.exec(line)?.[1] ?? 0));
      expect(shown.length + counted.reduce((sum, n) => sum + n, 0)).toBe(ATOMS);
      for (const line of shown) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      for (const line of shown.filter((one) => one.startsWith("·"))) expect(line).toMatch(/ {2}waits for A\d+$/);
    }),
  );
});

test("on a narrow screen the bar and the fuel make room: how far it is, the iteration, the cost and the time stay whole", async () => {
  const status = await chain();
  fc.assert(
    fc.property(fc.integer({ min: 34, max: 120 }), (columns) => {
      const lines = statusText({ ...status, cost_usd: 1.25 }, plain, { columns, rows: 40 }).split("\n");
      const progress = lines.find((line) => line.includes("10 of 30 resolved, 20 left")) ?? "";
      const fuel = lines.find((line) => line.startsWith("iteration 3 of 20")) ?? "";
      expect(progress).not.toBe("");
      expect(fuel).toMatch(columns > 90 ? /, cost \$1\.25, time 0ms$/ : /\$1\.25.* 0ms/);
      for (const line of [progress, fuel]) expect(widthOf(line)).toBeLessThan(columns);
    }),
  );
  expect(statusText(status, plain, null)).toContain(", no cost reported, time 0ms");
});

test("SPEC 10: the time of an active run goes on between two events; that of none stands", async () => {
  const status = await chain();
  const { read_at } = status;
  const events = [lineOf({ event: "iteration_opened", iteration: 3, time: new Date(read_at - 65_000).toISOString() })];
  const timeOf = (runner: LoopStatus["runner"]): string | undefined =>
    /time (.*)/.exec(statusText({ ...status, events, active_ms: 5_000, runner }, plain, null))?.[1];
  expect(timeOf(null)).toBe("5s");
  expect(timeOf(newHolder("run"))).toBe("1m 10s");
});

test("SPEC 10: what a run works at is shown with how long, and with what its agent waits for", async () => {
  const { state } = projectWith(LOOP.replace("status: pending", "status: in_progress"));
  const status = await loopStatus(state);
  if (!status.ok) throw new Error(JSON.stringify(status.problems));
  const { read_at } = status.value;
  expect(status.value.working, "no run is at work").toEqual([]);
  const attempt: LoopStatus["working"][number] = {
    attempt: "A1.1",
    atom: "A1",
    role: "worker",
    agent: "",
    iteration: 1,
    slot: 0,
    words: "",
    commit: null,
    from: read_at - 65_000,
    to: null,
    end: null,
    wait: null,
    cost_usd: null,
    tokens: 0,
  };
  const shown = (more: Partial<LoopStatus["working"][number]>): string | undefined => {
    const working = [{ ...attempt, ...more }];
    const text = statusText({ ...status.value, working }, plain, { columns: 100, rows: 40 });
    return text.split("\n").find((line) => line.includes("A1  User model"));
  };
  expect(shown({})).toBe("▶ A1  User model  1m 5s");
  expect(shown({ role: "probe" })).toBe("▶ A1  User model  1m 5s probe");
  const wait = { who: "A1.1", attempt: "A1.1", from: read_at, to: read_at + 90_000, reason: "429\u0007 slow down" };
  expect(shown({ wait })).toMatch(/^◌ A1 {2}User model {2}waits 1m 30s more, until \d\d:\d\d: 429 slow down$/);
  expect(shown({ wait: { ...wait, to: read_at - 1 } })).toBe("▶ A1  User model  1m 5s");
});

test("SPEC 8: a stop that a run has not come to yet is reported as a request", async () => {
  const status = await chain();
  const asked = { status: "running", stop_requested: true, stop_reason: "lunch" } as const;
  const second = (control: object): string | undefined => {
    const state = { ...status.state, control: { ...status.state.control, ...control } };
    return statusText({ ...status, state }, plain, null).split("\n")[1];
  };
  expect(second(asked)).toMatch(/^running, a stop is requested: lunch/);
  expect(second({ ...asked, status: "stopped" })).toMatch(/^stopped: lunch/);
  const halted = { status: "stopped", outcome: "stop_requested", stop_reason: "stopped on request: lunch" } as const;
  expect(second(halted), "SPEC 9: said once").toBe("Stopped on request: lunch");
  expect(second({ status: "running" })).toMatch(/^running(?: \(|$)/);
});

test("SPEC 10: status shows base case, deliverables, choices and redirects, short; a watched screen has no space for them", async () => {
  const { state } = projectWith(
    LOOP.replace(
      "trail: []\ncorrections: []",
      `trail:
  - {or_group: token_method, selected: A4, reason: "stateless", timestamp: "2025-01-15T10:00:00Z"}
corrections:
${[1, 2, 3, 4].map((n) => `  - {timestamp: "2025-01-15T10:00:0${n}Z", type: constraint_change, description: "limit ${n}", trail_cleared: false}`).join("\n")}`,
    ),
  );
  const status = await loopStatus(state);
  if (!status.ok) throw new Error(JSON.stringify(status.problems));
  const text = statusText(status.value, plain, null);
  for (const words of [
    "base case     Login exists (file: src/login.js)",
    "Node runs (command: node --version)",
    "deliverables  A login module",
    "choices       token_method: A4 (stateless)",
    "redirects     limit 2",
    "limit 4",
    "1 more in `aot state show`",
  ])
    expect(text).toContain(words);
  expect(text).not.toContain("limit 1\n");
  expect(statusText(status.value, plain, { columns: 80, rows: 24 })).not.toContain("deliverables");
});
