/** The chance that a verdict is luck, and the runs that bound it (SPEC section 6). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FLAKY_REDS, luckOf, passesWanted, redsWanted, TRUST, type Seen } from "../../src/core/luck.ts";

const TRUSTS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5];
const GRID = Array.from({ length: 199 }, (_, at) => (at + 1) / 200);

/** A branch of all that can happen, with its probability. `last`: what its newest tree answered so far. */
interface Branch extends Seen {
  readonly chance: number;
  readonly last: "red" | "passed" | "flaky";
}

/** Where the next verdict is taken: on a new tree, which another check may decide, or once more on the newest one. */
type Where = "decisive" | "idle" | "same";

/** Red before the work so often, or flaky there. */
function before(reds: number, q: number): Branch[] {
  const none = { green: false, most_reds: 0, chances: 0, last: "red" } as const;
  const flaky = Array.from({ length: reds - 1 }, (_, at): Branch => {
    return { ...none, reds: at + 1, wasted: 1, chance: (1 - q) ** (at + 1) * q };
  });
  return [...flaky, { ...none, reds, most_reds: reds, wasted: 0, chance: (1 - q) ** reds }];
}

/** @returns what becomes of it where it is not lucky; the rest of its chance is luck */
function after(branch: Branch, where: Where, trust: number, q: number): Branch[] {
  const { chance, wasted, most_reds } = branch;
  const flaky = (passes: number, part: number): Branch => {
    return { ...branch, chance: chance * part, wasted: wasted + passes, last: "flaky" };
  };
  if (where === "same" && branch.last !== "passed") {
    if (branch.chances === 0 || branch.last === "flaky") return [branch];
    return [flaky(1, q), { ...branch, chance: chance * (1 - q) }];
  }
  const here = where === "same" ? branch : { ...branch, chances: branch.chances + 1 };
  const had = where === "same" ? 1 : 0;
  const left: Branch[] = [];
  const runs = wasted > 0 && most_reds < FLAKY_REDS ? FLAKY_REDS : 1;
  if (had === 1) left.push({ ...flaky(1, 1 - q), chances: here.chances });
  else {
    for (let fails = 1; fails < runs; fails++) left.push({ ...flaky(1, (1 - q) ** fails * q), chances: here.chances });
    left.push({ ...here, chance: chance * (1 - q) ** runs, most_reds: Math.max(most_reds, runs), last: "red" });
  }
  const wanted = passesWanted(trust, here);
  if (where === "idle" || wanted === null) return [...left, { ...here, chance: chance * q, last: "passed" }];
  for (let passes = had + 1; passes < wanted; passes++)
    left.push({ ...flaky(passes, q ** (passes - had) * (1 - q)), chances: here.chances });
  return left;
}

/** The chance that one of so many verdicts is true by luck, counted out, after each of them. */
function chances(trust: number, reds: number, q: number, verdicts: readonly Where[]): number[] {
  let branches = before(reds, q);
  let luck = 0;
  const all = (): number => branches.reduce((sum, { chance }) => sum + chance, 0);
  return verdicts.map((where) => {
    const whole = all();
    const next = new Map<string, Branch>();
    for (const branch of branches.flatMap((one) => after(one, where, trust, q))) {
      const key = [branch.reds, branch.most_reds, branch.wasted, branch.chances, branch.last].join();
      next.set(key, { ...branch, chance: branch.chance + (next.get(key)?.chance ?? 0) });
    }
    branches = [...next.values()];
    luck += whole - all();
    branches = branches.filter(({ chance }) => chance > 1e-9);
    return luck;
  });
}

const seen = (reds: number, trees: number): Seen => {
  return { green: false, reds, most_reds: reds, chances: trees, wasted: 0 };
};

test("LUCK-1, law: the chance that this verdict or an earlier one is lucky is at most as said, whoever decides, on trees that are looked at again", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(TRUST, 0.01, 0.05, 0.1),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.constantFrom<Where>("decisive", "idle", "same"), { minLength: 1, maxLength: 6 }),
      (trust, q, reds, verdicts) => {
        let trees = 0;
        for (const [at, chance] of chances(trust, reds, q, verdicts).entries()) {
          if (verdicts[at] !== "same") trees++;
          expect(chance).toBeLessThanOrEqual(luckOf(trust, seen(reds, Math.max(1, trees))) + 1e-9);
          expect(chance).toBeLessThanOrEqual(trust);
        }
      },
    ),
    { numRuns: 150, examples: [0.1, 0.2, 0.5, 0.8].map((q) => [TRUST, q, 8, Array<Where>(6).fill("decisive")]) },
  );
});

test("LUCK-1: one verdict is bounded by the largest q^passes (1-q)^reds, and no tighter", () => {
  for (let reds = 1; reds <= 12; reds++) {
    const worst = Math.max(...GRID.map((q) => q ** 2 * (1 - q) ** reds));
    expect(luckOf(TRUST, seen(reds, 1)) / worst).toBeGreaterThanOrEqual(1);
    expect(luckOf(TRUST, seen(reds, 1)) / worst).toBeLessThan(1.03);
    expect([redsWanted(TRUST), passesWanted(TRUST, seen(reds, 1))], "LUCK-2").toEqual([1, 2]);
  }
  expect(luckOf(TRUST, seen(8, 1))).toBeCloseTo(0.0067, 4);
});

test("LUCK-2: with one run less than a trust asks for, wherever it is left out, there is a pass rate at which luck is too likely", () => {
  for (const trust of TRUSTS) {
    const reds = redsWanted(trust);
    const passes = passesWanted(trust, seen(reds, 1)) ?? Infinity;
    // Every red at a verdict is followed by another verdict: q^passes (1-q)^reds (1 + (1-q) + ...). The rest is rounding up.
    const worst = (r: number, v: number): number => Math.max(...GRID.map((q) => q ** (v - 1) * (1 - q) ** r));
    for (let v = 1; v < reds + passes - 1; v++)
      expect(worst(reds + passes - 1 - v, v), `${trust}: ${v}`).toBeGreaterThan(trust * 0.95);
    expect(luckOf(trust, seen(reds, 99))).toBeLessThanOrEqual(trust);
  }
  expect([redsWanted(0.01), passesWanted(0.01, seen(4, 1))]).toEqual([4, 4]);
  expect(passesWanted(0.01, seen(8, 1)), "reds that nobody waited for save passes").toBe(3);
});

test("LUCK-3, LUCK-4, law: fewer reds and more waste never want less; what was green first and never flaky is run once", () => {
  const some = fc.record({
    green: fc.boolean(),
    reds: fc.integer({ min: 1, max: 8 }),
    most_reds: fc.nat(8),
    chances: fc.nat(9),
    wasted: fc.nat(40),
  });
  fc.assert(
    fc.property(fc.constantFrom(...TRUSTS, TRUST, 0), some, (trust, one) => {
      const wanted = passesWanted(trust, one) ?? Infinity;
      expect(wanted).toBeGreaterThanOrEqual(1);
      expect(passesWanted(trust, { ...one, reds: one.reds + 1 }) ?? Infinity).toBeLessThanOrEqual(wanted);
      expect(passesWanted(trust, { ...one, wasted: one.wasted + 1 }) ?? Infinity).toBeGreaterThanOrEqual(wanted);
      if (trust === 0 || (one.green && one.wasted === 0)) expect(wanted).toBe(1);
      if (trust > 0 && one.wasted > 0 && !one.green && one.most_reds < FLAKY_REDS) expect(wanted).toBe(Infinity);
    }),
  );
});
