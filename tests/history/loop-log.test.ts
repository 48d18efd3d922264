/** SPEC 8: who follows a journal is shown every line of it once, from wherever it was when they came. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openJournal } from "../../src/adapters/store/journal.ts";
import { followLog, journalOf, type LoopLog } from "../../src/history/loop-log.ts";
import { projectWith } from "../support/aot.ts";
import { eventually } from "../support/bundle.ts";
import { fieldsOf } from "../support/lines.ts";

const opened: { close(): void }[] = [];
afterAll(() => opened.forEach((journal) => journal.close()));

const LINES = 600;

test.each([0, 1, 250, 320, 330, 340, 400])(
  "lines that are written between reading and following are shown once, however often a file is set aside (from line %i)",
  async (from) => {
    const { state } = projectWith();
    // About 55 bytes a line: most looks find that several files came and went.
    const journal = openJournal(journalOf(state), { max_bytes: 2_000 });
    if (!journal.ok) throw new Error(JSON.stringify(journal.problems));
    opened.push(journal.value);
    const write = (number: number): unknown => journal.value.append([{ event: "note", message: "as it came", number }]);
    for (let number = 0; number < from; number++) write(number);

    const seen: unknown[] = [];
    const over = new AbortController();
    let before: LoopLog | null = null;
    const followed = followLog(state, {}, (line) => seen.push(fieldsOf(line)["number"]), {
      signal: over.signal,
      before: (log) => {
        before = log;
        seen.push(...log.lines.map((line) => fieldsOf(line)["number"]));
      },
    });
    for (let number = from; number < LINES; number++) {
      write(number);
      if (number % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually("the last line", () => seen.includes(LINES - 1));
    over.abort();
    await followed;
    expect(seen).toEqual(Array.from({ length: LINES }, (_, number) => number));
    expect(before).toMatchObject({ skipped: 0 });
  },
);

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

test.each([3, 5_000])(
  "STORE-JOURNAL-4: of %i lines whose file was deleted and put back none is shown twice; a new file is shown whole",
  async (count) => {
    const { state } = projectWith();
    const path = journalOf(state);
    const start = (): { append(lines: readonly object[]): unknown; close(): void } => {
      const journal = openJournal(path, {});
      if (!journal.ok) throw new Error(JSON.stringify(journal.problems));
      opened.push(journal.value);
      return journal.value;
    };
    const first = start();
    for (let number = 0; number < count; number += 500)
      first.append(
        Array.from({ length: Math.min(500, count - number) }, (_, n) => ({ event: "note", number: number + n })),
      );
    const seen: unknown[] = [];
    const over = new AbortController();
    const followed = followLog(state, {}, (line) => seen.push(fieldsOf(line)["number"]), {
      signal: over.signal,
      before: (log) => seen.push(...log.lines.map((line) => fieldsOf(line)["number"])),
    });
    await eventually("what stands there", () => seen.length === count);
    rmSync(path);
    first.append([{ event: "note", number: count }]);
    await eventually("what came then", () => seen.includes(count));
    expect(seen).toEqual(Array.from({ length: count + 1 }, (_, number) => number));

    first.close();
    rmSync(path);
    start().append([{ event: "note", number: -1 }]);
    await eventually("what a new one holds", () => seen.includes(-1));
    over.abort();
    await followed;
    expect(seen.slice(count)).toEqual([count, -1]);
  },
);

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
