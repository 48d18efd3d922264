/** How atoms, attempts and checks stand, in the words that every page, picture and command uses; and the counts. Pure. */
import { deadGroupOf } from "../core/fate.ts";
import { idAt, isContainer, NONE, numberAt, type Graph } from "../core/graph.ts";
import type { State } from "../core/state.ts";
import { at } from "../core/vec.ts";
import { checkNodesOf, type ChecklistVerdict, type LeafResult, type Passed } from "../core/verdict.ts";
import { measureOf } from "../core/view.ts";
import type { AttemptPart } from "../history/run-story.ts";

/**
 * An atom's status, and its fate among alternatives. A pending one is `ready` if it may run now, else `waiting`; `failed`
 * and `not_selected` are about alternatives and what is below them; `split` is a container.
 */
export type Standing = "running" | "ready" | "waiting" | "resolved" | "failed" | "not_selected" | "split";

export interface Words {
  /** One character, so that a colour is never the only sign. */
  readonly mark: string;
  readonly words: string;
}

/** In the order in which a person wants to see them. */
export const STANDINGS: Readonly<Record<Standing, Words>> = {
  running: { mark: "▶", words: "running" },
  ready: { mark: "○", words: "ready" },
  waiting: { mark: "·", words: "waiting" },
  resolved: { mark: "✓", words: "resolved" },
  failed: { mark: "✗", words: "failed" },
  not_selected: { mark: "-", words: "not selected" },
  split: { mark: "▾", words: "split" },
};

/** The standings, those first that a person wants to see first. */
export const ORDER = Object.keys(STANDINGS) as readonly Standing[];

/** How an attempt ended; `running` and `integrating` have not. */
export const ATTEMPTS: Readonly<Record<NonNullable<AttemptPart["end"]> | "running", Words>> = {
  running: STANDINGS.running,
  integrating: { mark: "▷", words: "integrating" },
  integrated: { mark: "✓", words: "integrated" },
  feasible: { mark: "✓", words: "feasible" },
  failed: STANDINGS.failed,
  split: STANDINGS.split,
  aborted: { mark: "-", words: "aborted" },
  discarded: { mark: "-", words: "discarded" },
  unavailable: { mark: "!", words: "agent not available" },
};

/** Of a true assertion, as long as nobody confirmed it. */
export const UNCONFIRMED = "needs a human's confirmation";

export function verdictWords(passed: Passed): Words {
  if (passed === null) return { mark: "?", words: "not decided" };
  return passed ? { mark: "✓", words: "passed" } : { mark: "✗", words: "failed" };
}

/** What bounds the chance that a true verdict is luck, of several checks that of the weakest; null: nothing does. */
export function luckWords({ luck, checklist }: Pick<ChecklistVerdict, "luck" | "checklist">): string | null {
  const counted = checkNodesOf(checklist).flatMap(({ runs = 1, reds }) => (reds === undefined ? [] : [{ runs, reds }]));
  if (luck === undefined) return null;
  const [runs, reds] = (["runs", "reds"] as const).map((name) => Math.min(...counted.map((one) => one[name])));
  const who = counted.length > 1 ? "the weakest check " : "";
  const bound = luck > 0.5 ? "luck is not ruled out" : `by luck in less than 1 of ${Math.floor(1 / luck)}`;
  return `${who}passed ${runs} of ${runs} runs, failed ${reds} of ${reds} before the work; ${bound}`;
}

/** What the work changed of the tests that decide; null: nothing. */
export function testsChangedWords({ tests_changed = [] }: Pick<ChecklistVerdict, "tests_changed">): string | null {
  return tests_changed.length === 0 ? null : `the work changed tests or how they run: ${tests_changed.join(", ")}`;
}

/** How often a check was run for a verdict; empty: once. */
export function runsWords({ runs = 1 }: Pick<LeafResult, "runs">): string {
  return runs === 1 ? "" : ` (${runs} runs agree)`;
}

/** @param ready indices of the executable atoms */
export function standingOf(state: State, graph: Graph, index: number, ready: ReadonlySet<number>): Standing {
  const { status } = at(state.atoms, index);
  if (status === "resolved") return "resolved";
  if (status === "in_progress") return "running";
  if (deadGroupOf(state, graph, index) !== NONE) return isFailed(state, graph, index) ? "failed" : "not_selected";
  if (isContainer(graph, index)) return "split";
  return ready.has(index) ? "ready" : "waiting";
}

function isFailed(state: State, graph: Graph, index: number): boolean {
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    const group = numberAt(graph.groupOf, here);
    if (group !== NONE && at(state.or_groups, group).failed.includes(idAt(graph, here))) return true;
  }
  return false;
}

/** How many atoms are resolved, and how many are left: containers and alternatives that failed count as neither (SPEC section 3). */
export interface Progress {
  readonly resolved: number;
  /** The measure `M`. */
  readonly left: number;
}

/** @param isResolved of the atom at that index; default: its status */
export function progressOf(
  state: State,
  graph: Graph,
  isResolved = (index: number): boolean => at(state.atoms, index).status === "resolved",
): Progress {
  let resolved = 0;
  for (let index = 0; index < graph.ids.length; index++)
    if (!isContainer(graph, index) && isResolved(index)) resolved++;
  return { resolved, left: measureOf(state, graph) };
}

/** `29 of 30 resolved` */
export function resolvedWords({ resolved, left }: Progress): string {
  return `${resolved} of ${resolved + left} resolved`;
}

/** Of all that counts; 1 where nothing does. */
export function resolvedShare({ resolved, left }: Progress): number {
  return resolved + left === 0 ? 1 : resolved / (resolved + left);
}

/** `one of 3`, and how many of them failed. */
export function groupWords({
  choices,
  failed,
}: {
  readonly choices: readonly string[];
  readonly failed: readonly string[];
}): string {
  return `one of ${choices.length}${failed.length === 0 ? "" : `, ${failed.length} failed`}`;
}
