/** Which labels a task asks for: those of its loop, and those of its kind (SPEC section 13). Pure. */
import type { Effect } from "../core/effect.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { Placement, TaskKind } from "./engine.ts";
import { readLabels } from "./labels.ts";

export const TASK_KINDS: readonly TaskKind[] = ["worker", "probe", "check", "planner"];

/** In their order, each once. */
export function labelsFor({ labels = [], kinds = {} }: Placement, effect: Effect): readonly string[] {
  const kind = kindOf(effect);
  return kind === null ? [] : [...new Set([...labels, ...(kinds[kind] ?? [])])].toSorted();
}

/** Null: whoever changes the integration branch needs no label. */
function kindOf(effect: Effect): TaskKind | null {
  if (effect.type === "start_attempt") return effect.attempt.role;
  if (effect.type === "check_base_case") return "check";
  return effect.type === "replan" || effect.type === "ask_planner" ? "planner" : null;
}

/** Labels as they are asked for: `gpu` of every task, `check=docker` of those of one kind. */
export function readWantedLabels(texts: readonly string[]): Result<Pick<Placement, "labels" | "kinds">> {
  const all = readLabels(texts.filter((text) => !text.includes("=")));
  if (!all.ok) return all;
  const kinds: Partial<Record<TaskKind, readonly string[]>> = {};
  for (const text of texts.filter((one) => one.includes("="))) {
    const [name, label = ""] = text.split(/=(.*)/s);
    const kind = TASK_KINDS.find((one) => one === name);
    if (kind === undefined)
      return refused(
        `${JSON.stringify(name)} is no kind of task`,
        `write LABEL, or one of ${TASK_KINDS.join(", ")} before it: check=docker`,
      );
    const read = readLabels([...(kinds[kind] ?? []), label]);
    if (!read.ok) return read;
    // All of a task's labels together are bounded.
    const whole = readLabels([...all.value, ...read.value]);
    if (!whole.ok) return whole;
    kinds[kind] = read.value;
  }
  return accepted({
    ...(all.value.length === 0 ? {} : { labels: all.value }),
    ...(Object.keys(kinds).length === 0 ? {} : { kinds }),
  });
}
