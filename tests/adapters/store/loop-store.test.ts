/** SPEC 2 and 8: where a running loop is kept. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../src/adapters/store/journal.ts";
import { createLoopStore } from "../../../src/adapters/store/loop-store.ts";
import type { State } from "../../../src/core/state.ts";
import { at, withAt } from "../../../src/core/vec.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import type { Store } from "../../../src/loop/ports.ts";
import { createStateText } from "../../../src/statefile/create.ts";
import { MAX_BYTES } from "../../../src/statefile/decode.ts";
import { parseState } from "../../../src/statefile/parse.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { stateOf } from "../../support/loops.ts";

interface Kept {
  readonly file: string;
  readonly text: string;
  readonly state: State;
  readonly store: Store;
}

function kept(): Kept {
  const file = join(temporaryFolder(), "state.md");
  mkdirSync(loopPaths(file).dir);
  const text = createStateText(stateOf({ atoms: [{ id: "A" }, { id: "B" }] }), "Do it.");
  writeFileSync(file, text);
  const [parsed, journal] = [parseState(text), openJournal(loopPaths(file).journal)];
  if (!parsed.ok || !journal.ok) throw new Error("no stage");
  onTestFinished(() => journal.value.close());
  const { document } = parsed;
  const store = createLoopStore({ stateFile: file, document, journal: journal.value, run: "r" });
  return { file, text, state: document.state, store };
}

test("SPEC 8: a program that changes the state file again and again fills no disk, and the last time it is told", () => {
  const { file, text, store } = kept();
  const notes: string[] = [];
  for (let times = 0; times < 120; times++) {
    writeFileSync(file, text.replace("do A", `do ${"A".repeat(times + 2)}`));
    const { note } = store.look();
    if (note !== undefined) notes.push(note);
  }
  const copies = readdirSync(loopPaths(file).dir).filter((name) => name.startsWith("foreign-"));
  expect([notes.length, copies.length]).toEqual([100, 100]);
  expect(notes.at(-1)).toContain("neither kept nor told");
});

test("SPEC 2: a state that would be too large to be read again stops the run, and the one that can be read stands", () => {
  const { file, text, state, store } = kept();
  // Letters of three bytes, so that it is the bytes that count.
  const binding = { summary: "\u2026".repeat(MAX_BYTES / 3), artifacts: [] };
  const grown = withAt(state.atoms, 0, { ...at(state.atoms, 0), status: "resolved" as const, binding });
  expect(store.save({ ...state, atoms: grown })).toMatchObject({
    ok: false,
    problems: [{ code: "file_too_large", message: expect.stringContaining("at most 67108864") }],
  });
  expect(readFileSync(file, "utf8")).toBe(text);
});
