/** SPEC 8: one contract for all who follow a journal: each whole line once and in order, whatever becomes of its files. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { entriesOf, learn, openJournalReader } from "../../src/adapters/store/journal-reader.ts";
import type { AnyLine } from "../../src/core/journal-line.ts";
import { holdRunLock } from "../../src/adapters/store/run-lock.ts";
import { createFeed } from "../../src/dashboard/feed.ts";
import { follow, fromNewest, journalFiles } from "../../src/history/follow.ts";
import { followLog, journalOf } from "../../src/history/loop-log.ts";
import { attachLoop } from "../../src/run/attach.ts";
import { createStory } from "../../src/history/run-story.ts";
import { createGrowth } from "../../src/core/aligned-graph.ts";
import type { Projection } from "../../src/core/fold-journal.ts";
import { createRecall } from "../../src/core/journal.ts";
import { projectWith } from "../support/aot.ts";
import { bundleFixture, chance, eventually, startWorker, temporaryFolder, type Worker } from "../support/bundle.ts";
import { fieldsOf } from "../support/lines.ts";
import { anyState } from "../support/loops.ts";
import { walk } from "../support/walk.ts";

let appender = "";
beforeAll(async () => {
  appender = await bundleFixture("store/journal-worker.ts");
});

/** Hands over every line of the loop's journal until the answer is called. */
type Follower = (stateFile: string, each: (line: AnyLine) => void) => () => Promise<void>;

/** @param follow until it is aborted */
function aborting(follow: (...given: [...Parameters<Follower>, AbortSignal]) => Promise<void>): Follower {
  return (stateFile, each) => {
    const over = new AbortController();
    const followed = follow(stateFile, each, over.signal);
    return () => (over.abort(), followed);
  };
}

const FOLLOWERS: Readonly<Record<string, Follower>> = {
  follow: aborting(async (stateFile, each, signal) => {
    for await (const { lines } of follow(journalFiles(journalOf(stateFile)), signal)) lines.forEach(each);
  }),
  log: aborting((stateFile, each, signal) =>
    followLog(stateFile, {}, each, { signal, before: ({ lines }) => lines.forEach(each) }),
  ),
  dashboard: (stateFile, each) => {
    const feed = createFeed(stateFile);
    feed.subscribe((message) => message.kind === "lines" && message.lines.forEach(each));
    return async () => feed.close();
  },
  attach: aborting(async (stateFile, each, signal) => {
    const lock = holdRunLock(stateFile);
    if (!lock.ok) throw new Error(lock.message);
    await attachLoop(stateFile, each, signal);
    lock.release();
  }),
};
/** Looks without a rest. */
const RESTLESS: Follower = aborting(async (stateFile, each, signal) => {
  const reader = openJournalReader(journalOf(stateFile));
  for (; !signal.aborted; await setImmediate()) for (const line of entriesOf(reader.read())) each(line);
  reader.close();
});

interface Writing {
  readonly processes: number;
  readonly lines: number;
  /** Bytes of a file. */
  readonly most: number;
  readonly more?: readonly string[];
}

/** Begins a run, follows it, and lets processes append to its journal. @returns all that was seen of them */
async function followed(
  follower: Follower,
  { processes, lines, most, more = [] }: Writing,
  during: (worker: Worker, journal: string) => Promise<unknown> = (worker) => worker.ended(),
): Promise<readonly AnyLine[]> {
  const { state } = projectWith();
  const journal = journalOf(state);
  mkdirSync(dirname(journal), { recursive: true });
  writeFileSync(journal, `${JSON.stringify({ time: "2026-01-01T00:00:00Z", run: "r", event: "run_started" })}\n`);
  const seen: AnyLine[] = [];
  const end = follower(state, (line) => "who" in line && seen.push(line));
  const workers = Array.from({ length: processes }, (_, who) =>
    startWorker(appender, journal, String(who), String(lines), String(most), ...more),
  );
  await Promise.all(workers.map((worker) => during(worker, journal)));
  await eventually("every line", () => seen.length >= processes * lines, 30_000);
  await end();
  return seen;
}

const numbersOf = (lines: readonly AnyLine[], who: number): readonly unknown[] =>
  lines.filter((line) => fieldsOf(line)["who"] === who).map((line) => fieldsOf(line)["n"]);

