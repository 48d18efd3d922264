/** How well slots are used: 200 random graphs with uneven durations, worked by `step` on a virtual clock. */
import { createLoop } from "../dist/lib/core/loop.js";
import { step } from "../dist/lib/core/step.js";
import { runStarted, stateWith, VERIFIED } from "./graphs.mjs";
import { chance, median } from "./statistics.mjs";

const AT = "2026-01-01T00:00:00.000Z";
const GRAPHS = 200;

export function makespanRows() {
  const random = chance(7);
  const ours = [];
  const barrier = [];
  for (let graph = 0; graph < GRAPHS; graph++) {
    const { dependencies, durations, slots } = randomWork(random);
    const bound = Math.max(criticalPath(dependencies, durations), durations.reduce((a, b) => a + b, 0) / slots);
    ours.push(makespan(dependencies, durations, slots) / bound);
    barrier.push(barrierMakespan(dependencies, durations, slots) / bound);
  }
  return [
    {
      what: "makespan against max(critical path, work / slots), median of 200 graphs",
      figure: median(ours),
      unit: "x",
      most: 1.1,
      note: `worst ${Math.max(...ours).toFixed(2)}x`,
    },
    {
      what: "the same with a barrier after each batch (simulated)",
      figure: median(barrier),
      unit: "x",
      note: `worst ${Math.max(...barrier).toFixed(2)}x`,
    },
  ];
}

/** 20 to 200 atoms, two dependencies each on average, durations over two orders of magnitude, 2 to 8 slots. */
function randomWork(random) {
  const count = 20 + Math.floor(random() * 181);
  const dependencies = Array.from({ length: count }, (_, index) => {
    const wanted = index === 0 ? 0 : Math.floor(random() * 5);
    return [...new Set(Array.from({ length: wanted }, () => Math.floor(random() * index)))];
  });
  const durations = Array.from({ length: count }, () => 10 ** (2 * random()));
  return { dependencies, durations, slots: 2 + Math.floor(random() * 7) };
}

/** Atoms depend on earlier ones only. */
function criticalPath(dependencies, durations) {
  const ends = [];
  dependencies.forEach((list, index) => {
    ends.push(Math.max(0, ...list.map((other) => ends[other])) + durations[index]);
  });
  return Math.max(...ends);
}

function makespan(dependencies, durations, slots) {
  let now = 0;
  let { loop, effects } = step(createLoop(stateWith(dependencies, slots)), runStarted(AT, slots));
  let working = [];
  const take = () => {
    for (let next = 0; next < effects.length; next++) {
      const effect = effects[next];
      if (effect.type === "start_attempt")
        working.push({ id: effect.attempt.id, until: now + durations[Number(effect.attempt.atom.slice(1)) - 1] });
      const event =
        effect.type === "integrate"
          ? { type: "attempt_integrated", at: AT, attempt: effect.attempt.id, commit: null, artifacts: [] }
          : effect.type === "check_base_case"
            ? { type: "base_case_checked", at: AT, verdict: VERIFIED, commit: null }
            : null;
      if (event === null) continue;
      const stepped = step(loop, event);
      loop = stepped.loop;
      effects = [...effects, ...stepped.effects];
    }
  };
  take();
  while (working.length > 0) {
    const first = working.reduce((a, b) => (b.until < a.until ? b : a));
    working = working.filter((one) => one !== first);
    now = first.until;
    ({ loop, effects } = step(loop, { type: "work_succeeded", at: AT, attempt: first.id, summary: "", artifacts: [] }));
    take();
  }
  if (loop.run.halted !== "verified") throw new Error(`halted as ${loop.run.halted}`);
  return now;
}

/** Batches of at most `slots` ready atoms, each as long as its slowest. */
function barrierMakespan(dependencies, durations, slots) {
  const done = new Set();
  let now = 0;
  while (done.size < dependencies.length) {
    const ready = dependencies.flatMap((list, index) =>
      !done.has(index) && list.every((other) => done.has(other)) ? [index] : [],
    );
    const batch = ready.slice(0, slots);
    now += Math.max(...batch.map((index) => durations[index]));
    for (const index of batch) done.add(index);
  }
  return now;
}
