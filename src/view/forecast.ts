/**
 * What is still to come, from what past atoms took (SPEC section 4 bounds it, this estimates it). Pure: chance is seeded, so
 * that the same history and the same graph give the same ranges.
 *
 * FORECAST-1 with fewer past atoms than LEAST there is none;
 * FORECAST-2 an atom is drawn from past ones of its agent and kind, or where these are few of its agent, or of its kind, or of all;
 * FORECAST-3 loops differ as wholes: that difference is drawn once for each trial, as far as the history shows that there is one.
 *
 * Whole atoms are counted, also those that are being worked; planning, checks and waits are not.
 */
import { groupedBy, kindOf, type AtomKind, type PastAtom } from "../history/past-atoms.ts";
import { isCounted, isLive } from "../core/fate.ts";
import { graphOf, listAt, metWith, NONE, numberAt, subtreeOf } from "../core/graph.ts";
import type { State } from "../core/state.ts";
import { at } from "../core/vec.ts";
import { formatDuration } from "../core/fuel.ts";
import { dollars } from "./words.ts";

/** Four of five trials lie in it. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface Forecast {
  /** Past atoms that it rests on. */
  readonly past: number;
  readonly attempts: Range;
  /** Null: too few of them reported a cost. */
  readonly cost_usd: Range | null;
  /** Of agents, with so many side by side. Milliseconds. */
  readonly ms: Range;
}

/** What is left to be done. */
export interface OpenAtom {
  readonly kind: AtomKind;
  /** Places in the list of those that have to be done before. */
  readonly after: readonly number[];
}

const LEAST = 8;
const TRIALS = 400;
const [LOW, HIGH] = [0.1, 0.9];

/** Of a loop as it is. @param agent who works it */
export function forecastOf(state: State, past: readonly PastAtom[], agent: string, parallel: number): Forecast | null {
  const graph = graphOf(state);
  const waits = (index: number): readonly number[] => {
    const above = numberAt(graph.parent, index);
    const own = listAt(graph.dependencies, index)
      .flatMap((other) => metWith(graph, other))
      .flatMap((other) => subtreeOf(graph, other));
    return above === NONE ? own : [...own, ...waits(above)];
  };
  const places = new Map<number, number>();
  const atoms: OpenAtom[] = [];
  const add = (index: number): void => {
    if (!isCounted(state, graph, index) || !isLive(state, graph, index) || places.has(index)) return;
    const before = waits(index);
    for (const other of before) add(other);
    places.set(index, atoms.length);
    atoms.push({ kind: kindOf(at(state.atoms, index)), after: before.flatMap((other) => places.get(other) ?? []) });
  };
  graph.ids.forEach((_, index) => add(index));
  return forecast(atoms, past, agent, parallel);
}

/** @param open in an order in which they can be done */
export function forecast(
  open: readonly OpenAtom[],
  past: readonly PastAtom[],
  agent: string,
  parallel: number,
): Forecast | null {
  // FORECAST-1
  if (past.length < LEAST) return null;
  const random = seeded(past.length * 7_919 + open.length);
  const pools = new Map<AtomKind, readonly number[]>();
  for (const { kind } of open) if (!pools.has(kind)) pools.set(kind, poolOf(past, agent, kind));
  const priced = past.filter(({ cost_usd }) => cost_usd !== null).length >= LEAST;
  const effects = loopEffects(past);
  const effectOf = new Map(effects.map((effect) => [effect.loop, effect]));
  const totals: { attempts: number; cost_usd: number; ms: number }[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    const effect = effects[Math.floor(random() * effects.length)] ?? NO_EFFECT;
    // How well the history tells the truth is drawn as well: each trial believes in another half-lost copy of it.
    const drawn = new Map(
      [...pools].map(([kind, pool]) => [kind, pool.map(() => pool[Math.floor(random() * pool.length)] ?? 0)]),
    );
    const taken = open.map(({ kind }) => {
      const pool = drawn.get(kind) ?? [];
      return past[pool[Math.floor(random() * pool.length)] ?? 0] ?? NOTHING;
    });
    const each = (key: Measured): readonly number[] =>
      taken.map((one) => ((one[key] ?? 0) * effect[key]) / (effectOf.get(one.loop)?.[key] ?? 1));
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    totals.push({
      attempts: sum(each("attempts")),
      cost_usd: sum(each("cost_usd")),
      ms: makespan(open, each("ms"), parallel),
    });
  }
  const range = (key: Measured): Range => quantiles(totals.map((total) => total[key]));
  const { low, high } = range("attempts");
  return {
    past: past.length,
    attempts: { low: Math.max(open.length, Math.floor(low)), high: Math.ceil(high) },
    cost_usd: priced ? range("cost_usd") : null,
    ms: range("ms"),
  };
}

