/** Watching a hosted run: whom it asks, and what for (SPEC section 13). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { followEngine } from "../../src/engines/follow.ts";
import { followHosted } from "../../src/engines/run-hosted.ts";
import { showLog, type LoopLog } from "../../src/history/loop-log.ts";
import type { AnyLine, JournalLine } from "../../src/core/journal-line.ts";
import type { State } from "../../src/core/state.ts";
import type { Engine, LoopView } from "../../src/loop/engine.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { SILENT, viewOf } from "../support/engines/silent-engine.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { NOW, stateOf } from "../support/loops.ts";

const NOTE = { time: NOW, run: "r", iteration: 7, event: "note" } as const;
const STOPPED: Partial<State["control"]> = { status: "stopped", outcome: "stop_requested", iteration: 7 };

function viewed(): LoopView {
  const { state } = viewOf();
  return viewOf({ engine: "", state: { ...state, control: { ...state.control, ...STOPPED } } });
}

/** A state file whose loop that engine has. */
function ownedBy(engine: string): string {
  const file = join(tempFolder(), "state.md");
  const state = stateOf({ atoms: [{ id: "A1" }] });
  writeFileSync(file, createStateText({ ...state, control: { ...state.control, engine: `${engine}/x` } }, "Do it."));
  return file;
}

test("SPEC 13: a run that is looked at asks the engine that it was handed to, whatever the environment names", async () => {
  const stateFile = ownedBy("own://engine");
  const line: JournalLine = { ...NOTE, message: "hello" };
  const engine: Engine = {
    ...SILENT,
    view: () => Promise.resolve(viewed()),
    journal: (_, from) => Promise.resolve(from === 0 ? [line] : []),
  };
  const run = { owner: { engine: engine.name, loop: "x" }, place: "there", message: "", from: 0 };
  const seen: JournalLine[] = [];
  const watch = { line: (one: JournalLine): void => void seen.push(one) };
  const end = await followHosted({ engine, stateFile }, run, watch, { signal: new AbortController().signal });
  expect(end).toMatchObject({ ok: true, exit_code: 10, report: { outcome: "stop_requested", notes: ["hello"] } });
  expect(seen).toEqual([line]);
  expect(readFileSync(stateFile, "utf8")).toMatch(/iteration: 7[^]*engine: "?own:\/\/engine\/x/);
});

test("SPEC 13: of a log that is followed each line is asked for once: what there is already comes first, whole", async () => {
  const lines = ["one", "two", "three"].map((message): JournalLine => ({ ...NOTE, message }));
  let served = 0;
  const engine: Engine = {
    ...SILENT,
    view: () => Promise.resolve({ ...viewed(), lines: lines.length }),
    journal: (_, from) => {
      const part = lines.slice(from);
      served += part.length;
      return Promise.resolve(part);
    },
  };
  const shown: unknown[] = [];
  const view = { each: (line: AnyLine): void => void shown.push(line), before: (log: LoopLog) => shown.push(log) };
  await showLog(followEngine(engine, "x", { signal: new AbortController().signal }), {}, view);
  expect(shown).toEqual([{ lines, skipped: 0 }]);
  expect(served).toBe(3);
});
