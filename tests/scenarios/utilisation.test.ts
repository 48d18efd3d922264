/** SPEC 5 on a larger scale: 30 atoms, 3 slots, uneven durations. The journal alone has to show that nobody idles. */
import { expect, test } from "vitest";
import type { JournalLine } from "../../src/core/journal.ts";
import { chance } from "../support/bundle.ts";
import { filesExist, setStage, type Act } from "./stage.ts";

const ATOMS = 30;
const SLOTS = 3;

/** Dependencies on up to two earlier atoms, and work of 20 to 250 ms; the same at every run. */
function plan() {
  const next = chance(5);
  return Array.from({ length: ATOMS }, (_, index) => ({
    id: `A${index + 1}`,
    depends_on: [
      ...new Set(
        index < 4 ? [] : Array.from({ length: Math.floor(next() * 3) }, () => `A${1 + Math.floor(next() * index)}`),
      ),
    ],
    ms: Math.round(20 + 230 * next() ** 3),
  }));
}

test("SPEC 5: 30 uneven atoms on 3 slots: no slot idles while an atom is executable", async () => {
  const atoms = plan();
  const script = Object.fromEntries(
    atoms.map(({ id, ms }): [string, readonly Act[]] => [id, [{ nap: ms }, { write: { [`out/${id}`]: id } }]]),
  );
  const stage = setStage({
    atoms: atoms.map(({ id, depends_on }) => ({ id, depends_on })),
    constraints: { max_parallel_agents: SLOTS },
    objective: { base_case: filesExist(...atoms.map(({ id }) => `out/${id}`)) },
    script,
  });
  expect(await stage.run()).toMatchObject({
    exit_code: 0,
    report: { attempts: ATOMS, failures: 0, iteration: ATOMS / SLOTS },
  });
  const { idle, most, busy } = watchSlots(
    stage.journal(),
    new Map(atoms.map(({ id, depends_on }) => [id, depends_on])),
  );
  console.log(`slots busy ${(busy * 100).toFixed(0)} % of the time between the first start and the last success`);
  expect(most).toBe(SLOTS);
  expect(idle).toEqual([]);
}, 120_000);

/** Replays the journal: where a slot was free and an atom ready once all that one event brought about was reported. */
function watchSlots(lines: readonly JournalLine[], dependencies: ReadonlyMap<string, readonly string[]>) {
  const working = new Set<string>();
  const started = new Set<string>();
  const resolved = new Set<string>();
  const idle: string[] = [];
  let most = 0;
  let busyMs = 0;
  let from = 0;
  let last = 0;
  lines.forEach((line, index) => {
    const now = Date.parse(line.time);
    if (from > 0) busyMs += working.size * (now - last);
    last = now;
    if (line.event === "attempt_started") {
      working.add(line.attempt);
      started.add(line.atom);
      if (from === 0) from = now;
    }
    if (line.event === "work_succeeded") working.delete(line.attempt);
    if (line.event === "atom_resolved") resolved.add(line.atom);
    most = Math.max(most, working.size);
    const isSettled = ["work_succeeded", "attempt_integrated", undefined].includes(lines[index + 1]?.event);
    const ready = [...dependencies].filter(([id, on]) => !started.has(id) && on.every((other) => resolved.has(other)));
    if (from > 0 && isSettled && working.size < SLOTS && ready.length > 0)
      idle.push(
        `after ${JSON.stringify(line)}: ${SLOTS - working.size} slots free, ${ready.map(([id]) => id).join(" ")} ready`,
      );
  });
  const succeeded = lines.filter((line) => line.event === "work_succeeded").at(-1);
  return { idle, most, busy: busyMs / (SLOTS * (Date.parse(succeeded?.time ?? "") - from)) };
}
