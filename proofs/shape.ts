/**
 * The shapes of small work graphs, one for each class of isomorphic ones: dependencies, at most one OR group of up
 * to three choices, at most one decomposition.
 *
 * SHAPE-1 every valid graph of the given size is isomorphic to a shape that is listed: whatever its names are, they can be
 *    given so that dependencies and children have smaller numbers;
 * SHAPE-2 no two listed shapes are isomorphic: of all orders of the atoms the smallest spelling decides;
 * SHAPE-3 what is no valid state is left out by the validator itself (`checkInvariants`), by no rule of our own.
 */
import { checkInvariants } from "../src/core/invariants.ts";
import {
  INITIAL_CONTROL,
  type Atom,
  type BaseCase,
  type ChecklistItem,
  type Constraints,
  type Decomposition,
  type OrGroup,
  type State,
} from "../src/core/state.ts";

/** Atoms are numbers, 0 first. */
export interface Shape {
  /** What each atom depends on. */
  readonly depends: readonly (readonly number[])[];
  /** Choices of the OR group; the first one is selected. */
  readonly choices?: readonly number[];
  readonly speculative?: true;
  readonly split?: { readonly parent: number; readonly children: readonly number[] };
  /** Atoms for which a probe goes first. */
  readonly probes?: readonly number[];
  /** Atoms that expect to change one and the same file. */
  readonly touching?: readonly number[];
}

/** How large and how rich the shapes are. */
export interface ShapeBounds {
  readonly atoms: number;
  readonly groups: boolean;
  readonly splits: boolean;
  /** Each shape with an OR group of two choices or more also as a race. */
  readonly races: boolean;
}

const MOST_CHOICES = 3;

/** All shapes of exactly `atoms` atoms (SHAPE-1 to 3), the plain ones first. */
export function shapesOf(bounds: ShapeBounds): readonly Shape[] {
  const orders = ordersOf(bounds.atoms);
  const seen = new Set<string>();
  const shapes: Shape[] = [];
  const splits = bounds.splits ? splitsOf(bounds.atoms) : [];
  const groups = bounds.groups ? tuplesOf(bounds.atoms, MOST_CHOICES) : [];
  for (const split of [undefined, ...splits])
    for (const choices of [undefined, ...groups])
      for (const depends of dependenciesOf(bounds.atoms)) {
        const shape: Shape = {
          depends,
          ...(choices === undefined ? {} : { choices }),
          ...(split === undefined ? {} : { split }),
        };
        const spelling = smallestSpelling(shape, orders);
        if (seen.has(spelling)) continue;
        seen.add(spelling);
        if (checkInvariants(stateOfShape(shape, ANY_LIMITS)).length > 0) continue;
        shapes.push(shape);
        if (bounds.races && choices !== undefined && choices.length > 1) shapes.push({ ...shape, speculative: true });
      }
  return shapes;
}

const ANY_LIMITS: Constraints = { max_iterations: 1, max_parallel_agents: 1, max_stall_count: 1 };

/** The shape with each atom as its probe, in turn. */
export function withProbes(shapes: readonly Shape[]): readonly Shape[] {
  return shapes.flatMap((shape) => shape.depends.map((_, atom) => ({ ...shape, probes: [atom] })));
}

/** The shape with each pair of atoms touching one file, in turn. */
export function withTouches(shapes: readonly Shape[]): readonly Shape[] {
  return shapes.flatMap((shape) =>
    shape.depends.flatMap((_, left) =>
      shape.depends.slice(0, left).map((_, right) => ({ ...shape, touching: [left, right] })),
    ),
  );
}

export function nameOf(atom: number): string {
  return `A${atom + 1}`;
}

