/** The answer of a command that changed the loop by hand. */
import type { EditedLoop } from "../app/edit-loop.ts";
import { executableIds, measureOf } from "../app/show-state.ts";
import { graphOf } from "../core/graph.ts";
import type { Result } from "../core/problem.ts";
import { toArray } from "../core/vec.ts";
import { failure } from "./problem-text.ts";
import type { Answer } from "./spec.ts";
import type { NamedFile } from "./state-file.ts";

export interface EditWords<T> {
  /** Keys of the JSON document beside the common ones. */
  readonly json: (edited: T) => object;
  /** What was done, in a sentence. */
  readonly text: (edited: T) => string;
}

/** Common keys: success, changed, status, measure, resolved (atoms that resolved by it), executable_atoms. */
export function editAnswer<T extends EditedLoop>(file: NamedFile, result: Result<T>, words: EditWords<T>): Answer {
  if (!result.ok) return failure(result.problems, file.shown);
  const edited = result.value;
  const graph = graphOf(edited.after);
  const executable_atoms = executableIds(edited.after, graph);
  const measure = measureOf(edited.after, graph);
  const resolved = edited.facts.flatMap((fact) => (fact.fact === "atom_resolved" ? [fact.atom] : []));
  const { control } = edited.after;
  const halted = control.status === "stopped" && edited.before.control.status !== "stopped";
  const next = executable_atoms.length === 0 ? "" : `; executable: ${some(executable_atoms)}`;
  const json = {
    success: true,
    ...words.json(edited),
    changed: edited.changed,
    status: control.status,
    ...(halted ? { stop_reason: control.stop_reason, outcome: control.outcome ?? null } : {}),
    measure,
    resolved,
    executable_atoms,
  };
  const lines = [`${words.text(edited)}${edited.changed ? "" : " (it was so already)"}`];
  if (resolved.length > 1) lines.push(`resolved: ${resolved.join(", ")}`);
  if (halted) lines.push(`the loop is stopped: ${control.stop_reason ?? ""}`);
  lines.push(`${measure} left${next}`);
  return { exit: 0, json, text: lines.join("\n"), notes: edited.notes };
}

/** The selection of each OR group that changed: `{group: {from, to}}`. */
export function selections(
  edited: EditedLoop,
): Readonly<Record<string, { readonly from: string; readonly to: string }>> {
  const before = new Map(toArray(edited.before.or_groups).map((group) => [group.name, group.selected]));
  return Object.fromEntries(
    toArray(edited.after.or_groups)
      .filter((group) => before.has(group.name) && before.get(group.name) !== group.selected)
      .map((group) => [group.name, { from: before.get(group.name) ?? "", to: group.selected }]),
  );
}

const MOST_SHOWN = 12;

function some(ids: readonly string[]): string {
  const rest = ids.length - MOST_SHOWN;
  return `${ids.slice(0, MOST_SHOWN).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}

/** Comma-separated values of a flag that may be repeated. */
export function listOf(values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => value.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
