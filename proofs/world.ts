/**
 * A world to explore: the one of `world/`, what may still happen in it that no loop asks for, and accounts of what did,
 * kept through every crash for the rules to compare with.
 */
import type { Constraints } from "../src/core/state.ts";
import { tipOf, worldAround, type World as Outside } from "../world/world.ts";
import { stateOfShape, type Shape } from "./shape.ts";

/** How often each thing may happen that no loop asks for. Part of the state: what is spent does not come back. */
export interface Hazards {
  /** The process dies. */
  readonly crashes: number;
  /** A person stops the loop. */
  readonly stops: number;
  /** A person changes its course, running or halted. */
  readonly redirects: number;
  /** A person runs a halted loop again. */
  readonly resumes: number;
  /** A worker splits its atom in two; a planner adds two atoms. */
  readonly growths: number;
  /** A revert takes other work with it. */
  readonly losses: number;
}

/** One loop to explore. */
export interface Scene {
  readonly shape: Shape;
  readonly constraints: Constraints;
  readonly verify_each: boolean;
  readonly hazards: Hazards;
  /** There is a planner, who is asked about atoms that are to blame. */
  readonly planner?: true;
  /** Leaves of the base case; absent: one. `judged`: one that a person confirms or rejects. */
  readonly leaves?: number | "judged";
  /** The chance of a verdict by luck that is accepted; absent: checks are run once. */
  readonly trust?: number;
  /** Workers name the file that they made, and a check that fails may name files. */
  readonly files?: true;
}

/** An iteration that was opened and not judged, as the journal tells it. */
export interface Opened {
  /** `M` as it was judged last before, -1: never, and the lowest ever; moved along by redirects and credited work. */
  readonly before: number;
  readonly low: number;
  /** The fewest failing leaves of any verdict before; null: none. */
  readonly failing: number | null;
  readonly credited: boolean;
  readonly attempts: readonly string[];
  /** Those of them that a redirect ended. */
  readonly interrupted: readonly string[];
}

export interface World extends Outside {
  /** Settings of every run. */
  readonly verify_each: boolean;
  readonly planner: boolean;
  readonly files: boolean;
  readonly trust: number;
  /** Whatever each leaf answered in any run, by what the branch held then: its item, + or -, and behind it which time. */
  readonly answered: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hazards: Hazards;
  /** Iterations and attempts as they were paid for, through every crash. */
  readonly paid: { readonly iteration: number; readonly attempts: number };
  /** Iterations that wait to be judged, by number. No part of the key: the loop's own account of them is. */
  readonly opened: ReadonlyMap<number, Opened>;
  /** What the branch held when a person last confirmed the assertion; null: nobody did. */
  readonly confirmedOn: string | null;
  /** Attempts ever started, by atom, and those of them that failed. No part of the key: what the loop remembers is. */
  readonly started: ReadonlyMap<string, number>;
  readonly failed: ReadonlyMap<string, number>;
}

export function worldOf(scene: Scene): World {
  return {
    ...worldAround(stateOfShape(scene.shape, scene.constraints, scene.leaves)),
    verify_each: scene.verify_each,
    planner: scene.planner === true,
    files: scene.files === true,
    trust: scene.trust ?? 0,
    answered: new Map(),
    hazards: scene.hazards,
    paid: { iteration: 0, attempts: 0 },
    opened: new Map(),
    confirmedOn: null,
    started: new Map(),
    failed: new Map(),
  };
}

/** Whether the check answered both ways on what the branch holds now. */
export function isFlakyHere({ answered, branch }: World): boolean {
  const answers = answered.get(tipOf(branch)) ?? new Set();
  return isFlaky(answers);
}

function isFlaky(answers: ReadonlySet<string>): boolean {
  return [...answers].some((answer) => answer.endsWith("+1") && answers.has(answer.replace("+", "-")));
}

/** The one check passed on what the branch holds now, and too seldom for one that was red first, or flaky elsewhere. */
export function isDoubted({ answered, branch, trust }: World): boolean {
  const trees = [...answered.values()];
  const passes = (answers: ReadonlySet<string>): number => [...answers].filter((one) => one.includes("+")).length;
  const wasted = trees.reduce((all, answers) => all + (isFlaky(answers) ? passes(answers) : 0), 0);
  const isGreen = [...(trees[0] ?? [])][0]?.includes("+") === true;
  const here = answered.get(tipOf(branch));
  if (trust === 0 || here === undefined || passes(here) === 0) return false;
  const wasRed = trees.some((answers) => passes(answers) === 0 && answers.size >= RED_AGAIN);
  if (wasted > 0 && !isGreen && !wasRed) return true;
  return passes(here) < (isGreen && wasted === 0 ? 1 : PASSES + FOR_EACH_WASTED * wasted);
}

/** What is wanted at a trust of a half, and of a check that was flaky at any. */
export const PASSES = 2;
export const FOR_EACH_WASTED = 4;
export const RED_AGAIN = 4;

/** The check was flaky, on whatever tree. */
export function wasFlaky({ answered }: World): boolean {
  return [...answered.values()].some(isFlaky);
}