test.each(Object.entries(FOLLOWERS))(
  "law, %s: processes append and set files aside as they come: each line once, each process's own in order",
  async (_, follower) => {
    const seen = await followed(follower, { processes: 3, lines: 300, most: 2_000 });
    for (let who = 0; who < 3; who++) expect(numbersOf(seen, who)).toEqual(Array.from({ length: 300 }, (_, n) => n));
    expect(seen).toHaveLength(900);
  },
  60_000,
);

test.each(
  Object.entries({ ...FOLLOWERS, restless: RESTLESS }).flatMap(([name, follower]) =>
    [2_000, 1_000_000].map((most) => [name, most, follower] as const),
  ),
)(
  "law, %s: the file is deleted at any moment, put back, and set aside beyond %s bytes: each line once, in order",
  async (_, most, follower) => {
    const seed = Date.now() % 1_000_000;
    console.log(`chance seed ${seed}`);
    const random = chance(seed);
    const lines = 500;
    const seen = await followed(follower, { processes: 1, lines, most, more: ["wait"] }, async (worker, journal) => {
      for (let reported = 0; reported < lines - 2;) {
        reported = Number(await worker.line());
        if (random() < 0.1) rmSync(journal, { force: true });
        if (random() < 0.3) await setImmediate();
      }
      // Who writes puts the file back: nobody else knows what it held.
      worker.say("on");
      await worker.ended();
    });
    expect(numbersOf(seen, 0)).toEqual(Array.from({ length: lines }, (_, n) => n));
  },
  60_000,
);

test("from the newest line of a kind on: what was read before it is passed over, whatever comes behind the first look is not", async () => {
  async function* batches() {
    const numbers = (from: number, to: number): AnyLine[] =>
      Array.from({ length: to - from }, (_, n) => ({ n: from + n }));
    yield { lines: numbers(0, 7), skipped: 0, caught_up: false };
    yield { lines: numbers(7, 14), skipped: 0, caught_up: true };
    yield { lines: numbers(14, 23), skipped: 0, caught_up: true };
  }
  const seen: unknown[] = [];
  for await (const { lines } of fromNewest(batches(), (line) => Number(fieldsOf(line)["n"]) % 5 === 0))
    seen.push(lines.map((line) => fieldsOf(line)["n"]));
  expect(seen).toEqual([
    [10, 11, 12, 13],
    [14, 15, 16, 17, 18, 19, 20, 21, 22],
  ]);
});

const PROJECTIONS: Readonly<Record<string, () => Projection<unknown>>> = {
  memory: createRecall,
  growth: createGrowth,
  story: createStory,
  newest_run: () => createStory("newest_run"),
};

test.each(Object.entries(PROJECTIONS))(
  "law, %s: of a journal read piece by piece as it grows, with garbage between its lines, is learnt what the whole one tells",
  async (_, create) => {
    const rolls = fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 60 });
    const garbage = fc.constantFrom("", "{", "null", "[]", '{"event":7}', '{"event":"of_a_later_version","measure":9}');
    const hazards = { stops: true, crashes: true, redirects: true, resumes: 1, lost: true };
    const folder = temporaryFolder();
    let files = 0;
    await fc.assert(
      fc.asyncProperty(
        anyState(4),
        rolls,
        fc.array(garbage),
        fc.array(fc.nat(400)),
        async (start, dice, rest, sizes) => {
          const lines = walk(start, dice, hazards).lines.map((line) => JSON.stringify(line));
          const whole = join(folder, `${++files}.jsonl`);
          writeFileSync(whole, `${lines.join("\n")}\n`);
          const text = `${lines.flatMap((line, at) => [line, ...rest.slice(at, at + 1)]).join("\n")}\n`;
          const grown = join(folder, `${++files}.jsonl`);
          const source = journalFiles(grown);
          const projection = create();
          const look = async (last: boolean): Promise<void> => {
            for await (const batch of source.read(last)) for (const line of batch.lines) projection.read(line);
          };
          let at = 0;
          for (const size of sizes) {
            appendFileSync(grown, text.slice(at, (at += size)));
            await look(false);
            projection.now();
          }
          appendFileSync(grown, text.slice(at));
          await look(true);
          source.close();
          expect(projection.now()).toEqual(learn(whole, create()));
        },
      ),
      { numRuns: 25 },
    );
  },
);
