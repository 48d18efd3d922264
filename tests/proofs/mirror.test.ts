/** What the explorer says again of the product, because it is there among reading and writing, is what is there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { decodeLines } from "../../src/core/decode-line.ts";
import { enter } from "../../src/project/run-entry.ts";
import { createRecall } from "../../src/core/journal.ts";
import { INITIAL_CONTROL, type Control, type State } from "../../src/core/state.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { entranceOf } from "../../proofs/take.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";

const SKETCH = stateOf({ atoms: [{ id: "A1" }] });
const CONTROLS: readonly Partial<Control>[] = [
  { status: "pending" },
  { status: "running", iteration: 2, prev_pending_count: 1 },
  { status: "stopped", iteration: 2, outcome: "stalled", stop_reason: "no progress", stall_count: 3 },
  { status: "completed", iteration: 1, outcome: "verified" },
];
const started = { time: "2026-01-01T00:00:00.000Z", run: "r1", iteration: 2, event: "run_started" };
const JOURNALS: readonly (readonly object[])[] = [
  [],
  [started, { ...started, iteration: 3, event: "iteration_opened" }],
  [started, { ...started, event: "run_ended" }],
];

test("SPEC 8: a run begins from where project/run-entry.ts says, for every status and every end of the last run", async () => {
  for (const control of CONTROLS)
    for (const journal of JOURNALS) {
      const state: State = { ...SKETCH, control: { ...INITIAL_CONTROL, ...control } };
      const file = join(temporaryFolder(), ".claude", "aot-loop-state.md");
      const paths = loopPaths(file);
      mkdirSync(dirname(paths.journal), { recursive: true });
      writeFileSync(file, createStateText(state, "Do it."));
      writeFileSync(paths.journal, journal.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const entered = await enter({ stateFile: file, restart: false });
      const recall = createRecall();
      for (const line of decodeLines(journal)) recall.read(line);
      const entrance = entranceOf(state, recall.now());
      const what = [control.status, journal.length];
      if (!entered.ok) expect([...what, entrance.refused]).toEqual([...what, true]);
      else
        expect([...what, false, entrance.from, entrance.state.control]).toEqual([
          ...what,
          entrance.refused,
          entered.from,
          { ...entered.state.control, outcome: entrance.state.control.outcome },
        ]);
    }
});
