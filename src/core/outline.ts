/**
 * A graph's outline: the little that updating one atom asks of it, as flat numbers. It can be kept beside the state
 * file, so that an update costs what it changes and not what the file holds.
 *
 * O1 an atom that is part of a decomposition or of an OR group, or that something like this waits for, is the whole
 *    rule's business (`update-atom.ts`); so is whatever is refused or changes nothing. What is answered here is what
 *    the whole rule answers (law: tests/core/outline.test.ts).
 */
import type { FlatLists } from "./graph.ts";
import { orderAmong } from "./order-few.ts";
import type { AtomStatus } from "./state.ts";

/** A status as its place in here. */
export const STATUSES: readonly AtomStatus[] = ["pending", "in_progress", "resolved"];
const [PENDING, RESOLVED] = [0, 2];

/** Where an atom stands: by itself, in a decomposition or an OR group, or it is a container. */
export const ALONE = 0;
export const INSIDE = 1;
export const CONTAINER = 2;

/** By the atoms' indices, in the order of the file. */
export interface Outline {
  readonly statuses: Uint8Array;
  readonly places: Uint8Array;
  /** Own dependencies that are not met. */
  readonly waits: Int32Array;
  /** Who waits for each (`waitersOf`); those of `index` stand from `ends[index - 1]` to `ends[index]`. */
  readonly waiters: FlatLists;
  /** Executable atoms, best first. */
  readonly ready: readonly number[];
  /** `M`. */
  readonly measure: number;
}

/** The outline of the state in which the atom has that status; null: the whole rule is to be asked (O1). */
export function outlineWith(
  outline: Outline,
  index: number,
  status: AtomStatus,
  idOf: (index: number) => string,
): Outline | null {
  const [before, after] = [outline.statuses[index], STATUSES.indexOf(status)];
  if (outline.places[index] !== ALONE || before === after || before === RESOLVED) return null;
  if (before === PENDING && outline.waits[index] !== 0) return null;
  const statuses = outline.statuses.slice();
  statuses[index] = after;
  const others = outline.ready.filter((one) => one !== index);
  if (after === PENDING) {
    const ready = outline.waits[index] === 0 ? [...others, index] : others;
    return ordered({ ...outline, statuses, ready }, others.length, idOf);
  }
  if (after !== RESOLVED) return { ...outline, statuses, ready: others };
  const freed = freedBy(outline, index);
  if (freed === null) return null;
  const { waits, woken } = freed;
  const measure = outline.measure - 1;
  return ordered({ ...outline, statuses, waits, measure, ready: [...others, ...woken] }, others.length, idOf);
}

/** What the waits are once this atom is resolved, and whom that makes executable; null: more than single atoms wait. */
function freedBy(outline: Outline, index: number): { readonly waits: Int32Array; readonly woken: number[] } | null {
  const { flat, ends } = outline.waiters;
  const waits = outline.waits.slice();
  const woken: number[] = [];
  const end = ends[index] ?? 0;
  for (let place = index === 0 ? 0 : (ends[index - 1] ?? 0); place < end; place++) {
    const waiter = flat[place] ?? 0;
    if (outline.places[waiter] !== ALONE) return null;
    const left = (waits[waiter] ?? 0) - 1;
    waits[waiter] = left;
    if (left === 0 && outline.statuses[waiter] === PENDING) woken.push(waiter);
  }
  return { waits, woken };
}

/** With its executable atoms in order, of which the first `known` are already. */
function ordered(outline: Outline, known: number, idOf: (index: number) => string): Outline | null {
  if (outline.ready.length === known || outline.ready.length < 2) return outline;
  const ready = orderAmong(outline.ready, {
    waiters: outline.waiters,
    isContainer: (index) => outline.places[index] === CONTAINER,
    idOf,
  });
  return ready === null ? null : { ...outline, ready };
}
