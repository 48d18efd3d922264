/** SPEC 2 and 8: where a running loop is kept. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../src/adapters/store/journal.ts";
import { createLoopStore } from "../../../src/adapters/store/loop-store.ts";
import { withAt, at } from "../../../src/core/vec.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import { createStateText } from "../../../src/statefile/create.ts";
import { MAX_BYTES } from "../../../src/statefile/decode.ts";
import { parseState } from "../../../src/statefile/parse.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { stateOf } from "../../support/loops.ts";

test("SPEC 2: a state that would be too large to be read again stops the run, and the one that can be read stands", () => {
  const file = join(temporaryFolder(), "state.md");
  mkdirSync(loopPaths(file).dir);
  const text = createStateText(stateOf({ atoms: [{ id: "A" }, { id: "B" }] }), "Do it.");
  writeFileSync(file, text);
  const [parsed, journal] = [parseState(text), openJournal(loopPaths(file).journal)];
  if (!parsed.ok || !journal.ok) throw new Error("no stage");
  onTestFinished(() => journal.value.close());
  const store = createLoopStore({ stateFile: file, document: parsed.document, journal: journal.value, run: "r" });
  const { state } = parsed.document;
  // Letters of three bytes, so that it is the bytes that count.
  const binding = { summary: "\u2026".repeat(MAX_BYTES / 3), artifacts: [] };
  const grown = withAt(state.atoms, 0, { ...at(state.atoms, 0), status: "resolved" as const, binding });
  expect(store.save({ ...state, atoms: grown })).toMatchObject({
    ok: false,
    problems: [{ code: "file_too_large", message: expect.stringContaining("at most 67108864") }],
  });
  expect(readFileSync(file, "utf8")).toBe(text);
});
