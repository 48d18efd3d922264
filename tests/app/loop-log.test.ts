/** SPEC 8: who follows a journal is shown every line of it once, from wherever it was when they came. */
import { afterAll, expect, test } from "vitest";
import { openJournal } from "../../src/adapters/store/journal.ts";
import { followLog, journalOf, type LoopLog } from "../../src/app/loop-log.ts";
import { projectWith } from "../support/aot.ts";
import { eventually } from "../support/bundle.ts";

const opened: { close(): void }[] = [];
afterAll(() => opened.forEach((journal) => journal.close()));

const LINES = 600;
/** About 45 bytes a line: it is set aside once, somewhere in the middle. */
const ONE_ROTATION = 15_000;

test.each([0, 1, 250, 320, 330, 340, 400])(
  "lines that are written between reading and following are shown once, a file set aside meanwhile or not (from line %i)",
  async (from) => {
    const { state } = projectWith();
    const journal = openJournal(journalOf(state), { max_bytes: ONE_ROTATION });
    if (!journal.ok) throw new Error(JSON.stringify(journal.problems));
    opened.push(journal.value);
    const write = (number: number): unknown => journal.value.append([{ event: "note", message: "as it came", number }]);
    for (let number = 0; number < from; number++) write(number);

    const seen: unknown[] = [];
    const over = new AbortController();
    let before: LoopLog | null = null;
    const followed = followLog(
      state,
      {},
      (line) => seen.push(line["number"]),
      over.signal,
      (log) => {
        before = log;
        seen.push(...log.lines.map((line) => line["number"]));
      },
    );
    for (let number = from; number < LINES; number++) {
      write(number);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually("the last line", () => seen.includes(LINES - 1));
    over.abort();
    await followed;
    expect(seen).toEqual(Array.from({ length: LINES }, (_, number) => number));
    expect(before).toMatchObject({ skipped: 0 });
  },
);

test("of what stands there already, only the newest lines that are asked for, and of that atom", async () => {
  const { state } = projectWith();
  const journal = openJournal(journalOf(state), {});
  if (!journal.ok) throw new Error(JSON.stringify(journal.problems));
  opened.push(journal.value);
  for (let number = 0; number < 3_000; number++)
    journal.value.append([{ event: "note", atom: number % 2 === 0 ? "A1" : "A2", number }]);
  const over = new AbortController();
  const logs: LoopLog[] = [];
  await followLog(
    state,
    { atom: "A2", last: 3 },
    () => {},
    over.signal,
    (log) => {
      logs.push(log);
      over.abort();
    },
  );
  expect(logs.map(({ lines }) => lines.map((line) => line["number"]))).toEqual([[2995, 2997, 2999]]);
});
