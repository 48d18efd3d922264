/**
 * What is explored: each sweep is a family of loops with its bounds, and within them nothing is left out. A history
 * holds at most the hazards that its sweep names, in any order and at any point.
 */
import type { Constraints } from "../src/core/state.ts";
import { shapesOf, withProbes, withTouches, type Shape, type ShapeBounds } from "./shape.ts";
import type { Hazards, Scene } from "./world.ts";

export interface Sweep {
  readonly id: string;
  /** The bounds, in words. */
  readonly says: string;
  /** Only with `--deep`. */
  readonly deep?: true;
  scenes(): readonly Scene[];
}

export const CALM: Hazards = { crashes: 0, stops: 0, redirects: 0, resumes: 0, growths: 0, losses: 0 };
const ONE_TO_THREE = [1, 2, 3];

interface Family {
  readonly shapes: readonly Shape[];
  readonly limits: readonly Limits[];
  readonly hazards?: Partial<Hazards>;
  readonly verify_each?: boolean;
  readonly max_attempts_per_atom?: number;
  readonly leaves?: Scene["leaves"];
  readonly planner?: true;
  readonly trust?: number;
  readonly files?: true;
}

/** max_iterations, max_parallel_agents, max_stall_count. */
type Limits = readonly [number, number, number];

const EVERY_LIMIT: readonly Limits[] = ONE_TO_THREE.flatMap((iterations) =>
  ONE_TO_THREE.flatMap((parallel) => ONE_TO_THREE.map((stalls): Limits => [iterations, parallel, stalls])),
);

export function scenesOf({
  shapes,
  limits,
  hazards,
  verify_each = false,
  max_attempts_per_atom,
  leaves = 1,
  planner,
  trust,
  files,
}: Family): readonly Scene[] {
  const most = max_attempts_per_atom === undefined ? {} : { max_attempts_per_atom };
  return limits.flatMap(([max_iterations, max_parallel_agents, max_stall_count]) => {
    const constraints: Constraints = { max_iterations, max_parallel_agents, max_stall_count, ...most };
    return shapes.map((shape): Scene => ({
      shape,
      constraints,
      verify_each,
      hazards: { ...CALM, ...hazards },
      ...(leaves === 1 ? {} : { leaves }),
      ...(planner === undefined ? {} : { planner }),
      ...(trust === undefined ? {} : { trust }),
      ...(files === undefined ? {} : { files }),
    }));
  });
}

/** All shapes of 1 to `most` atoms. */
export function upTo(most: number, but: Partial<ShapeBounds> = {}): readonly Shape[] {
  return Array.from({ length: most }, (_, index) =>
    shapesOf({ groups: true, splits: true, races: true, ...but, atoms: index + 1 }),
  ).flat();
}

/** Shapes in which a choice is decomposed into two atoms or more: something is below it that can be taken out. */
export function withSplitChoice(atoms: number): readonly Shape[] {
  return shapesOf({ groups: true, splits: true, races: true, atoms }).filter(
    ({ choices = [], split }) =>
      split !== undefined && split.children.length > 1 && choices.length > 1 && choices.includes(split.parent),
  );
}

