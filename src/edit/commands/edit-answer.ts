/** The answer of a command that changed the loop by hand. */
import { named } from "../../adapters/workspace/repository.ts";
import type { EditedLoop } from "../edit-loop.ts";
import { executableIds } from "../show-state.ts";
import { graphOf } from "../../core/graph.ts";
import type { Result } from "../../core/problem.ts";
import { measureOf } from "../../core/view.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";

interface EditWords<T> {
  /** Keys of the JSON document beside the common ones. */
  readonly json: (edited: T) => object;
  /** What was done, in a sentence. */
  readonly text: (edited: T) => string;
}

/** Common keys: success, changed, status, measure, resolved (atoms that resolved by it), executable_atoms. */
export function editAnswer<T extends EditedLoop>(file: NamedFile, result: Result<T>, words: EditWords<T>): Answer {
  if (!result.ok) return failure(result.problems, file.shown);
  const { before, after, changed, facts, notes } = result.value;
  const { status, stop_reason, outcome = null } = after.control;
  const graph = graphOf(after);
  const report = {
    changed,
    measure: measureOf(after, graph),
    resolved: facts.flatMap((fact) => (fact.fact === "atom_resolved" ? [fact.atom] : [])),
    executable_atoms: executableIds(after, graph),
  };
  const halt = status === "stopped" && before.control.status !== "stopped" ? { stop_reason, outcome } : undefined;
  return {
    exit: 0,
    json: { success: true, ...words.json(result.value), status, ...halt, ...report },
    text: editText(words.text(result.value), { ...report, ...(halt === undefined ? {} : { halt }) }),
    notes,
  };
}

/** The selection of each OR group that changed: `{group: {from, to}}`. */
export function selections(
  edited: EditedLoop,
): Readonly<Record<string, { readonly from: string; readonly to: string }>> {
  const before = new Map(edited.before.or_groups.map((group) => [group.name, group.selected]));
  return Object.fromEntries(
    edited.after.or_groups
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

/** What an edit came to. */
export interface EditReport {
  /** False: it was so already. */
  readonly changed: boolean;
  /** The loop was stopped by it; absent: it was not. */
  readonly halt?: { readonly stop_reason: string | null };
  readonly measure: number;
  /** Atoms that resolved by it. */
  readonly resolved: readonly string[];
  /** Best first. */
  readonly executable_atoms: readonly string[];
}

/** @param sentence what was done */
export function editText(sentence: string, { changed, halt, measure, resolved, executable_atoms }: EditReport): string {
  const next = executable_atoms.length === 0 ? "" : `; executable: ${named(executable_atoms, 12)}`;
  const stopped = halt === undefined ? null : ["the loop is stopped", halt.stop_reason ?? []].flat().join(": ");
  // To stop it may be all that was asked for.
  const lines = stopped?.startsWith(sentence) === true ? [] : [`${sentence}${changed ? "" : " (it was so already)"}`];
  if (resolved.length > 1) lines.push(`resolved: ${resolved.join(", ")}`);
  if (stopped !== null) lines.push(stopped);
  lines.push(`${measure} left${next}`);
  return lines.join("\n");
}
