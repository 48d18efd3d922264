/** Iterations between their opening and their judgement, read from the facts alone (SPEC section 4). */
import { failingLeaves } from "../src/core/verdict.ts";
import { boardOf } from "./oracle.ts";
import type { Stepped } from "../world/world.ts";
import type { Opened } from "./world.ts";

/** What the next judgements compare with, and how far a verdict came. */
export interface Known {
  readonly last: number;
  readonly low: number;
  readonly fewest: number | null;
  /** The verdict of this step left fewer failing leaves than every one before; null: there was none. */
  readonly progress: boolean | null;
}

export interface After {
  readonly opened: ReadonlyMap<number, Opened>;
  readonly judging: ReadonlyMap<number, Opened>;
  readonly known: Known;
}

/**
 * What is open after a step, what was to be said of those that were judged in it, and what is known behind it.
 * @param opened before the step
 */
export function openedAfter(opened: ReadonlyMap<number, Opened>, stepped: Stepped): After {
  const { before, event, facts } = stepped;
  const now = new Map(event.type === "run_started" ? [] : opened);
  const judging = new Map<number, Opened>();
  const { prev_pending_count, low_water, fewest_failing } = before.state.control;
  let last = prev_pending_count;
  let low = low_water ?? last;
  const { fewest, progress } = verdictIn(stepped, fewest_failing ?? null);
  let { measure } = before.view;
  const moveAlong = (by: number, credited: boolean): void => {
    const along = (count: number): number => (count < 0 ? count : Math.max(0, count + by));
    [last, low] = [along(last), along(low)];
    change(now, (open) => ({
      ...open,
      before: along(open.before),
      low: along(open.low),
      credited: open.credited || credited,
    }));
  };
  for (const fact of facts) {
    // What the planner adds is held against nobody.
    const grew = stepped.after.view.measure - before.view.measure;
    if (fact.fact === "advice_taken" && grew > 0) moveAlong(grew, true);
    const grown = "measure" in fact ? fact.measure - measure : 0;
    switch (fact.fact) {
      case "iteration_opened":
        now.set(fact.iteration, { before: last, low, failing: fewest, credited: false, attempts: [], interrupted: [] });
        break;
      case "attempt_started":
        change(now, (open, number) =>
          number === fact.iteration ? { ...open, attempts: [...open.attempts, fact.attempt] } : open,
        );
        break;
      case "iteration_judged":
        judging.set(fact.iteration, now.get(fact.iteration) ?? NEVER);
        now.delete(fact.iteration);
        last = fact.measure;
        low = low < 0 ? last : Math.min(low, last);
        break;
      case "atom_decomposed":
        if (isSplitCredited(stepped, fact.atom)) moveAlong(grown, true);
        break;
      case "atoms_added":
      case "atom_reset":
        if (isNewWorkCredited(stepped, fact)) moveAlong(fact.fact === "atoms_added" ? grown : grew, true);
        break;
      case "redirected": {
        const ended = fact.interrupted ?? [];
        moveAlong(grown, false);
        change(now, (open) => ({
          ...open,
          interrupted: [...open.interrupted, ...open.attempts.filter((attempt) => ended.includes(attempt))],
        }));
        break;
      }
    }
    if ("measure" in fact) ({ measure } = fact);
  }
  return { opened: now, judging, known: { last, low, fewest, progress } };
}

const NEVER: Opened = { before: NaN, low: NaN, failing: null, credited: false, attempts: [], interrupted: [] };

/** The first of a loop, or after a verdict that was progress: a plan, or a claim that was wrong. */
function isNewWorkCredited(
  { before, after }: Stepped,
  { fact, lessons }: Stepped["facts"][number] & { readonly lessons?: unknown },
): boolean {
  if (fact === "atom_reset" && lessons === undefined) return false;
  return (before.state.control.replans ?? 0) === 0 || after.run.checked?.progress === true;
}

/** It came of fewer than two splits, or whatever else came of more and was split is done. */
function isSplitCredited({ after }: Stepped, atom: string): boolean {
  const board = boardOf(after.state);
  const isDeep = (id: string): boolean => {
    const above = board.parentOf(id);
    return above !== undefined && board.parentOf(above) !== undefined;
  };
  if (!isDeep(atom)) return true;
  const others = board.atoms.filter(({ id }) => id !== atom && board.isContainer(id) && isDeep(id));
  return others.every(({ id, status }) => status === "resolved" || !board.isLive(id));
}

function verdictIn({ before, event, after }: Stepped, fewest: number | null): Pick<Known, "fewest" | "progress"> {
  const { check } = before.run;
  if (event.type !== "base_case_checked" || check === null || check.aborting === true)
    return { fewest, progress: null };
  // As it was taken: with what is flaky in it.
  const verdict = after.run.checked?.verdict ?? event.verdict;
  const failing = failingLeaves(verdict).length + verdict.skipped.length;
  const isFewer = fewest === null || failing < fewest;
  const progress = event.unavailable === undefined && fewest !== null && isFewer;
  return { fewest: event.unavailable === undefined && isFewer ? failing : fewest, progress };
}

function change(opened: Map<number, Opened>, to: (open: Opened, number: number) => Opened): void {
  for (const [number, open] of opened) opened.set(number, to(open, number));
}
