/** SPEC 10 and 13: what a page gets of an engine's loops, by an engine that a test moves. */
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { EngineUnreachable } from "../../src/engines/adapters/engine-unreachable.ts";
import { createEngineHandler, type EngineHandler } from "../../src/engines/dashboard-engine.ts";
import { createHostedFeed } from "../../src/engines/dashboard-hosted.ts";
import type { FeedMessage } from "../../src/dashboard/messages.ts";
import type { EngineMessage } from "../../src/engines/messages.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import { vecOf, toArray } from "../../src/core/vec.ts";
import type { Engine, LoopView } from "../../src/loop/engine.ts";
import { eventually } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";
import { fieldsOf } from "../support/lines.ts";

interface Bench {
  readonly engine: Engine;
  readonly lines: JournalLine[];
  /** Journal numbers that were asked for. */
  readonly asked: number[];
  view: LoopView | null;
  away: boolean;
}

const note = (message: string): JournalLine => ({
  time: "2026-01-01T00:00:00.000Z",
  run: "r1",
  iteration: 1,
  event: "note",
  message,
});

function benchOf(): Bench {
  const state = stateOf({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] });
  const running = { ...state, control: { ...state.control, status: "running" as const } };
  const working = [{ task: "A1.1", worker: "w1", runs: 1 }];
  const lines = [note("one"), note("two")];
  const bench: Bench = {
    lines,
    asked: [],
    away: false,
    view: {
      loop: "a b/c",
      engine: "restate://e:1",
      state: running,
      attempts: 1,
      cost_usd: 0,
      working,
      reruns: 0,
      refused: [],
      lines: 2,
    },
    engine: {
      name: "restate://e:1",
      start: () => Promise.reject(new Error("not asked for")),
      signal: () => Promise.reject(new Error("not asked for")),
      view: async () => {
        if (bench.away) throw new EngineUnreachable("the engine at e does not answer", "start it");
        return bench.view === null ? null : { ...bench.view, lines: lines.length };
      },
      loops: async () => {
        if (bench.away) throw new EngineUnreachable("the engine at e does not answer", "start it");
        return bench.view === null ? [] : [bench.view.loop];
      },
      journal: async (_, from) => {
        bench.asked.push(from);
        // A part at a time, as an engine gives it.
        return lines.slice(from, from + 1);
      },
      close: async () => {},
    },
  };
  return bench;
}

function handlerOf(bench: Bench): EngineHandler {
  const handler = createEngineHandler(bench.engine);
  onTestFinished(() => handler.close());
  return handler;
}

const notesIn = (messages: readonly FeedMessage[]): readonly unknown[] =>
  messages.flatMap((message) =>
    message.kind === "lines" ? message.lines.map((line) => fieldsOf(line)["message"]) : [],
  );

test("SPEC 13: the page gets all loops, and opens one by the key that it was given; no other key opens anything", async () => {
  const bench = benchOf();
  const handler = handlerOf(bench);
  expect(handler.entry).toMatchObject({ kind: "engine", name: "e:1", file: "restate://e:1" });
  const reported: EngineMessage[] = [];
  const stop = handler.subscribe((message) => reported.push(message));
  await eventually("the loops", () => reported.at(-1)?.loops.length === 1);
  const [row] = reported.at(-1)?.loops ?? [];
  expect(row).toMatchObject({
    loop: "a b/c",
    status: "running",
    unresolved: 2,
    working: [{ task: "A1.1", worker: "w1" }],
  });
  expect(handler.find(row?.key ?? "")).toMatchObject({
    kind: "atoms",
    name: "a b/c",
    owner: { engine: "restate://e:1", loop: "a b/c" },
  });
  for (const key of ["", handler.entry.key, `${handler.entry.key}.`, `${row?.key}=`, `x.${row?.key}`])
    expect(handler.find(key)).toBeNull();
  fc.assert(fc.property(fc.string(), (key) => handler.find(key) === null));
  stop();
});

