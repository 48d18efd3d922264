/** SPEC 8: who follows a journal is shown every line of it once, from wherever it was when they came. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openJournal } from "../../src/adapters/store/journal.ts";
import { followLog, journalOf, type LoopLog } from "../../src/history/loop-log.ts";
import { projectWith } from "../support/aot.ts";
import { fieldsOf } from "../support/lines.ts";

const opened: { close(): void }[] = [];
afterAll(() => opened.forEach((journal) => journal.close()));

test("of what is there already, only the newest lines that are asked for, and of that atom", async () => {
  const { state } = projectWith();
  const journal = openJournal(journalOf(state), {});
  if (!journal.ok) throw new Error(JSON.stringify(journal.problems));
  opened.push(journal.value);
  for (let number = 0; number < 3_000; number++)
    journal.value.append([{ event: "note", atom: number % 2 === 0 ? "A1" : "A2", number }]);
  const over = new AbortController();
  const logs: LoopLog[] = [];
  await followLog(state, { atom: "A2", last: 3 }, () => {}, {
    signal: over.signal,
    before: (log) => {
      logs.push(log);
      over.abort();
    },
  });
  expect(logs.map(({ lines }) => lines.map((line) => fieldsOf(line)["number"]))).toEqual([[2995, 2997, 2999]]);
});

/** More lines than are read in one go. */
const MANY = 30_000;

test.each(["older files", "the current file"])(
  "who has enough while %s is read is not shown it first",
  async (where) => {
    const { state } = projectWith();
    const path = journalOf(state);
    const lines = Array.from({ length: MANY }, (_, number) => `${JSON.stringify({ event: "note", number })}\n`).join(
      "",
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(where === "older files" ? path.replace(".jsonl", ".1.jsonl") : path, lines);
    const over = new AbortController();
    const shown: unknown[] = [];
    const followed = followLog(state, {}, () => {}, {
      signal: over.signal,
      before: ({ lines: all }) => {
        shown.push(all.length);
        over.abort();
      },
    });
    setImmediate(() => over.abort());
    await followed;
    expect(shown).toEqual([]);
  },
);