type Measured = "attempts" | "cost_usd" | "ms";
type Effect = Readonly<Record<Measured, number>> & { readonly loop: string };

const NO_EFFECT: Effect = { loop: "", attempts: 1, cost_usd: 1, ms: 1 };
const NOTHING: PastAtom = { loop: "", agent: "", kind: "code", attempts: 1, ms: 0, cost_usd: 0 };

/** FORECAST-2 */
function poolOf(past: readonly PastAtom[], agent: string, kind: AtomKind): readonly number[] {
  const where = (fits: (one: PastAtom) => boolean): readonly number[] =>
    past.flatMap((one, place) => (fits(one) ? [place] : []));
  const narrowest = [
    where((one) => one.agent === agent && one.kind === kind),
    where((one) => one.agent === agent),
    where((one) => one.kind === kind),
  ].find((pool) => pool.length >= LEAST);
  return narrowest ?? where(() => true);
}

/**
 * FORECAST-3: how much more or less than expected each past loop took, drawn together by what chance within loops explains.
 */
function loopEffects(past: readonly PastAtom[]): readonly Effect[] {
  const loops = [...groupedBy(past, ({ loop }) => loop)].filter(([, atoms]) => atoms.length > 1);
  if (loops.length < 3) return [NO_EFFECT];
  const keys = ["attempts", "cost_usd", "ms"] as const;
  const shrunk = keys.map((key) => shrunkMeans(loops.map(([, atoms]) => atoms.map((one) => one[key] ?? 0))));
  return loops.map(([loop], place) => ({
    loop,
    attempts: shrunk[0]?.[place] ?? 1,
    cost_usd: shrunk[1]?.[place] ?? 1,
    ms: shrunk[2]?.[place] ?? 1,
  }));
}

/** The groups' means as shares of the mean, with the spread that is left when that within groups is taken away. */
function shrunkMeans(groups: readonly (readonly number[])[]): readonly number[] {
  const all = groups.flat();
  const mean = meanOf(all);
  if (mean <= 0) return groups.map(() => 1);
  const within = meanOf(
    groups.flatMap((group) => group.map((value) => (value - meanOf(group)) ** 2 * (group.length / (group.length - 1)))),
  );
  const noise = meanOf(groups.map((group) => within / group.length));
  const spread = (groups.length / (groups.length - 1)) * meanOf(groups.map((group) => (meanOf(group) - mean) ** 2));
  const kept = spread <= noise ? 0 : Math.sqrt((spread - noise) / spread);
  return groups.map((group) => Math.max(0.1, 1 + kept * (meanOf(group) / mean - 1)));
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** When the last is done, each begun as soon as a slot is free and what it waits for is done. */
function makespan(open: readonly OpenAtom[], durations: readonly number[], parallel: number): number {
  const slots = Array.from({ length: Math.max(1, Math.min(parallel, open.length)) }, () => 0);
  const ends: number[] = [];
  open.forEach(({ after }, place) => {
    const slot = slots.indexOf(Math.min(...slots));
    const ready = Math.max(0, ...after.map((other) => ends[other] ?? 0));
    ends[place] = Math.max(ready, slots[slot] ?? 0) + (durations[place] ?? 0);
    slots[slot] = ends[place] ?? 0;
  });
  return Math.max(0, ...ends);
}

function quantiles(values: readonly number[]): Range {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { low: place(LOW), high: place(HIGH) };
}

/** Numbers from 0 to 1 that are the same at each call (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `12 to 19 attempts, $0.80 to $1.40, 6m to 11m (80 %, from 34 past atoms)` */
export function forecastWords(found: Forecast | null): string {
  if (found === null) return `no forecast: fewer than ${LEAST} past atoms are known here`;
  const { past, attempts, cost_usd, ms } = found;
  const range = ({ low, high }: Range, words: (value: number) => string): string =>
    words(low) === words(high) ? words(low) : `${words(low)} to ${words(high)}`;
  const parts = [
    `${range(attempts, String)} attempts`,
    ...(cost_usd === null ? [] : [range(cost_usd, dollars)]),
    range(ms, formatDuration),
  ];
  return `${parts.join(", ")} (80 %, from ${past} past atoms)`;
}
