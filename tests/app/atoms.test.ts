/** SPEC 4, 7 and 10: what is done to atoms by hand counts as if a run had done it. */
import { expect, test } from "vitest";
import { entriesOf, readJournalSync } from "../../src/adapters/store/journal.ts";
import { failAtomIn } from "../../src/app/atoms.ts";
import { recallLoop } from "../../src/app/run/recall-loop.ts";
import { journalOf } from "../../src/app/loop-log.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { projectWith } from "../support/aot.ts";
import { stateOf } from "../support/loops.ts";

test("SPEC 4: failures by hand are attempts, counted one by one, whatever the atom is called", async () => {
  for (const id of ["A1", "constructor", "toString", "__proto__"]) {
    const { state } = projectWith(createStateText(stateOf({ atoms: [{ id }] }), "Do it."));
    for (const reason of ["one", "two"]) expect(await failAtomIn(state, id, reason)).toMatchObject({ ok: true });
    const lines = [...entriesOf(readJournalSync(journalOf(state)))].filter(({ event }) => event === "attempt_failed");
    expect(lines.map(({ attempt }) => attempt)).toEqual([`${id}.1`, `${id}.2`]);
    expect(Object.entries(recallLoop(state).memory.attempts)).toEqual([[id, 2]]);
  }
});
