/**
 * Explores every reachable world of one loop, breadth first, so that the first breach that is found has a shortest
 * history.
 *
 * EXPLORE-1 every move of every world that is kept is made, and every rule looks at every transition;
 * EXPLORE-2 two worlds are one only when their keys are equal, letter by letter (nothing is hashed away);
 * EXPLORE-3 nothing is left out silently: a loop with more worlds than `most_worlds` is a failure, not a sample;
 * EXPLORE-4 the worlds form no circle and only an ended one owes nothing, so every history ends (rule HALTS).
 */
import type { Outcome } from "../src/core/state.ts";
import { keyOf } from "./key.ts";
import { isOwed, labelOf, movesOf, type Move } from "./moves.ts";
import { observe, type Observed, type Rule } from "./rules/rule.ts";
import { HALTS, RULES, SOUND } from "./rules/table.ts";
import { take } from "./take.ts";
import { worldOf, type Scene, type World } from "./world.ts";

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** Moves of the longest shortest history. */
  readonly depth: number;
  /** How often each rule had something to say, and was kept. */
  readonly checked: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly counterexample: Counterexample | null;
}

export interface Counterexample {
  readonly rule: string;
  readonly breach: string;
  readonly scene: Scene;
  /** Labels of the moves, first to last. */
  readonly history: readonly string[];
}

export interface ExploreOptions {
  readonly most_worlds: number;
  /** Sees the key of each world once, in the order in which they are found. */
  readonly onKey?: (world: World) => void;
  /** Only this rule counts, and what throws is no history: for hunting a planted bug. */
  readonly only?: string;
  /** Explores with everything in the key that is left out otherwise. */
  readonly whole?: boolean;
}

export function explore(scene: Scene, options: ExploreOptions): Exploration {
  return new Exploring(scene, options).run();
}

const OF_TRANSITIONS = RULES.filter((rule) => rule.of === "transitions");

class Exploring {
  readonly #scene: Scene;
  readonly #options: ExploreOptions;
  readonly #known = new Map<string, number>();
  /** By which move of which world each one was found first. */
  readonly #from: number[] = [];
  readonly #by: number[] = [];
  /** The worlds that each world leads to, one list behind the other. */
  readonly #targets: number[] = [];
  readonly #ends: number[] = [];
  readonly #checked: Record<string, number> = {};
  readonly #outcomes: Partial<Record<Outcome, number>> = {};
  #next: World[] = [];
  #depth = 0;

  constructor(scene: Scene, options: ExploreOptions) {
    this.#scene = scene;
    this.#options = options;
  }

