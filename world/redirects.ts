/** Every way in which a person can change the course of a small loop, one of each kind (SPEC section 8). */
import type { Change, Redirect } from "../src/core/redirect.ts";
import type { State } from "../src/core/state.ts";
import { isMechanical, leavesOf } from "../src/core/verdict.ts";

const reason = "changed my mind";

/** What is refused is in it, too: it interrupts all the same. */
export function redirectsFor(state: State): readonly Redirect[] {
  const { constraints } = state.objective;
  const atoms = state.atoms;
  const groups = state.or_groups;
  const number = 1 + atoms.filter((atom) => atom.id.startsWith("R")).length;
  const id = `R${number}`;
  const description = "more";
  const first = atoms[0]?.id ?? "";
  const last = atoms.at(-1)?.id ?? "";
  return [
    { kind: "set", field: "goal", value: "another goal", reason },
    { kind: "limit", constraint: "max_iterations", value: constraints.max_iterations + 1, reason },
    { kind: "limit", constraint: "max_parallel_agents", value: constraints.max_parallel_agents === 1 ? 2 : 1, reason },
    ...(constraints.max_iterations < 2
      ? []
      : [{ kind: "limit", constraint: "max_iterations", value: constraints.max_iterations - 1, reason } as const]),
    { kind: "limit", constraint: "max_iterations", value: 0, reason },
    { kind: "add", id, description, depends_on: [first], reason },
    { kind: "add", id, description, depends_on: [], or_group: "H", reason },
    ...groups.map((group): Redirect => ({
      kind: "add",
      id,
      description,
      depends_on: [],
      or_group: group.name,
      reason,
    })),
    ...groups.map((group): Redirect => ({
      kind: "add",
      id,
      description,
      depends_on: [last],
      or_group: group.name,
      reason,
    })),
    ...groups.flatMap((group) =>
      group.choices.map((atom): Redirect => ({ kind: "choose", group: group.name, atom, reason })),
    ),
    ...atoms.map((atom): Redirect => ({ kind: "remove", id: atom.id, reason })),
    ...atoms
      .filter((atom) => atom.status !== "resolved")
      .map(({ id: open }): Change => ({ kind: "change", id: open, description: "in other words", reason })),
    { kind: "change", id: last, depends_on: last === first ? [] : [first], reason },
    ...transactionsFor(id, last),
    ...leavesOf(state.objective.base_case).flatMap(({ item, check }): readonly Redirect[] =>
      isMechanical(check)
        ? []
        : [
            { kind: "confirm", item, reason },
            { kind: "reject", item, reason },
          ],
    ),
    ...atoms
      .filter((atom) => atom.status === "resolved")
      .flatMap(({ id: done }): readonly Redirect[] => [
        { kind: "redo", id: done, reason },
        { kind: "rebind", id: done, binding: { summary: "by hand", artifacts: [] }, reason },
      ]),
  ];
}

/** One that waits for what it touches, one that has to be made in an order of its own. */
function transactionsFor(id: string, last: string): readonly Redirect[] {
  const kind = "transaction";
  return [
    { kind, changes: [{ kind: "set", field: "goal", value: "another goal", reason: "" }], reason, finish: true },
    {
      kind,
      changes: [
        { kind: "change", id: last, depends_on: [id], reason: "" },
        { kind: "add", id, description: "more", depends_on: [], reason: "" },
      ],
      reason,
    },
  ];
}

export function inWords(redirect: Redirect): string {
  switch (redirect.kind) {
    case "set":
      return `set ${redirect.field}`;
    case "limit":
      return `limit ${redirect.constraint} ${redirect.value}`;
    case "add":
      return `add ${redirect.id} after ${redirect.depends_on.join() || "nothing"}${redirect.or_group === undefined ? "" : ` to ${redirect.or_group}`}`;
    case "transaction":
      return `${redirect.changes.map(inWords).join(" and ")}${redirect.finish === true ? " when they have ended" : ""}`;
    case "change":
      return `change ${redirect.id} ${redirect.description ?? ""} ${redirect.depends_on?.join() ?? ""}`;
    case "choose":
      return `choose ${redirect.atom}`;
    case "confirm":
    case "reject":
      return `${redirect.kind} ${redirect.item}`;
    case "remove":
    case "redo":
    case "rebind":
      return `${redirect.kind} ${redirect.id}`;
  }
}
