/**
 * A loop and the world around it, as much of it as decides what happens next: agents running, the integration branch,
 * the journal, the state file. The loop itself is the real one (`src/core/`); the world is as small as it can be.
 */
import type { Attempt, Effect } from "../src/core/effect.ts";
import type { AdoptedWork, Revert } from "../src/core/event.ts";
import type { JournalLine } from "../src/core/journal-line.ts";
import { createRecall, type Recollection } from "../src/core/journal.ts";
import { createLoop, type Loop } from "../src/core/loop.ts";
import type { Constraints, State } from "../src/core/state.ts";
import type { Passed } from "../src/core/verdict.ts";
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
  /** Leaves of the base case; absent: one. */
  readonly leaves?: number;
}

/** `up`: a run is active. `halted`: it halted and has not said so yet. `ended`: nobody works it. `down`: it was killed. */
export type Phase = "up" | "halted" | "ended" | "down";

/** The journal, newest line first. */
export interface Journal {
  readonly line: JournalLine;
  readonly before: Journal | null;
}

/** What the base case was checked on, and what came of it. */
export interface Checked {
  readonly passed: Passed;
  /** What the branch held then. */
  readonly tip: string;
  /** The goal that was checked. */
  readonly goal: string;
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

export interface World {
  readonly phase: Phase;
  /** Setting of every run. */
  readonly verify_each: boolean;
  readonly loop: Loop;
  /** Agents running: attempts whose end was not reported yet. */
  readonly agents: readonly Attempt[];
  /** What the workspace has still to do, in order (one at a time). */
  readonly queue: readonly Extract<Effect, { type: "integrate" | "revert" }>[];
  /** What a check that is running looks at; null: none is. */
  readonly checking: string | null;
  /** The goal that it was asked to check. */
  readonly checkedGoal: string;
  /** Whether a planner is running. */
  readonly planning: boolean;
  /** The atom about which one is asked; null: none. */
  readonly asking: string | null;
  /** Setting of every run. */
  readonly planner: boolean;
  /** Work in the integration branch. */
  readonly branch: readonly AdoptedWork[];
  /** Every time that work was taken out of it, oldest first. */
  readonly reverts: readonly Revert[];
  readonly checked: Checked | null;
  /** Whatever each leaf answered in any run, by what the branch held then: its item, and + or -. */
  readonly answered: ReadonlyMap<string, ReadonlySet<string>>;
  /** The state file. */
  readonly file: State;
  /** Whether the file holds a state that it need not hold yet. */
  readonly flushed: boolean;
  readonly journal: Journal | null;
  readonly hazards: Hazards;
  /** Iterations and attempts as they were paid for, through every crash. */
  readonly paid: { readonly iteration: number; readonly attempts: number };
  /** Runs so far. No part of the key. */
  readonly runs: number;
  /** Iterations that wait to be judged, by number. No part of the key: the loop's own account of them is. */
  readonly opened: ReadonlyMap<number, Opened>;
  /** Attempts ever started, by atom. No part of the key. */
  readonly started: ReadonlyMap<string, number>;
}

export function worldOf(scene: Scene): World {
  const state = stateOfShape(scene.shape, scene.constraints, scene.leaves);
  return {
    phase: "down",
    verify_each: scene.verify_each,
    loop: createLoop(state),
    agents: [],
    queue: [],
    checking: null,
    checkedGoal: "",
    planning: false,
    asking: null,
    planner: scene.planner === true,
    branch: [],
    reverts: [],
    checked: null,
    answered: new Map(),
    file: state,
    flushed: false,
    journal: null,
    hazards: scene.hazards,
    paid: { iteration: 0, attempts: 0 },
    runs: 0,
    opened: new Map(),
    started: new Map(),
  };
}

const recalled = new WeakMap<Journal, Recollection>();

/** What the journal tells the next run. */
export function recall(journal: Journal | null): Recollection {
  const known = journal === null ? undefined : recalled.get(journal);
  if (known !== undefined) return known;
  const lines: JournalLine[] = [];
  for (let here = journal; here !== null; here = here.before) lines.push(here.line);
  const fold = createRecall();
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index];
    if (line !== undefined) fold.read(line);
  }
  const answer = fold.now();
  if (journal !== null) recalled.set(journal, answer);
  return answer;
}

/** Whether the check answered both ways on what the branch holds now. */
export function isFlakyHere({ answered, branch }: World): boolean {
  const answers = answered.get(tipOf(branch)) ?? new Set();
  return [...answers].some((answer) => answer.endsWith("+") && answers.has(answer.replace("+", "-")));
}

/** What the integration branch holds, in letters. */
export function tipOf(branch: readonly AdoptedWork[]): string {
  return branch.map((work) => work.attempt).join(" ");
}

/** What the next revert's commit is called. */
export function nextRevert({ reverts }: World): string {
  return `v${reverts.length + 1}`;
}
