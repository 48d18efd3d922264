/** Where a loop stands, read from its file and its journal (SPEC sections 4, 8 and 10). */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { journalOf } from "../../src/history/loop-log.ts";
import { loopStatus } from "../../src/status/loop-status.ts";
import { projectWith } from "../support/aot.ts";
import { LOOP } from "../support/loop-fixture.ts";
import { plain } from "../../src/terminal/paint.ts";
import { statusText } from "../../src/status/commands/status-text.ts";

const at = (event: string, more: object = {}): string =>
  `${JSON.stringify({ time: "2026-01-01T00:00:00.000Z", run: "r1", iteration: 2, event, ...more })}\n`;

/** A run whose file fell behind its journal: two more iterations were opened, one was judged a stall. */
const BEHIND = [
  at("run_started", { from: "pending" }),
  at("iteration_opened", { iteration: 3 }),
  at("iteration_judged", { iteration: 3, measure: 6, stall_count: 1 }),
  at("iteration_opened", { iteration: 4 }),
];

async function statusOf(text: string, journal: readonly string[]) {
  const { state } = projectWith(text);
  mkdirSync(dirname(journalOf(state)), { recursive: true });
  writeFileSync(journalOf(state), journal.join(""));
  const reported = await loopStatus(state);
  if (!reported.ok) throw new Error(JSON.stringify(reported.problems));
  return reported.value;
}

async function countersOf(status: "running" | "stopped", journal: readonly string[]) {
  return (await statusOf(LOOP.replace("status: running", `status: ${status}`), journal)).state.control;
}

test("SPEC 4, 8: of a run that was killed it tells the fuel that is spent, which the file may not say yet", async () => {
  expect(await countersOf("running", BEHIND)).toMatchObject({ iteration: 4, stall_count: 1, prev_pending_count: 6 });
});

test("SPEC 8: of a halted loop the file counts, which a person may have changed", async () => {
  const ended = [...BEHIND, at("state_saved"), at("run_ended")];
  expect(await countersOf("stopped", ended)).toMatchObject({ iteration: 2, stall_count: 0, prev_pending_count: 4 });
});

test("SPEC 8: what a run that was killed had running is not shown as running", async () => {
  const working = LOOP.replace("status: pending", "status: in_progress");
  const killed = await statusOf(working, BEHIND);
  expect([killed.cut_off, statusText(killed, plain, null)]).toEqual([true, expect.stringMatching(/^◌ A1 .*cut off$/m)]);
  expect(statusText(killed, plain, null)).not.toContain("▶");
  // By hand, or of a session: somebody is at it.
  const byHand = await statusOf(working, []);
  expect([byHand.cut_off, statusText(byHand, plain, null)]).toEqual([false, expect.stringMatching(/^▶ A1 /m)]);
});
