/** SPEC 2 and 8: where a running loop is kept. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../src/adapters/store/journal.ts";
import { createLoopStore } from "../../../src/adapters/store/loop-store.ts";
import type { Atom, State } from "../../../src/core/state.ts";
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

function kept(started: State = stateOf({ atoms: [{ id: "A" }, { id: "B" }] })): Kept {
  const file = join(temporaryFolder(), "state.md");
  mkdirSync(loopPaths(file).dir);
  const text = createStateText(started, "Do it.");
  writeFileSync(file, text);
  const [parsed, journal] = [parseState(text), openJournal(loopPaths(file).journal)];
  if (!parsed.ok || !journal.ok) throw new Error("no stage");
  onTestFinished(() => journal.value.close());
  const { document } = parsed;
  const store = createLoopStore({ stateFile: file, document, journal: journal.value, run: "r" });
  return { file, text, state: document.state, store };
}

test("SPEC 8: a program that changes the state file again and again fills no disk, and the last time it is reported", () => {
  const { file, text, store } = kept();
  const notes: string[] = [];
  for (let times = 0; times < 120; times++) {
    writeFileSync(file, text.replace("do A", `do ${"A".repeat(times + 2)}`));
    const { note } = store.look();
    if (note !== undefined) notes.push(note);
  }
  const copies = readdirSync(loopPaths(file).dir).filter((name) => name.startsWith("foreign-"));
  expect([notes.length, copies.length]).toEqual([100, 100]);
  expect(notes.at(-1)).toContain("neither kept nor reported");
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

/** Something of another kind where the type says text, as it comes from callers without types. */
const notText = 5 as unknown as string;
const bare = (id: string, more: Partial<Atom> = {}): Atom => ({
  id,
  description: "d",
  status: "pending",
  depends_on: [],
  ...more,
});
const done = (id: string, summary: string): Atom =>
  bare(id, { status: "resolved", binding: { summary, artifacts: [] } });
const withAtoms = (...atoms: readonly Atom[]): State => ({ ...stateOf({ atoms: [] }), atoms: atoms });

test.each<readonly [string, State, (atom: Atom) => Atom, (state: State) => State]>([
  [
    "a status that there is not",
    withAtoms(bare("A1"), bare("A2")),
    (atom) => ({ ...atom, status: "done" as "resolved" }),
    (state) => state,
  ],
  [
    "a status of two lines",
    withAtoms(bare("A1"), bare("A2")),
    (atom) => ({ ...atom, status: "resolved\n    id: A3" as "resolved" }),
    (state) => state,
  ],
  [
    "a description",
    withAtoms(bare("A1"), bare("A2")),
    (atom) => ({ ...atom, status: "in_progress", description: notText }),
    (state) => state,
  ],
  ["the first binding", withAtoms(bare("A1"), bare("A2")), () => done("A1", notText), (state) => state],
  ["a further binding", withAtoms(bare("A1"), done("A2", "s")), () => done("A1", notText), (state) => state],
  ["another binding", withAtoms(done("A1", "s"), done("A2", "s")), () => done("A1", notText), (state) => state],
  [
    "a further atom",
    withAtoms(bare("A1")),
    (atom) => atom,
    (state) => ({ ...state, atoms: [...state.atoms, bare("A2", { description: notText })] }),
  ],
  [
    "a limit",
    withAtoms(bare("A1")),
    (atom) => atom,
    ({ objective, ...state }) => ({
      ...state,
      objective: { ...objective, constraints: { ...objective.constraints, max_iterations: -1 } },
    }),
  ],
])("SPEC 2: what could not be read again stops the run, and what can be read stands: %s", (_, before, first, rest) => {
  const { file, text, state, store } = kept(before);
  const next = rest({ ...state, atoms: withAt(state.atoms, 0, first(at(state.atoms, 0))) });
  expect(store.save(next)).toMatchObject({ ok: false });
  expect(readFileSync(file, "utf8")).toBe(text);
});
