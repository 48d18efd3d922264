/** The small families of loops in which planted bugs are hunted. */
import { CALM, scenesOf, upTo, withSplitChoice } from "./sweeps.ts";
import { withProbes, withTouches } from "./shape.ts";
import type { Hunt } from "./mutations.ts";
import type { Scene } from "./world.ts";

const SMALL = [[2, 2, 2]] as const;

export const HUNTS: Readonly<Record<Hunt, () => readonly Scene[]>> = {
  calm: () => [
    ...scenesOf({
      shapes: upTo(2),
      limits: [
        [2, 2, 2],
        [3, 1, 1],
      ],
      hazards: CALM,
    }),
    ...scenesOf({ shapes: upTo(3, { splits: false }), limits: [[2, 1, 2]] }),
    ...scenesOf({ shapes: upTo(2, { groups: false, splits: false }), limits: [[2, 3, 2]] }),
  ],
  crash: () => scenesOf({ shapes: upTo(2), limits: SMALL, hazards: { crashes: 1 } }),
  redirect: () => [
    ...scenesOf({ shapes: upTo(2), limits: [[1, 2, 1]], hazards: { redirects: 1 } }),
    ...scenesOf({ shapes: upTo(1), limits: [[2, 1, 2]], hazards: { redirects: 1 } }),
    ...scenesOf({ shapes: upTo(2, { groups: false, splits: false }), limits: [[2, 2, 2]], hazards: { redirects: 1 } }),
  ],
  late: () =>
    scenesOf({ shapes: upTo(3, { splits: false }).filter((shape) => shape.speculative === true), limits: SMALL }),
  stop: () => scenesOf({ shapes: upTo(2), limits: [[2, 2, 1]], hazards: { stops: 1, resumes: 1 } }),
  leaves: () =>
    scenesOf({
      shapes: upTo(1),
      limits: [
        [4, 1, 3],
        [3, 2, 3],
      ],
      hazards: { growths: 1 },
      leaves: 2,
    }),
  advice: () =>
    scenesOf({
      shapes: upTo(2, { splits: false }),
      limits: [
        [4, 1, 3],
        [3, 2, 2],
      ],
      hazards: { growths: 1 },
      planner: true,
    }),
  beside: () =>
    scenesOf({
      shapes: upTo(2, { groups: false, splits: false }),
      limits: [
        [3, 1, 3],
        [3, 2, 3],
      ],
      planner: true,
      verify_each: true,
    }),
  splits: () => scenesOf({ shapes: upTo(1), limits: [[4, 1, 5]], hazards: { growths: 4 } }),
  luck: () => [
    ...scenesOf({ shapes: upTo(1), limits: [[3, 1, 3]], trust: 0.5 }),
    ...scenesOf({ shapes: upTo(1), limits: [[3, 1, 3]], hazards: { resumes: 1 }, trust: 0.5 }),
  ],
  word: () =>
    scenesOf({
      shapes: upTo(1),
      limits: [[2, 2, 1]],
      hazards: { redirects: 2, resumes: 1 },
      leaves: "judged",
    }),
  claim: () => [
    ...scenesOf({ shapes: upTo(2), limits: [[3, 2, 3]], files: true }),
    ...scenesOf({ shapes: upTo(1), limits: [[4, 1, 4]], files: true }),
    ...scenesOf({ shapes: upTo(1), limits: [[3, 1, 3]], max_attempts_per_atom: 1, files: true }),
    ...scenesOf({ shapes: upTo(1), limits: SMALL, hazards: { crashes: 1 }, files: true }),
    ...scenesOf({ shapes: upTo(1), limits: [[2, 1, 2]], hazards: { redirects: 1 }, files: true }),
  ],
  growth: () => scenesOf({ shapes: upTo(1), limits: [[3, 1, 3]], hazards: { growths: 1 } }),
  marks: () => {
    const marked = [...withProbes(upTo(2)), ...withTouches(upTo(2))];
    return [
      ...scenesOf({ shapes: marked, limits: SMALL }),
      ...scenesOf({ shapes: marked, limits: SMALL, max_attempts_per_atom: 1 }),
    ];
  },
  undo: () => {
    const shapes = withSplitChoice(4).filter((shape) => shape.speculative !== true);
    return [
      ...scenesOf({ shapes, limits: [[3, 2, 3]], max_attempts_per_atom: 1 }),
      ...scenesOf({ shapes, limits: [[3, 1, 3]], hazards: { crashes: 1 }, max_attempts_per_atom: 1 }),
    ];
  },
  loss: () => scenesOf({ shapes: upTo(2), limits: SMALL, hazards: { losses: 1, crashes: 1 } }),
};
