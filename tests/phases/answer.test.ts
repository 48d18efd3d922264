/** SPEC 8 and 11: an action on a phase loop is in its journal once, with the time that the state has. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { entriesOf, readJournal } from "../../src/adapters/store/journal-reader.ts";
import { journalOf } from "../../src/history/loop-log.ts";
import { actOnPhases } from "../../src/phases/answer.ts";
import { accepted } from "../../src/core/problem.ts";
import { setPhaseStage } from "../support/phase-stage.ts";

const LOOP = {
  id: "small",
  phases: [{ name: "DRAFT", required: true }, { name: "SHIP" }],
  gates: [{ id: "said", afterPhase: "DRAFT", approvalType: "human" }],
};

test("PHASES-ANSWER-3: an editor that saves the state while an action is made does not make it two", async () => {
  const stage = await setPhaseStage(LOOP, { git: false });
  const actions = [
    { type: "complete_phase", phase: "DRAFT", deliverables: [] },
    { type: "fail_gate", gate: "said", reason: "no" },
  ] as const;
  for (const action of actions) {
    let asked = 0;
    const done = await actOnPhases(stage.stateFile, () => {
      // First on what was read, then under the lock.
      if (++asked === 2 || asked === 3) writeFileSync(stage.stateFile, `${readFileSync(stage.stateFile, "utf8")}\n`);
      return accepted(action);
    });
    expect([asked, done]).toMatchObject([4, { ok: true }]);
  }
  const lines = [...entriesOf(readJournal(journalOf(stage.stateFile)))];
  expect(lines.map(({ event }) => event)).toEqual(["phases_begun", "complete_phase", "fail_gate"]);
  expect(lines.at(-1)?.["time"]).toBe(stage.loop().last_updated);
});
