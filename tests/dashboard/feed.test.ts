/** SPEC 8 and 10: who watches learns what the journal and the state file say, wherever the journal was cut. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createFeed, type Feed } from "../../src/dashboard/feed.ts";
import type { FeedMessage } from "../../src/dashboard/messages.ts";
import { followLog, journalOf } from "../../src/history/loop-log.ts";
import { projectWith } from "../support/aot.ts";
import { eventually } from "../support/bundle.ts";
import { fieldsOf } from "../support/lines.ts";

const feeds: Feed[] = [];
afterAll(() => {
  for (const feed of feeds) feed.close();
});

interface Seen {
  readonly messages: FeedMessage[];
  /** The notes that a page would show. */
  notes(): readonly string[];
}

function feedOf(state: string): Feed {
  const feed = createFeed(state);
  feeds.push(feed);
  return feed;
}

function look(feed: Feed): Seen {
  const messages: FeedMessage[] = [];
  feed.subscribe((message) => messages.push(message));
  return {
    messages,
    notes: () => {
      let notes: string[] = [];
      for (const message of messages) {
        if (message.kind !== "lines") continue;
        if (message.anew) notes = [];
        notes.push(...message.lines.map((line) => String(fieldsOf(line)["message"] ?? line["event"])));
      }
      return notes;
    },
  };
}

const note = (message: string): string =>
  `${JSON.stringify({ time: "2026-01-01T00:00:00Z", event: "note", message })}\n`;

test("what is before a new goal belongs to another loop; who comes later gets the same", async () => {
  const { state } = projectWith();
  const journal = journalOf(state);
  mkdirSync(dirname(journal), { recursive: true });
  writeFileSync(journal, note("old"));
  const feed = feedOf(state);
  const first = look(feed);
  await eventually("the old goal", () => first.notes().includes("old"));
  appendFileSync(journal, `${JSON.stringify({ event: "aligned" })}\n${note("new")}`);
  await eventually("the new goal", () => first.notes().includes("new"));
  expect(first.notes()).toEqual(["aligned", "new"]);
  const second = look(feed);
  expect(second.notes()).toEqual(["aligned", "new"]);
  expect(second.messages.some(({ kind }) => kind === "state")).toBe(true);
});

test("SPEC 8: a folder in the journal's place, which the next run sets aside, ends no watching", async () => {
  const { state } = projectWith();
  const journal = journalOf(state);
  mkdirSync(journal, { recursive: true });
  const seen = look(feedOf(state));
  const heard: string[] = [];
  const over = new AbortController();
  const followed = followLog(state, {}, (line) => heard.push(String(fieldsOf(line)["message"])), {
    signal: over.signal,
  });
  await eventually("the state", () => seen.messages.some(({ kind }) => kind === "state"));
  rmSync(journal, { recursive: true });
  writeFileSync(journal, note("one"));
  await eventually("a line", () => seen.notes().includes("one") && heard.includes("one"));
  rmSync(journal);
  mkdirSync(journal);
  writeFileSync(state, readFileSync(state, "utf8").replace(/iteration: \d+/, "iteration: 7"));
  await eventually("the state as it is now", () =>
    seen.messages.some((message) => message.kind === "change" && message.change.control.iteration === 7),
  );
  over.abort();
  await followed;
  expect([seen.notes(), heard]).toEqual([["one"], ["one"]]);
});

test("FEED-3: nobody watching, nothing is read any more; who watches again learns its state by then", async () => {
  const { state } = projectWith();
  const journal = journalOf(state);
  mkdirSync(dirname(journal), { recursive: true });
  writeFileSync(journal, note("one"));
  const feed = feedOf(state);
  const reported: FeedMessage[] = [];
  const leave = feed.subscribe((message) => reported.push(message));
  await eventually("the state", () => reported.some(({ kind }) => kind === "state"));
  leave();
  const before = reported.length;
  appendFileSync(journal, note("two"));
  const again = look(feed);
  await eventually("both lines", () => again.notes().length === 2);
  expect(reported).toHaveLength(before);
});
