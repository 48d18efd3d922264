/** The fewest runs that keep the chance of a verdict by luck (SPEC section 6). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MOST_RUNS, passesWanted, runPlan, type RunPlan, type Seen } from "../../src/core/luck.ts";

const TRUSTS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5];
const GRID = Array.from({ length: 199 }, (_, at) => (at + 1) / 200);

/** A branch of all that can happen, with its probability. */
interface Branch extends Seen {
  readonly chance: number;
}

/** Runs on one tree: red until it was red often enough, or passed once. */
function reddened(branch: Branch, runs: number, q: number): Branch[] {
  const branches: Branch[] = [];
  let { chance } = branch;
  for (let run = 0; run < runs; run++) {
    branches.push({ ...branch, chance: chance * q, wasted: branch.wasted + 1 });
    chance *= 1 - q;
  }
  return [...branches, { ...branch, chance, reds: Math.max(branch.reds, runs + 1) }];
}

/** The chance that some verdict of a loop is true by luck, counted out. @param decisive which verdicts hang on this check */
function chanceOf(plan: RunPlan, aligned: number, q: number, decisive: readonly boolean[]): number {
  let branches = reddened({ green: false, reds: 0, wasted: 0, chance: 1 - q }, aligned - 1, q);
  // What was stopped in alignment was red, and was not flaky there.
  if (aligned < plan.reds) branches = branches.filter(({ wasted }) => wasted === 0);
  let luck = 0;
  for (const isDecisive of decisive) {
    const next = new Map<string, Branch>();
    const put = (branch: Branch): void => {
      const key = `${branch.reds} ${branch.wasted}`;
      next.set(key, { ...branch, chance: branch.chance + (next.get(key)?.chance ?? 0) });
    };
    for (const branch of branches) {
      const red = { ...branch, chance: branch.chance * (1 - q) };
      for (const one of branch.reds < plan.reds ? reddened(red, plan.reds - 1, q) : [red]) put(one);
      const wanted = passesWanted(plan, branch);
      if (!isDecisive || wanted === null) {
        put({ ...branch, chance: branch.chance * q });
        continue;
      }
      luck += branch.chance * q ** wanted;
      for (let passes = 1; passes < wanted; passes++)
        put({ ...branch, chance: branch.chance * q ** passes * (1 - q), wasted: branch.wasted + passes });
    }
    branches = [...next.values()].filter(({ chance }) => chance > 1e-9);
  }
  return luck;
}

test("LUCK-1: whatever the pass rate, however many verdicts, the chance that one is true by luck is at most as said", () => {
  for (const trust of [0.01, 0.05, 0.2]) {
    const plan = runPlan(trust);
    expect(plan.p).toBeLessThanOrEqual(trust);
    for (const q of GRID.filter((_, at) => at % 6 === 0))
      expect(chanceOf(plan, plan.reds, q, Array<boolean>(12).fill(true)), `q = ${q}`).toBeLessThanOrEqual(plan.p ?? 0);
  }
});

test("LUCK-1, LUCK-3, law: so it is when alignment saw fewer reds, and when other checks decide some of the verdicts", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0.01, 0.05, 0.1),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.nat(),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
      (trust, q, aligned, decisive) => {
        const plan = runPlan(trust);
        expect(chanceOf(plan, 1 + (aligned % plan.reds), q, decisive)).toBeLessThanOrEqual(trust);
      },
    ),
    { numRuns: 60 },
  );
});

test("LUCK-2: with one run less, wherever it is left out, there is a pass rate at which luck is too likely", () => {
  for (const trust of TRUSTS) {
    const { reds, passes, p } = runPlan(trust);
    expect(p).toBeLessThanOrEqual(trust);
    // What is kept for LUCK-3, and what counting by intervals adds.
    const least = trust * 0.97;
    // Every red at a verdict is followed by another verdict: q^passes (1-q)^reds (1 + (1-q) + ...).
    const worst = (r: number, v: number): number => Math.max(...GRID.map((q) => q ** (v - 1) * (1 - q) ** r));
    for (let v = 1; v < reds + passes - 1; v++)
      expect(worst(reds + passes - 1 - v, v), `${trust}: ${v}`).toBeGreaterThan(least);
    for (let v = 1; v < passes; v++) expect(worst(reds + passes - v, v)).toBeGreaterThan(least);
  }
});

test("at 1 %: four reds and four passes; at 5 %: three and three; at 0: one and one, and no bound", () => {
  expect(runPlan(0.01)).toMatchObject({ reds: 4, passes: 4 });
  expect(runPlan(0.05)).toMatchObject({ reds: 3, passes: 3 });
  expect(runPlan(0)).toMatchObject({ reds: 1, passes: 1, p: null });
});

test("LUCK-3, LUCK-4, law: fewer reds and more waste never want less; what was green first and never flaky is run once", () => {
  const seen = fc.record({ green: fc.boolean(), reds: fc.nat(8), wasted: fc.nat(40) });
  fc.assert(
    fc.property(fc.constantFrom(...TRUSTS, 0), seen, (trust, one) => {
      const plan = runPlan(trust);
      const wanted = passesWanted(plan, one) ?? Infinity;
      expect(wanted).toBeGreaterThanOrEqual(1);
      expect(passesWanted(plan, { ...one, reds: one.reds + 1 }) ?? Infinity).toBeLessThanOrEqual(
        one.reds === 0 ? Infinity : wanted,
      );
      expect(passesWanted(plan, { ...one, wasted: one.wasted + 1 }) ?? Infinity).toBeGreaterThanOrEqual(wanted);
      if (trust === 0 || (one.green && one.wasted === 0)) expect(wanted).toBe(1);
      if (trust > 0 && one.wasted > 0 && wanted < Infinity) expect(wanted).toBeLessThanOrEqual(MOST_RUNS);
      if (trust > 0 && one.wasted > 0 && !one.green && one.reds < plan.reds) expect(wanted).toBe(Infinity);
    }),
  );
});
