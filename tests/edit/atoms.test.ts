/** SPEC 4, 7 and 10: what is done to atoms by hand counts as if a run had done it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { entriesOf, readJournal } from "../../src/adapters/store/journal-reader.ts";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import { failAtomIn } from "../../src/edit/atoms.ts";
import { recallLoop } from "../../src/history/recall-loop.ts";
import { journalOf } from "../../src/history/loop-log.ts";
import { enter } from "../../src/project/run-entry.ts";
import { enterLoop } from "../../src/session/session.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { aot, aotPath, cleanEnv, projectWith } from "../support/aot.ts";
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

/** Atoms and groups, and the trail, as `aot run --restart` begins with them. */
async function restartedLoop(stateFile: string): Promise<{ atoms: string[]; groups: unknown; trail: unknown }> {
  const entry = await enter({ stateFile, restart: true });
  if (!entry.ok) throw new Error(entry.problems.map(({ message }) => message).join());
  const { atoms, or_groups, trail } = entry.state;
  return { atoms: atoms.map(({ id }) => id), groups: or_groups, trail };
}

test("SPEC 2, 6: what a session's coordinator added or split goes with a restart, as a planner's does; a person's stays", async () => {
  const { dir, state } = projectWith(createStateText(stateOf({ atoms: [{ id: "A1" }] }), "Do it."));
  const session = { session: "S", mode: "agent" } as const;
  expect(await enterLoop(state, session, new AbortController().signal)).toMatchObject({ ok: true });
  const typed = (line: string, env: Record<string, string>): Promise<unknown> =>
    aot(line.split(" "), { cwd: dir, env });
  await typed("atom add planned --description theirs", { CLAUDE_CODE_SESSION_ID: "S" });
  await typed("atom decompose A1 --child half=x --child rest=y --reason large", { CLAUDE_CODE_SESSION_ID: "S" });
  await typed("atom add mine --description mine", {});
  await typed("atom add elsewhere --description mine", { CLAUDE_CODE_SESSION_ID: "another" });
  expect(readFileSync(state, "utf8")).toContain("id: half");
  expect(await restartedLoop(state)).toMatchObject({ atoms: ["A1", "mine", "elsewhere"] });
});

test("BACKTRACK-1: the trail says why the first choice of a group is selected, after `atom add --or-group` and a restart, too", async () => {
  const { dir, state } = projectWith(createStateText(stateOf({ atoms: [{ id: "A1" }] }), "Do it."));
  for (const id of ["B1", "B2"]) await aot(["atom", "add", id, "--description", id, "--or-group", "way"], { cwd: dir });
  const read = await readStateFile(state);
  if (!read.ok) throw new Error("not read");
  const first = (reason: string): object => ({ or_group: "way", selected: "B1", reason });
  expect(read.value.state.trail).toMatchObject([first("the first of B1: added by hand")]);
  expect(await restartedLoop(state)).toMatchObject({ trail: [first("the first of B1, B2: restarted")] });
});