export const SWEEPS: readonly Sweep[] = [
  {
    id: "limits",
    says: "every graph of up to 2 atoms and every plain one of 3, each limit from 1 to 3",
    scenes: () => [
      ...scenesOf({ shapes: upTo(2), limits: EVERY_LIMIT }),
      ...scenesOf({ shapes: upTo(3, { groups: false, splits: false }), limits: EVERY_LIMIT }),
    ],
  },
  {
    id: "three",
    says: "every graph of 3 atoms, 2 iterations, 1 to 2 slots, 2 stalls; and 3 iterations, 1 slot, 1 stall",
    scenes: () =>
      scenesOf({
        shapes: upTo(3),
        limits: [
          [2, 1, 2],
          [2, 2, 2],
          [3, 1, 1],
        ],
      }),
  },
  {
    id: "four",
    says: "every graph of 4 atoms, one iteration of 3 slots; those without both an OR group and a decomposition also with 2 iterations of 2 slots",
    scenes: () => [
      ...scenesOf({ shapes: upTo(4), limits: [[1, 3, 1]] }),
      ...scenesOf({
        shapes: [...upTo(4, { groups: false }), ...upTo(4, { splits: false, races: false })],
        limits: [[2, 2, 1]],
      }),
    ],
  },
  {
    id: "crash",
    says: "every graph of up to 3 atoms, 2 iterations of 1 slot or 2, 2 stalls, one crash at every point",
    scenes: () =>
      scenesOf({
        shapes: upTo(3),
        limits: [
          [2, 1, 2],
          [2, 2, 2],
        ],
        hazards: { crashes: 1 },
      }),
  },
  {
    id: "crashes",
    says: "every graph of up to 2 atoms, 2 iterations of 2 slots, two crashes, one stop, one resume after a halt",
    scenes: () => [
      ...scenesOf({ shapes: upTo(2), limits: [[2, 2, 2]], hazards: { crashes: 2 } }),
      ...scenesOf({ shapes: upTo(2), limits: [[2, 2, 1]], hazards: { crashes: 1, stops: 1, resumes: 1 } }),
    ],
  },
  {
    id: "stop",
    says: "every graph of up to 3 atoms, 2 iterations of 2 slots, 1 stall, one stop at every point and one resume",
    scenes: () => scenesOf({ shapes: upTo(3), limits: [[2, 2, 1]], hazards: { stops: 1, resumes: 1 } }),
  },
  {
    id: "redirect",
    says: "every graph of up to 2 atoms, 2 iterations of 1 or 2 slots, one redirect of each kind at every point, at work and halted, with a resume or a crash, two redirects where nothing is decomposed; every graph of 3 atoms, one iteration of 2 slots, one redirect",
    scenes: () => [
      ...scenesOf({ shapes: upTo(2), limits: [[2, 2, 2]], hazards: { redirects: 1, resumes: 1 } }),
      ...scenesOf({
        shapes: upTo(2),
        limits: [
          [2, 1, 2],
          [1, 2, 1],
        ],
        hazards: { redirects: 1, crashes: 1 },
      }),
      ...scenesOf({ shapes: upTo(2, { splits: false }), limits: [[1, 2, 1]], hazards: { redirects: 2 } }),
      ...scenesOf({ shapes: upTo(3), limits: [[1, 2, 1]], hazards: { redirects: 1 } }),
    ],
  },
  {
    id: "growth",
    says: "every graph of up to 2 atoms, 3 iterations of 2 slots, one split or one plan of two atoms; of 3 atoms with 2 iterations of 1 slot",
    scenes: () => [
      ...scenesOf({ shapes: upTo(2), limits: [[3, 2, 2]], hazards: { growths: 1 } }),
      ...scenesOf({ shapes: upTo(3), limits: [[2, 1, 1]], hazards: { growths: 1 } }),
      ...scenesOf({ shapes: upTo(2), limits: [[2, 2, 2]], hazards: { growths: 1, crashes: 1 } }),
    ],
  },
  {
    id: "loss",
    says: "every graph of 3 atoms with an OR group, 3 iterations of 1 slot, at most one attempt per atom or as many as there are, one revert that takes other work with it; one crash with 2 iterations of 2 slots",
    scenes: () => {
      const shapes = upTo(3).filter((shape) => shape.choices !== undefined);
      return [
        ...scenesOf({ shapes, limits: [[3, 1, 3]], hazards: { losses: 1 } }),
        ...scenesOf({ shapes, limits: [[3, 1, 3]], hazards: { losses: 1 }, max_attempts_per_atom: 1 }),
        ...scenesOf({ shapes: upTo(2), limits: [[2, 2, 2]], hazards: { losses: 1, crashes: 1, redirects: 1 } }),
      ];
    },
  },
  {
    id: "undo",
    says: "every graph of 4 atoms of which a choice is decomposed into two, at most one attempt per atom: 3 iterations of 1 slot with one crash, 2 slots with one loss",
    scenes: () => {
      const shapes = withSplitChoice(4);
      return [
        ...scenesOf({ shapes, limits: [[3, 1, 3]], hazards: { crashes: 1 }, max_attempts_per_atom: 1 }),
        ...scenesOf({ shapes, limits: [[2, 2, 2]], hazards: { losses: 1 }, max_attempts_per_atom: 1 }),
      ];
    },
  },
  {
    id: "each",
    says: "every graph of up to 3 atoms, verified after each of 2 iterations of 1 slot; of 2 atoms with a crash and a stop",
    scenes: () => [
      ...scenesOf({ shapes: upTo(3), limits: [[2, 1, 2]], verify_each: true }),
      ...scenesOf({ shapes: upTo(2), limits: [[2, 2, 2]], verify_each: true, hazards: { crashes: 1, stops: 1 } }),
    ],
  },
  {
    id: "leaves",
    says: "every graph of up to 2 atoms and a base case of 2 leaves of which none, one or both pass: 4 iterations of 1 slot or 3 of 2, 1 to 2 stalls, one plan or split, verified after each iteration or at the end; one crash with 3 iterations",
    scenes: () => [
      ...scenesOf({
        shapes: upTo(2),
        limits: [
          [4, 1, 1],
          [3, 2, 2],
        ],
        hazards: { growths: 1 },
        leaves: 2,
      }),
      ...scenesOf({ shapes: upTo(2), limits: [[3, 1, 2]], hazards: { growths: 1 }, leaves: 2, verify_each: true }),
      ...scenesOf({ shapes: upTo(1), limits: [[3, 1, 2]], hazards: { growths: 1, crashes: 1 }, leaves: 2 }),
    ],
  },
  {
    id: "claim",
    says: "every graph of up to 2 atoms whose workers name their files, and verdicts that name those of one atom or of all: 3 iterations of 1 slot or 2 with a planner or without, at most 1 or 2 attempts per atom, one crash, or one redirect and a resume where nothing is decomposed; one atom with 4 iterations, one loss and a crash for two",
    scenes: () => {
      const shapes = upTo(2);
      const files = { files: true } as const;
      return [
        ...scenesOf({
          shapes,
          limits: [
            [3, 1, 3],
            [3, 2, 2],
          ],
          ...files,
        }),
        ...scenesOf({ shapes, limits: [[3, 2, 3]], planner: true, ...files }),
        ...[1, 2].flatMap((max_attempts_per_atom) =>
          scenesOf({ shapes, limits: [[3, 1, 3]], max_attempts_per_atom, ...files }),
        ),
        ...scenesOf({ shapes, limits: [[2, 2, 2]], hazards: { crashes: 1 }, ...files }),
        ...scenesOf({ shapes: upTo(1), limits: [[4, 1, 3]], hazards: { crashes: 1 }, ...files }),
        ...scenesOf({ shapes, limits: [[2, 2, 2]], hazards: { losses: 1, crashes: 1 }, ...files }),
        ...scenesOf({
          shapes: upTo(2, { splits: false, races: false }),
          limits: [[2, 2, 2]],
          hazards: { redirects: 1, resumes: 1 },
          ...files,
        }),
      ];
    },
  },
  {
    id: "word",
    says: "every plain graph of up to 2 atoms whose base case is an assertion, 2 iterations of 2 slots, one redirect, confirmations and rejections among them, and a resume; one atom with two redirects at work, or one, a resume and a crash",
    scenes: () => [
      ...scenesOf({
        shapes: upTo(2, { groups: false, splits: false }),
        limits: [[2, 2, 2]],
        hazards: { redirects: 1, resumes: 1 },
        leaves: "judged",
      }),
      ...scenesOf({ shapes: upTo(1), limits: [[2, 2, 1]], hazards: { redirects: 2 }, leaves: "judged" }),
      ...scenesOf({
        shapes: upTo(1),
        limits: [[2, 2, 2]],
        hazards: { redirects: 1, resumes: 1, crashes: 1 },
        leaves: "judged",
      }),
    ],
  },
  {
    id: "luck",
    says: "one atom whose check has to pass more than once (a trust of 0.5): up to 4 iterations of 1 slot; 3 with one crash, a resume, one stop and a resume, or a check after each iteration",
    scenes: () => [
      ...scenesOf({ shapes: upTo(1), limits: [[4, 1, 4]], trust: 0.5 }),
      ...scenesOf({ shapes: upTo(1), limits: [[3, 1, 3]], hazards: { crashes: 1 }, trust: 0.5 }),
      ...scenesOf({ shapes: upTo(1), limits: [[2, 1, 2]], hazards: { stops: 1, resumes: 1 }, trust: 0.5 }),
      ...scenesOf({ shapes: upTo(1), limits: [[3, 1, 3]], hazards: { resumes: 1 }, trust: 0.5 }),
      ...scenesOf({ shapes: upTo(1), limits: [[3, 1, 3]], verify_each: true, trust: 0.5 }),
    ],
  },
  {
    id: "advice",
    says: "every graph of up to 2 atoms with a planner that is asked about what fails twice or stalls: 3 or 4 iterations of 1 slot, 3 of 2, 1 to 2 stalls, one split, plan or alternative; 3 iterations of 2 slots with one crash, one stop and a resume, or one redirect; verified after each of 3 iterations of 1 slot or 2 where nothing is decomposed, with one redirect or crash for one atom",
    scenes: () => [
      ...scenesOf({
        shapes: upTo(2),
        limits: [
          [3, 1, 1],
          [4, 1, 2],
          [3, 2, 2],
        ],
        hazards: { growths: 1 },
        planner: true,
      }),
      ...scenesOf({ shapes: upTo(2), limits: [[3, 2, 1]], hazards: { crashes: 1 }, planner: true }),
      ...scenesOf({ shapes: upTo(1), limits: [[4, 1, 2]], hazards: { growths: 1, crashes: 1 }, planner: true }),
      ...scenesOf({ shapes: upTo(2), limits: [[3, 1, 1]], hazards: { stops: 1, resumes: 1 }, planner: true }),
      ...scenesOf({ shapes: upTo(2), limits: [[3, 1, 1]], hazards: { redirects: 1 }, planner: true }),
      ...scenesOf({
        shapes: upTo(2, { splits: false }),
        limits: [
          [3, 1, 2],
          [3, 2, 2],
        ],
        planner: true,
        verify_each: true,
      }),
      ...[{ redirects: 1 }, { crashes: 1 }].flatMap((hazards) =>
        scenesOf({ shapes: upTo(1), limits: [[3, 2, 2]], hazards, planner: true, verify_each: true }),
      ),
    ],
  },
  {
    id: "marks",
    says: "every graph of up to 2 atoms with each atom as its probe, each pair touching one file, at most 1 or 2 attempts per atom, 3 iterations of 2 slots, one crash",
    scenes: () => {
      const marked = [...withProbes(upTo(2)), ...withTouches(upTo(2))];
      return [
        ...scenesOf({ shapes: marked, limits: [[3, 2, 3]] }),
        ...scenesOf({ shapes: marked, limits: [[2, 2, 2]], hazards: { crashes: 1 } }),
        ...scenesOf({
          shapes: [...upTo(2), ...marked],
          limits: [[2, 2, 2]],
          hazards: { crashes: 1 },
          max_attempts_per_atom: 1,
        }),
        ...scenesOf({
          shapes: [...upTo(2), ...marked],
          limits: [[3, 1, 3]],
          hazards: { crashes: 1 },
          max_attempts_per_atom: 2,
        }),
      ];
    },
  },
  {
    id: "deep-limits",
    says: "every graph of up to 3 atoms, each limit from 1 to 3",
    deep: true,
    scenes: () => scenesOf({ shapes: upTo(3), limits: EVERY_LIMIT }),
  },
  {
    id: "deep-four",
    says: "every graph of up to 4 atoms, 2 iterations of 2 slots, 2 stalls; one crash with 2 iterations of 1 slot",
    deep: true,
    scenes: () => [
      ...scenesOf({ shapes: upTo(4), limits: [[2, 2, 2]] }),
      ...scenesOf({ shapes: upTo(4), limits: [[2, 1, 2]], hazards: { crashes: 1 } }),
    ],
  },
  {
    id: "deep-hazards",
    says: "every graph of up to 3 atoms, 2 iterations of 2 slots, every pair of hazards; up to 2 atoms, every three and two redirects",
    deep: true,
    scenes: () => {
      const names = ["crashes", "stops", "redirects", "resumes", "growths", "losses"] as const;
      const pairs = names.flatMap((one, at) => names.slice(0, at).map((other) => ({ [one]: 1, [other]: 1 })));
      const threes = names.flatMap((one, at) =>
        names
          .slice(0, at)
          .flatMap((two, before) => names.slice(0, before).map((three) => ({ [one]: 1, [two]: 1, [three]: 1 }))),
      );
      return [
        ...[...threes, { redirects: 2 }].flatMap((hazards) =>
          scenesOf({ shapes: upTo(2), limits: [[2, 2, 2]], hazards }),
        ),
        ...pairs.flatMap((hazards) => scenesOf({ shapes: upTo(3), limits: [[2, 2, 2]], hazards })),
      ];
    },
  },
];
