/** SPEC 4, 7 and 10: what is done to atoms by hand counts as if a run had done it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { entriesOf, readJournal } from "../../src/adapters/store/journal-reader.ts";
import { failAtomIn } from "../../src/edit/atoms.ts";
import { recallLoop } from "../../src/history/recall-loop.ts";
import { journalOf } from "../../src/history/loop-log.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { aotPath, cleanEnv, projectWith } from "../support/aot.ts";
import { stateOf } from "../support/loops.ts";
import { fieldsOf } from "../support/lines.ts";

test("SPEC 4: failures by hand are attempts, counted one by one, whatever the atom is called", async () => {
  for (const id of ["A1", "constructor", "toString", "__proto__"]) {
    const { state } = projectWith(createStateText(stateOf({ atoms: [{ id }] }), "Do it."));
    for (const reason of ["one", "two"]) expect(await failAtomIn(state, id, reason)).toMatchObject({ ok: true });
    expect(attemptsOf(state, "attempt_failed")).toEqual([`${id}.1`, `${id}.2`]);
    expect(Object.entries(recallLoop(state).memory.attempts)).toEqual([[id, 2]]);
  }
});

/** Numbers of the attempts that failed, and of those that were started. */
function attemptsOf(state: string, event: string): string[] {
  const lines = [...entriesOf(readJournal(journalOf(state)))].filter((line) => line.event === event);
  return lines.map((line) => String(fieldsOf(line)["attempt"])).toSorted((a, b) => a.localeCompare(b));
}

test("SPEC 2, 4: failures at once are attempts of their own, in one process and in many", async () => {
  const text = createStateText(stateOf({ atoms: [{ id: "A1" }] }), "Do it.");
  const ids = Array.from({ length: 6 }, (_, index) => `A1.${index + 1}`);
  const together = projectWith(text);
  await Promise.all(ids.map((reason) => failAtomIn(together.state, "A1", reason)));
  const apart = projectWith(text);
  const children = ids.map((reason) =>
    spawn(process.execPath, [aotPath(), "atom", "fail", "A1", "--reason", reason], {
      cwd: apart.dir,
      env: cleanEnv(),
      stdio: "ignore",
    }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "close"))[0] as number | null));
  expect(codes).toEqual(ids.map(() => 0));
  for (const { state } of [together, apart]) {
    expect(attemptsOf(state, "attempt_started")).toEqual(ids);
    expect(attemptsOf(state, "attempt_failed")).toEqual(ids);
    expect(recallLoop(state).memory.attempts).toEqual({ A1: ids.length });
  }
});