  run(): Exploration {
    let level = [worldOf(this.#scene)];
    this.#add(level[0] ?? worldOf(this.#scene), -1, -1);
    let id = 0;
    while (level.length > 0) {
      this.#next = [];
      for (const world of level) {
        const counterexample = this.#expand(world, id);
        this.#ends.push(this.#targets.length);
        if (counterexample !== null) return this.#answer(counterexample);
        id++;
      }
      level = this.#next;
      if (level.length > 0) this.#depth++;
    }
    return this.#answer(this.#circle());
  }

  /** EXPLORE-1. */
  #expand(world: World, id: number): Counterexample | null {
    const moves = movesOf(world);
    if (!this.#isLeftOut(HALTS.id) && world.phase !== "ended" && !moves.some((move) => isOwed(world, move)))
      return this.#found(HALTS.id, "it has not ended, and nothing is owed to it", id, []);
    for (const [number, move] of moves.entries()) {
      let seen: Observed;
      try {
        const taken = take(world, move);
        if (taken === null) continue;
        seen = observe(this.#scene, world, move, taken);
      } catch (error) {
        if (this.#isLeftOut(SOUND.id)) continue;
        return this.#found(SOUND.id, error instanceof Error ? error.message : String(error), id, [labelOf(move)]);
      }
      const found = this.#from.length;
      const target = this.#add(seen.after, id, number);
      if (target === null)
        return this.#found("BOUND", `more than ${this.#options.most_worlds} worlds`, id, [labelOf(move)]);
      const broken = this.#broken(seen, target === found ? RULES : OF_TRANSITIONS);
      if (broken !== null) return this.#found(broken.rule, broken.breach, id, [labelOf(move)]);
      this.#targets.push(target);
    }
    return null;
  }

  #broken(seen: Observed, rules: readonly Rule[]): { readonly rule: string; readonly breach: string } | null {
    this.#tell(SOUND.id);
    for (const rule of rules) {
      if (this.#isLeftOut(rule.id)) continue;
      const finding = rule.check(seen);
      if (finding === "idle") continue;
      if (finding !== "kept") return { rule: rule.id, breach: finding.breach };
      this.#tell(rule.id);
    }
    const { halted } = seen.after.loop.run;
    if (seen.stepped !== null && halted !== null) this.#outcomes[halted] = (this.#outcomes[halted] ?? 0) + 1;
    return null;
  }

  #isLeftOut(rule: string): boolean {
    return this.#options.only !== undefined && this.#options.only !== rule;
  }

  #tell(rule: string): void {
    this.#checked[rule] = (this.#checked[rule] ?? 0) + 1;
  }

  /** EXPLORE-2. The number of the world; null: EXPLORE-3. */
  #add(world: World, from: number, by: number): number | null {
    const key = keyOf(world, this.#options.whole);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = this.#from.length;
    if (id >= this.#options.most_worlds) return null;
    this.#known.set(key, id);
    this.#from.push(from);
    this.#by.push(by);
    this.#next.push(world);
    this.#options.onKey?.(world);
    return id;
  }

  /** EXPLORE-4: takes away worlds that nothing leads to until none is left; what is left then forms circles. */
  #circle(): Counterexample | null {
    if (this.#isLeftOut(HALTS.id)) return null;
    const size = this.#from.length;
    const into = new Int32Array(size);
    for (const target of this.#targets) into[target] = (into[target] ?? 0) + 1;
    const free: number[] = [];
    for (let id = 0; id < size; id++) if (into[id] === 0) free.push(id);
    for (let next = 0; next < free.length; next++)
      for (const target of this.#targetsOf(free[next] ?? 0)) {
        const left = (into[target] ?? 0) - 1;
        into[target] = left;
        if (left === 0) free.push(target);
      }
    this.#checked[HALTS.id] = (this.#checked[HALTS.id] ?? 0) + free.length;
    if (free.length === size) return null;
    const start = into.findIndex((count) => count > 0);
    return this.#found(HALTS.id, "it comes back to where it was", start, this.#lap(start, into));
  }

  #targetsOf(id: number): readonly number[] {
    return this.#targets.slice(id === 0 ? 0 : this.#ends[id - 1], this.#ends[id]);
  }

  /** Labels of moves that never leave the worlds of circles, until one is met again. */
  #lap(start: number, into: Int32Array): readonly string[] {
    const labels: string[] = [];
    const seen = new Set<number>();
    let here = start;
    let world = this.#worldAt(start);
    while (!seen.has(here)) {
      seen.add(here);
      const next = this.#stepWithin(world, into);
      if (next === null) break;
      labels.push(next.label);
      ({ world, id: here } = next);
    }
    return labels;
  }

  /** The first move that stays within the worlds of circles. */
  #stepWithin(
    from: World,
    into: Int32Array,
  ): { readonly label: string; readonly world: World; readonly id: number } | null {
    for (const move of movesOf(from)) {
      const world = take(from, move)?.world;
      const id = world === undefined ? undefined : this.#known.get(keyOf(world, this.#options.whole));
      if (world !== undefined && id !== undefined && (into[id] ?? 0) > 0) return { label: labelOf(move), world, id };
    }
    return null;
  }

  #movesTo(id: number): readonly Move[] {
    const numbers: number[] = [];
    for (let here = id; here > 0; here = this.#from[here] ?? 0) numbers.push(this.#by[here] ?? 0);
    let world = worldOf(this.#scene);
    return numbers.reverse().flatMap((number) => {
      const move = movesOf(world)[number];
      if (move === undefined) return [];
      world = take(world, move)?.world ?? world;
      return [move];
    });
  }

  #worldAt(id: number): World {
    return this.#movesTo(id).reduce((world, move) => take(world, move)?.world ?? world, worldOf(this.#scene));
  }

  #found(rule: string, breach: string, id: number, then: readonly string[]): Counterexample {
    return { rule, breach, scene: this.#scene, history: [...this.#movesTo(id).map(labelOf), ...then] };
  }

  #answer(counterexample: Counterexample | null): Exploration {
    return {
      states: this.#from.length,
      transitions: this.#targets.length,
      depth: this.#depth,
      checked: this.#checked,
      outcomes: this.#outcomes,
      counterexample,
    };
  }
}
