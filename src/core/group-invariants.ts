/** How an OR group and its choices must fit together (SPEC section 2, invariants). */
import { NONE, type Graph } from "./graph.ts";
import { nearest } from "./nearest.ts";
import type { Report } from "./problem.ts";
import type { Atom, OrGroup } from "./state.ts";

/** The choices of a group exist and name it, `selected` and `failed` are choices, and they exclude each other. */
export function checkGroup(
  group: OrGroup,
  byId: (id: string) => Atom | undefined,
  ids: ReadonlyMap<string, number>,
  report: Report,
): void {
  const path = ["or_groups", group.name];
  if (group.choices.length === 0)
    report("empty_list", [...path, "choices"], `the OR group ${group.name} has no choice`, {
      found: "[]",
      hint: "name at least one atom",
    });
  group.choices.forEach((choice, place) => {
    const atom = byId(choice);
    if (atom === undefined)
      report(
        "unknown_atom",
        [...path, "choices", place],
        `the OR group ${group.name} has the choice ${choice}, which does not exist`,
        { found: choice, hint: nearest(choice, ids.keys()) },
      );
    else if (atom.or_group !== group.name)
      report(
        "foreign_choice",
        [...path, "choices", place],
        `${choice} is a choice of ${group.name}, but its or_group is ${atom.or_group ?? "not set"}`,
        { found: choice, hint: `set or_group: ${group.name} on atom ${choice}, or remove it from the choices` },
      );
    if (group.choices.indexOf(choice) !== place)
      report("duplicate_id", [...path, "choices", place], `${choice} is named twice in the OR group ${group.name}`, {
        found: choice,
        hint: "name each choice once",
      });
  });
  checkSelection(group, path, report);
}

function checkSelection(group: OrGroup, path: readonly string[], report: Report): void {
  if (group.choices.length > 0 && !group.choices.includes(group.selected))
    report(
      "selected_not_a_choice",
      [...path, "selected"],
      `${group.selected} is selected in ${group.name}, but is none of its choices`,
      { found: group.selected, hint: `one of ${group.choices.join(", ")}` },
    );
  group.failed.forEach((failed, place) => {
    if (!group.choices.includes(failed))
      report(
        "failed_not_a_choice",
        [...path, "failed", place],
        `${failed} is listed as failed in ${group.name}, but is none of its choices`,
        { found: failed, hint: `only ${group.choices.join(", ")}` },
      );
  });
  const exhausted = group.choices.every((choice) => group.failed.includes(choice));
  if (group.failed.includes(group.selected) && !exhausted) {
    const open = group.choices.find((choice) => !group.failed.includes(choice)) ?? "";
    report(
      "selected_has_failed",
      [...path, "selected"],
      `${group.selected} is selected in ${group.name} although it has failed`,
      { found: group.selected, hint: `select a choice that is not in failed: ${open}` },
    );
  }
}

/** The choices of a group are alternatives: they stand side by side, below one container or below none. */
export function checkPlace(group: OrGroup, graph: Graph, report: Report): void {
  const containers = new Set<number>();
  group.choices.forEach((choice, place) => {
    const index = graph.indexOf.get(choice);
    if (index === undefined) return;
    containers.add(graph.parent[index] ?? NONE);
    for (let above = graph.parent[index] ?? NONE; above !== NONE; above = graph.parent[above] ?? NONE) {
      const rival = graph.ids[above] ?? "";
      if (group.choices.includes(rival))
        report(
          "foreign_choice",
          ["or_groups", group.name, "choices", place],
          `${choice} is below ${rival}, another choice of ${group.name}`,
          { found: choice, hint: "an alternative cannot be a part of its rival" },
        );
    }
  });
  if (containers.size > 1) {
    const names = [...containers].map((index) => graph.ids[index] ?? "").join(" and ");
    report(
      "foreign_choice",
      ["or_groups", group.name, "choices"],
      `the choices of ${group.name} are below different containers: ${names}`,
      { found: group.choices.join(", "), hint: "alternatives belong below one container, or below none" },
    );
  }
}