test("SPEC 10: an opened loop is reported as it is, then what changes; each line of its journal is asked for and reported once", async () => {
  const bench = benchOf();
  const feed = createHostedFeed(bench.engine, "a b/c");
  onTestFinished(() => feed.close());
  const reported: FeedMessage[] = [];
  const stop = feed.subscribe((message) => reported.push(message));
  await eventually("two lines", () => notesIn(reported).length === 2);
  expect(reported.find(({ kind }) => kind === "state")).toBeDefined();
  const { view } = bench;
  if (view === null) throw new Error("no view");
  const atoms = toArray(view.state.atoms).map((atom) =>
    atom.id === "A1" ? { ...atom, status: "resolved" as const } : atom,
  );
  bench.lines.push(note("three"));
  bench.view = {
    ...view,
    state: { ...view.state, atoms: vecOf(atoms) },
    working: [{ task: "A2.1", worker: null, runs: 0 }],
  };
  await eventually("a third line", () => notesIn(reported).length === 3);
  const change = reported.find((message) => message.kind === "change");
  expect(change).toMatchObject({ change: { atoms: [{ at: 0, status: "resolved" }] } });
  expect(reported.findLast(({ kind }) => kind === "hosted")).toMatchObject({
    working: [{ task: "A2.1", worker: null }],
    away: null,
  });
  expect(notesIn(reported)).toEqual(["one", "two", "three"]);
  expect(bench.asked).toEqual([0, 1, 2]);
  // Who comes later gets all of it, without another question.
  const later: FeedMessage[] = [];
  const end = feed.subscribe((message) => later.push(message));
  expect(notesIn(later)).toEqual(["one", "two", "three"]);
  expect(later.some(({ kind }) => kind === "state")).toBe(true);
  expect(bench.asked).toHaveLength(3);
  end();
  stop();
});

test("SPEC 10: an engine that goes away is said to be away; what was known stays, and it is taken up again (H2)", async () => {
  const bench = benchOf();
  const feed = createHostedFeed(bench.engine, "a b/c");
  onTestFinished(() => feed.close());
  const reported: FeedMessage[] = [];
  feed.subscribe((message) => reported.push(message));
  await eventually("two lines", () => notesIn(reported).length === 2);
  bench.away = true;
  const hosted = (): unknown => reported.findLast(({ kind }) => kind === "hosted");
  await eventually("away", () => JSON.stringify(hosted()).includes("does not answer"));
  bench.away = false;
  bench.lines.push(note("meanwhile"));
  await eventually("back", () => notesIn(reported).includes("meanwhile"));
  expect(hosted()).toMatchObject({ away: null, working: [{ task: "A1.1" }] });
  expect(notesIn(reported)).toEqual(["one", "two", "meanwhile"]);
  bench.view = null;
  await eventually("gone", () => reported.at(-1)?.kind === "problem");
  expect(reported.at(-1)).toEqual({ kind: "problem", message: "restate://e:1 has no loop a b/c" });
});

test("SPEC 10: an engine that goes away in the middle of an answer costs nothing of what it had said", async () => {
  const bench = benchOf();
  const { engine } = bench;
  let answers = 0;
  const journal: Engine["journal"] = async (loop, from) => {
    if (++answers === 2) throw new EngineUnreachable("the engine at e does not answer", "start it");
    return await engine.journal(loop, from);
  };
  const feed = createHostedFeed({ ...engine, journal }, "a b/c");
  onTestFinished(() => feed.close());
  const reported: FeedMessage[] = [];
  feed.subscribe((message) => reported.push(message));
  await eventually("two lines", () => notesIn(reported).length >= 2);
  expect(notesIn(reported)).toEqual(["one", "two"]);
  expect(reported.filter(({ kind }) => kind === "state")).toHaveLength(1);
  expect(reported.some((message) => message.kind === "hosted" && message.away !== null)).toBe(true);
});