/** A loop of that shape on which nothing was done yet. */
export function stateOfShape(shape: Shape, constraints: Constraints, leaves: number | "judged" = 1): State {
  const atoms = shape.depends.map((depends, atom): Atom => ({
    id: nameOf(atom),
    description: `do ${nameOf(atom)}`,
    status: "pending",
    depends_on: depends.map(nameOf),
    ...(shape.choices?.includes(atom) === true ? { or_group: "G" } : {}),
    ...(shape.probes?.includes(atom) === true ? { probe: true } : {}),
    ...(shape.touching?.includes(atom) === true ? { touches: ["shared.txt"] } : {}),
  }));
  const splits = shape.split === undefined ? [] : [shape.split];
  return {
    objective: {
      goal: "a goal",
      base_case: baseCaseOf(leaves),
      background_intent: "why",
      deliverables: "what",
      definition_of_done: "when",
      constraints,
    },
    control: INITIAL_CONTROL,
    atoms,
    decompositions: splits.map(({ parent, children }): Decomposition => ({
      parent: nameOf(parent),
      children: children.map(nameOf),
      reason: "too large",
    })),
    or_groups: groupsOf(shape),
    trail: [],
    corrections: [],
  };
}

/** `judged`: one assertion, which a person confirms or rejects. */
function baseCaseOf(leaves: number | "judged"): BaseCase {
  if (leaves === "judged") return { type: "assertion", value: "it is sound" };
  const check = { type: "command", value: "true" } as const;
  if (leaves === 1) return check;
  const item = (_: unknown, at: number): ChecklistItem => ({
    item: `leaf ${at}`,
    check: { ...check, value: `true ${at}` },
  });
  return { checklist: Array.from({ length: leaves }, item) };
}

function groupsOf({ choices, speculative }: Shape): readonly OrGroup[] {
  const first = choices?.[0];
  if (choices === undefined || first === undefined) return [];
  const group = { name: "G", choices: choices.map(nameOf), selected: nameOf(first), failed: [] };
  return [speculative === true ? { ...group, speculative } : group];
}

/** SHAPE-2. */
function smallestSpelling(shape: Shape, orders: readonly (readonly number[])[]): string {
  let smallest: string | null = null;
  for (const order of orders) {
    const spelling = spell(shape, order);
    if (smallest === null || spelling < smallest) smallest = spelling;
  }
  return smallest ?? "";
}

/** The shape in letters, its atoms renamed by `order`. */
function spell({ depends, choices = [], split }: Shape, order: readonly number[]): string {
  const size = depends.length;
  let edges = 0;
  depends.forEach((list, from) => {
    for (const to of list) edges |= 1 << ((order[from] ?? 0) * size + (order[to] ?? 0));
  });
  const renamed = (atom: number): number => order[atom] ?? 0;
  const below =
    split === undefined
      ? ""
      : `${renamed(split.parent)}:${split.children
          .map(renamed)
          .sort((a, b) => a - b)
          .join("")}`;
  return `${String(edges).padStart(5, "0")} ${choices.map(renamed).join("")} ${below}`;
}

/** Every set of dependencies in which an atom depends on atoms with smaller numbers. */
function dependenciesOf(size: number): readonly (readonly (readonly number[])[])[] {
  let all: (readonly (readonly number[])[])[] = [[]];
  for (let atom = 0; atom < size; atom++)
    all = all.flatMap((before) => subsetsOf(atom).map((subset) => [...before, subset]));
  return all;
}

/** Every decomposition of an atom into atoms with smaller numbers. */
function splitsOf(size: number): readonly { readonly parent: number; readonly children: readonly number[] }[] {
  return Array.from({ length: size }, (_, parent) =>
    subsetsOf(parent)
      .filter((children) => children.length > 0)
      .map((children) => ({ parent, children })),
  ).flat();
}

/** Every set of numbers below `end`. */
function subsetsOf(end: number): readonly (readonly number[])[] {
  return Array.from({ length: 1 << end }, (_, bits) =>
    Array.from({ length: end }, (_, bit) => bit).filter((bit) => (bits & (1 << bit)) !== 0),
  );
}

/** Every sequence of one to `most` different numbers below `end`. */
function tuplesOf(end: number, most: number): readonly (readonly number[])[] {
  const all: (readonly number[])[] = [];
  let last: (readonly number[])[] = [[]];
  for (let length = 1; length <= Math.min(end, most); length++) {
    last = last.flatMap((before) =>
      Array.from({ length: end }, (_, next) => next)
        .filter((next) => !before.includes(next))
        .map((next) => [...before, next]),
    );
    all.push(...last);
  }
  return all;
}

function ordersOf(size: number): readonly (readonly number[])[] {
  return tuplesOf(size, size).filter((order) => order.length === size);
}
