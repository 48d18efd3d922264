/** Small loops for tests: states written in a line, and random ones. */
import * as fc from "fast-check";
import { isMet } from "../../src/core/fate.ts";
import { graphOf } from "../../src/core/graph.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import {
  DEFAULT_CONSTRAINTS,
  INITIAL_CONTROL,
  type Atom,
  type Constraints,
  type Decomposition,
  type OrGroup,
  type State,
} from "../../src/core/state.ts";

export const NOW = "2026-01-01T00:00:00.000Z";

export interface Sketch {
  readonly atoms: readonly (Partial<Atom> & { readonly id: string })[];
  readonly groups?: readonly (Partial<OrGroup> & {
    readonly name: string;
    readonly choices: readonly string[];
  })[];
  readonly splits?: readonly (readonly [string, readonly string[]])[];
  readonly constraints?: Partial<Constraints>;
}

export function stateOf(sketch: Sketch): State {
  const groupOf = new Map(
    (sketch.groups ?? []).flatMap((group) => group.choices.map((choice) => [choice, group.name] as const)),
  );
  const atoms = sketch.atoms.map((atom): Atom => {
    const group = groupOf.get(atom.id);
    return {
      description: `do ${atom.id}`,
      status: "pending",
      depends_on: [],
      ...(group === undefined ? {} : { or_group: group }),
      ...atom,
    };
  });
  return {
    objective: {
      goal: "a goal",
      base_case: { type: "command", value: "true" },
      background_intent: "why",
      deliverables: "what",
      definition_of_done: "when",
      constraints: { ...DEFAULT_CONSTRAINTS, ...sketch.constraints },
    },
    control: INITIAL_CONTROL,
    atoms,
    decompositions: (sketch.splits ?? []).map(([parent, children]): Decomposition => ({
      parent,
      children,
      reason: "too large",
    })),
    or_groups: (sketch.groups ?? []).map((group): OrGroup => ({
      selected: group.choices[0] ?? "",
      failed: [],
      ...group,
    })),
    trail: [],
    corrections: [],
  };
}

/** Valid graphs of up to `most` atoms: dependencies run towards lower ids; groups of up to 3; a few splits. */
export function anyState(most: number, constraints?: Partial<Constraints>): fc.Arbitrary<State> {
  return fc
    .record({
      size: fc.integer({ min: 1, max: most }),
      edges: fc.array(fc.tuple(fc.nat(most), fc.nat(most)), { maxLength: most * 2 }),
      groups: fc.array(fc.tuple(fc.uniqueArray(fc.nat(most), { minLength: 1, maxLength: 3 }), fc.boolean()), {
        maxLength: 2,
      }),
      splits: fc.array(fc.tuple(fc.nat(most), fc.uniqueArray(fc.nat(most), { minLength: 1, maxLength: 3 })), {
        maxLength: 2,
      }),
    })
    .map(({ size, edges, groups, splits }) => sketchOf(size, edges, groups, splits, constraints))
    .filter((state) => checkInvariants(state).length === 0);
}

function sketchOf(
  size: number,
  edges: readonly (readonly [number, number])[],
  groups: readonly (readonly [readonly number[], boolean])[],
  splits: readonly (readonly [number, readonly number[]])[],
  constraints: Partial<Constraints> | undefined,
): State {
  const name = (index: number): string => `A${(index % size) + 1}`;
  const taken = new Set<string>();
  const fresh = (ids: readonly string[]): string[] =>
    [...new Set(ids)].filter((id) => !taken.has(id) && taken.add(id).size > 0);
  const grouped = groups
    .map(([members, speculative], g) => ({ name: `g${g}`, choices: fresh(members.map(name)), speculative }))
    .filter((group) => group.choices.length > 0);
  const childTaken = new Set<string>();
  const parents = new Set<string>();
  const split: [string, string[]][] = [];
  for (const [parent, children] of splits) {
    const above = name(parent);
    const below = [...new Set(children.map(name))].filter(
      (child) => child !== above && !childTaken.has(child) && Number(child.slice(1)) > Number(above.slice(1)),
    );
    if (below.length === 0 || parents.has(above)) continue;
    parents.add(above);
    for (const child of below) childTaken.add(child);
    split.push([above, below]);
  }
  const atoms = Array.from({ length: size }, (_, index) => {
    const depends_on = [
      ...new Set(edges.filter(([from, to]) => from % size === index && to % size < index).map(([, to]) => name(to))),
    ];
    return { id: name(index), depends_on };
  });
  return stateOf({ atoms, groups: grouped, splits: split, ...(constraints === undefined ? {} : { constraints }) });
}

/** Containers that are resolved although a child of theirs is not met. */
export function openContainers(state: State): readonly string[] {
  const graph = graphOf(state);
  return graph.ids.filter(
    (_, index) =>
      state.atoms[index]?.status === "resolved" &&
      graph.children[index]?.every((child) => isMet(state, graph, child)) === false,
  );
}
