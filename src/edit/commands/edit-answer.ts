/** The answer of a command that changed the loop by hand. */
import type { EditedLoop } from "../edit-loop.ts";
import { executableIds, measureOf } from "../show-state.ts";
import { graphOf } from "../../core/graph.ts";
import type { Result } from "../../core/problem.ts";
import { toArray } from "../../core/vec.ts";
import { editJson, editText, type EditReport } from "./edit-words.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";

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
  const { control } = edited.after;
  const graph = graphOf(edited.after);
  const executable_atoms = executableIds(edited.after, graph);
  const measure = measureOf(edited.after, graph);
  const resolved = edited.facts.flatMap((fact) => (fact.fact === "atom_resolved" ? [fact.atom] : []));
  const halted = control.status === "stopped" && edited.before.control.status !== "stopped";
  const { stop_reason, outcome = null } = control;
  const report: EditReport = {
    changed: edited.changed,
    status: control.status,
    ...(halted ? { halt: { stop_reason, outcome } } : {}),
    measure,
    resolved,
    executable_atoms,
  };
  return {
    exit: 0,
    json: editJson(words.json(edited), report),
    text: editText(words.text(edited), report),
    notes: edited.notes,
  };
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

/** Comma-separated values of a flag that may be repeated. */
export function listOf(values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => value.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
