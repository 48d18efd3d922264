/** One thread of the exploration: takes a part of a sweep, answers what it found there. */
import { parentPort } from "node:worker_threads";
import { explore, type Counterexample, type Exploration } from "./explore.ts";
import { HUNTS } from "./hunts.ts";
import { MUTATIONS, type Hunt } from "./mutations.ts";
import { describe } from "./replay.ts";
import { ALL_RULES } from "./rules/table.ts";
import { SWEEPS } from "./sweeps.ts";
import type { Scene } from "./world.ts";

/** What is asked of a worker. */
type Job =
  | { readonly kind: "plan"; readonly deep: boolean }
  /** Scenes `from` to `to` of a sweep. */
  | { readonly kind: "explore"; readonly sweep: string; readonly from: number; readonly to: number }
  | { readonly kind: "scene"; readonly scene: Scene }
  /** The table of planted bugs, and the families in which they are hunted. */
  | { readonly kind: "mutations" }
  /** The first breach in a family of small loops; with a rule: nothing else counts. */
  | { readonly kind: "hunt"; readonly rule?: string; readonly hunt: Hunt };

export interface Part {
  readonly loops: number;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** Worlds of the largest loop. */
  readonly largest: number;
  readonly checked: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly counterexample: (Counterexample & { readonly text: string }) | null;
}

const MOST_WORLDS = 4_000_000;
const scenes = new Map<string, readonly Scene[]>();

function scenesOf(sweep: string): readonly Scene[] {
  let known = scenes.get(sweep);
  if (known === undefined) {
    known = SWEEPS.find((one) => one.id === sweep)?.scenes() ?? [];
    scenes.clear();
    scenes.set(sweep, known);
  }
  return known;
}

function answerTo(job: Job): unknown {
  switch (job.kind) {
    case "plan":
      return {
        rules: ALL_RULES.map(({ id, says, source }) => ({ id, says, source })),
        sweeps: SWEEPS.filter((sweep) => job.deep || sweep.deep !== true).map((sweep) => ({
          id: sweep.id,
          says: sweep.says,
          loops: sweep.scenes().length,
        })),
      };
    case "explore":
      return partOf(scenesOf(job.sweep).slice(job.from, job.to));
    case "scene":
      return partOf([job.scene]);
    case "hunt":
      return partOf(HUNTS[job.hunt](), job.rule);
    case "mutations":
      return { mutations: MUTATIONS, hunts: Object.keys(HUNTS) };
  }
}

/** Explores the loops one after another, until one breaks a rule. */
function partOf(scenes: readonly Scene[], only?: string): Part {
  const checked: Record<string, number> = {};
  const outcomes: Record<string, number> = {};
  let [loops, states, transitions, depth, largest] = [0, 0, 0, 0, 0];
  let counterexample: Exploration["counterexample"] = null;
  for (const scene of scenes) {
    const found = explore(scene, { most_worlds: MOST_WORLDS, ...(only === undefined ? {} : { only }) });
    loops++;
    states += found.states;
    transitions += found.transitions;
    depth = Math.max(depth, found.depth);
    largest = Math.max(largest, found.states);
    for (const [rule, times] of Object.entries(found.checked)) checked[rule] = (checked[rule] ?? 0) + times;
    for (const [outcome, times] of Object.entries(found.outcomes)) outcomes[outcome] = (outcomes[outcome] ?? 0) + times;
    ({ counterexample } = found);
    if (counterexample !== null) break;
  }
  const reported = counterexample === null ? null : { ...counterexample, text: describe(counterexample) };
  return { loops, states, transitions, depth, largest, checked, outcomes, counterexample: reported };
}

parentPort?.on("message", (job: Job) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(answerTo(job));
});
