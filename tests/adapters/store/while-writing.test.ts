/**
 * SPEC 2 and 8: what a person saves while a file is being written. The disk takes its time for that: this is where an
 * editor comes in between, at a moment that the test chooses.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { documentFile } from "../../../src/adapters/store/document-file.ts";
import { openJournal } from "../../../src/adapters/store/journal.ts";
import { createLoopStore } from "../../../src/adapters/store/loop-store.ts";
import type { State } from "../../../src/core/state.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import type { Store } from "../../../src/loop/ports.ts";
import { createStateText } from "../../../src/statefile/create.ts";
import { parseState } from "../../../src/statefile/parse.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { COUNTERS } from "../../support/counters-format.ts";
import { stateOf } from "../../support/loops.ts";

/** Called while the disk is waited for: with the new file beside the old one, and once it is in its place. */
let during: (call: number) => void = () => {};
let calls = 0;
vi.mock("node:fs", async (original) => {
  const real: typeof import("node:fs") = await original();
  const fsyncSync = (file: number): void => {
    during(++calls);
    real.fsyncSync(file);
  };
  return { ...real, fsyncSync };
});

function meanwhile(at: number, work: (call: number) => void): void {
  calls = 0;
  during = (call) => {
    if (call === at || at === 0) work(call);
  };
  onTestFinished(() => {
    during = () => {};
  });
}

const TEXT = createStateText(stateOf({ atoms: [{ id: "A" }, { id: "B" }] }), "Do it.");

function loop(): string {
  const file = join(temporaryFolder(), "state.md");
  mkdirSync(loopPaths(file).dir);
  writeFileSync(file, TEXT);
  return file;
}

test("DOCUMENT-FILE-3: a change is made anew on what an editor saved while it was being written", () => {
  const path = join(temporaryFolder(), "counters.md");
  writeFileSync(path, "a 1\nb 2\n");
  meanwhile(1, () => writeFileSync(path, "a 10\nb 2\nc 3\n"));
  const plus = documentFile(COUNTERS).edit(path, ({ value }) => ({
    ok: true,
    value: new Map(value).set("a", (value.get("a") ?? 0) + 1),
  }));
  expect(plus).toMatchObject({ ok: true, value: { text: "a 11\nb 2\nc 3\n" } });
  expect(readdirSync(join(path, ".."))).toEqual(["counters.md"]);
});

/** A loop whose state file a run keeps. */
function atWork(): { readonly file: string; readonly store: Store; readonly state: State } {
  const file = loop();
  const [parsed, journal] = [parseState(TEXT), openJournal(loopPaths(file).journal)];
  if (!parsed.ok || !journal.ok) throw new Error("no stage");
  onTestFinished(() => journal.value.close());
  const store = createLoopStore({ stateFile: file, document: parsed.document, journal: journal.value, run: "r" });
  return { file, store, state: parsed.document.state };
}

test.each([
  ["while the run writes it", 1],
  ["when the run has just written it", 2],
])("SPEC 8: what somebody saves in a running loop's state file %s is kept beside it and reported", (_when, at) => {
  const { file, store, state } = atWork();
  const own = { ...state, control: { ...state.control, iteration: 1 } };
  const theirs = readFileSync(file, "utf8").replace("do B", "do more");
  meanwhile(at, () => writeFileSync(file, theirs));
  const saved = store.save(own);
  if (!saved.ok) throw new Error(JSON.stringify(saved.problems));
  const notes = [saved.value, store.look()].flatMap(({ note }) => note ?? []);
  expect(notes).toHaveLength(1);
  const { dir } = loopPaths(file);
  const [copy = "", ...more] = readdirSync(dir).filter((name) => name.startsWith("foreign-"));
  expect(more).toEqual([]);
  expect(readFileSync(join(dir, copy), "utf8")).toBe(theirs);
  expect(store.save({ ...own, control: { ...own.control, iteration: 2 } })).toMatchObject({ ok: true, value: {} });
  const text = readFileSync(file, "utf8");
  expect([text.includes("iteration: 2"), text.includes("do more")]).toEqual([true, false]);
});

test("SPEC 8: somebody who never stops writing the state file does not keep the run from it", () => {
  const { file, store, state } = atWork();
  meanwhile(0, (call) => {
    if (call < 50) writeFileSync(file, `${TEXT}${"x".repeat(call)}\n`);
  });
  expect(store.save({ ...state, control: { ...state.control, iteration: 1 } })).toMatchObject({ ok: true });
  expect(calls).toBeLessThan(20);
});
