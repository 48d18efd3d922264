/**
 * Progress (SPEC section 4): whether an iteration brought the goal nearer.
 *
 * PROGRESS-1 progress clears the stall count; a stall or an expansion adds 1; what is neutral changes nothing;
 * PROGRESS-2 the low water only falls, but for work that is credited and for a person's changes: both move it along;
 * PROGRESS-3 an iteration is held against what was known when it opened.
 */
import type { Control } from "./state.ts";

/**
 * How the measure moved. `first`: there was nothing to compare. `neutral`: only credited work was added, what failed
 * may still be expected to succeed, or the measure fell without reaching the low water.
 */
export type Movement = "first" | "progress" | "neutral" | "stall" | "expansion";

/** What an iteration is compared with (PROGRESS-3). */
export interface Compared {
  /**
   * `M` as it was judged last before it opened, -1: never; and the low water then. Redirects (APPLY-REDIRECT-4) and credited work (PROGRESS-2)
   * move both along.
   */
  readonly before: number;
  readonly low: number;
  /** The fewest failing leaves of any verdict before; null: there was none. */
  readonly failing: number | null;
  /** Nothing is held against it but what grew: credited work was added in it (BLAME-1), or its failures are no stall (BLAME-2). */
  readonly credited: boolean;
}

/** What is known now, for an iteration that opens. */
export function comparedWith(control: Control): Compared {
  const { prev_pending_count: before, fewest_failing: failing } = control;
  return { before, low: lowWaterOf(control), failing: failing ?? null, credited: false };
}

/** State files of earlier versions have no low water: the last measure stands for it. */
export function lowWaterOf({ low_water, prev_pending_count }: Control): number {
  return low_water ?? prev_pending_count;
}

/**
 * @param measure `M` at the end of the iteration
 * @param failing the fewest failing leaves of any verdict so far; absent: there was none
 */
export function movementOf(compared: Compared, measure: number, failing: number | undefined): Movement {
  const { before, low, credited } = compared;
  if (failing !== undefined && compared.failing !== null && failing < compared.failing) return "progress";
  if (before < 0) return "first";
  if (measure < low) return "progress";
  if (measure < before || (credited && measure === before)) return "neutral";
  return measure === before ? "stall" : "expansion";
}

export interface Judgement {
  readonly control: Control;
  readonly movement: Movement;
}

/** Judges an iteration that ended with this measure (PROGRESS-1). */
export function judgeIteration(control: Control, compared: Compared, measure: number): Judgement {
  const movement = movementOf(compared, measure, control.fewest_failing);
  const lasting = lowWaterOf(control);
  return {
    movement,
    control: {
      ...control,
      prev_pending_count: measure,
      low_water: lasting < 0 ? measure : Math.min(lasting, measure),
      stall_count: countAfter(control.stall_count, movement),
    },
  };
}

function countAfter(stalls: number, movement: Movement): number {
  if (movement === "progress") return 0;
  return isStall(movement) ? stalls + 1 : stalls;
}

export function isStall(movement: Movement): boolean {
  return movement === "stall" || movement === "expansion";
}

/** Work was added or taken away that is held against nobody: what judgements compare with moves along (PROGRESS-2). */
export function moveCompared(control: Control, by: number): Control {
  if (control.prev_pending_count < 0 || by === 0) return control;
  return {
    ...control,
    prev_pending_count: Math.max(0, control.prev_pending_count + by),
    low_water: Math.max(0, lowWaterOf(control) + by),
  };
}

/** The same for an iteration that is open. */
export function moveOpen<C extends Compared>(open: C, by: number): C {
  if (open.before < 0) return open;
  return { ...open, before: Math.max(0, open.before + by), low: Math.max(0, open.low + by) };
}
