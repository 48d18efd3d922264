/** The corpus that the stall detector is measured with, the measuring, and what was measured (SPEC section 4). */
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  APART,
  BEHAVIOURS,
  COMBINATIONS,
  intervalOf,
  labelled,
  RULES,
  SPECIFIED,
  tallyOf,
  trialOf,
  trials,
  work,
  type Trial,
} from "../../benches/stall/study.mjs";
import { rowsOf, stallTable, type Row } from "../../benches/stall/table.mjs";
import * as ENGINE from "../../benches/machine.ts";

const UNLIMITED = 1_000;

const scenario = fc
  .tuple(fc.constantFrom(...BEHAVIOURS, ...APART), fc.nat(5_000))
  .map(([behaviour, number]) => labelled(ENGINE, behaviour, number));

test("SPEC 4: a label holds by construction, whatever the luck: hopeless runs never reach the goal, the others do", () => {
  fc.assert(
    fc.property(scenario, fc.nat(), (known, seed) => {
      const fuel = known.hopeless ? known.fuel + 15 : UNLIMITED;
      const lucky = work(ENGINE, { ...known, seed }, { fuel, stall: Infinity });
      expect([known.name, lucky.outcome]).toEqual([known.name, known.hopeless ? "max_iterations" : "verified"]);
      expect(lucky.onset === null).toBe(!known.hopeless);
    }),
    { numRuns: 60 },
  );
});

test("SPEC 4, 8: a run that was stopped and is run again without a stall limit ends within its fuel as it is labelled", () => {
  fc.assert(
    fc.property(scenario, fc.constantFrom(...Object.keys(RULES)), (known, name) => {
      const { fuel, limit } = known;
      const end = work(ENGINE, known, { fuel, stall: limit, resumed: true }, RULES[name]);
      expect([known.name, end.outcome]).toEqual([known.name, known.hopeless ? "max_iterations" : "verified"]);
    }),
    { numRuns: 60 },
  );
});

test("SPEC 4: the rule of section 4 in the product's place decides as the product does", () => {
  fc.assert(
    fc.property(scenario, (known) => {
      expect([known.name, trialOf(ENGINE, known, SPECIFIED)]).toEqual([known.name, trialOf(ENGINE, known)]);
    }),
    { numRuns: 80 },
  );
});

test("a scenario and its trial belong to its number alone", () => {
  fc.assert(
    fc.property(fc.constantFrom(...BEHAVIOURS), fc.nat(5_000), (behaviour, number) => {
      const [once, again] = [labelled(ENGINE, behaviour, number), labelled(ENGINE, behaviour, number)];
      expect(JSON.stringify(again)).toBe(JSON.stringify(once));
      expect(trialOf(ENGINE, again)).toEqual(trialOf(ENGINE, once));
    }),
    { numRuns: 20 },
  );
});

test("what a rule that never had a say is spared gives the same trial", () => {
  const found = trials(ENGINE, 2, RULES, { first: 40 });
  for (const [name, rule] of Object.entries(RULES)) {
    const worked = BEHAVIOURS.flatMap((behaviour) =>
      [40, 41].map((number) => trialOf(ENGINE, labelled(ENGINE, behaviour, number), rule)),
    );
    expect([name, found[name]]).toEqual([name, worked]);
  }
});

const anyTrial: fc.Arbitrary<Trial> = fc
  .record({
    hopeless: fc.boolean(),
    stopped: fc.boolean(),
    iterations: fc.integer({ min: 1, max: 40 }),
    since: fc.integer({ min: 1, max: 40 }),
    limit: fc.integer({ min: 1, max: 5 }),
    slots: fc.integer({ min: 1, max: 4 }),
    behaviour: fc.constantFrom(...BEHAVIOURS),
  })
  .map(({ since, ...trial }) => ({
    ...trial,
    onset: trial.hopeless ? since : null,
    outcome: trial.stopped ? "stalled" : trial.hopeless ? "max_iterations" : "verified",
  }));

test("a tally counts every decision once, and its shares are those of its counts", () => {
  fc.assert(
    fc.property(fc.array(anyTrial, { maxLength: 30 }), (list) => {
      const tally = tallyOf(list);
      const count = (hopeless: boolean, stopped: boolean): number =>
        list.filter((trial) => trial.hopeless === hopeless && trial.stopped === stopped).length;
      expect(tally).toMatchObject({
        runs: list.length,
        hopeless: count(true, true) + count(true, false),
        right: count(true, true),
        missed: count(true, false),
        wrong: count(false, true),
        precision: count(true, true) / (count(true, true) + count(false, true)),
        recall: count(true, true) / (count(true, true) + count(true, false)),
      });
      const late = list.filter((trial) => trial.stopped && trial.onset !== null && trial.iterations >= trial.onset);
      expect(tally.early + late.length).toBe(tally.right);
    }),
  );
});

test("wasted is the median from the onset to the halt over hopeless runs, those that spent their fuel included", () => {
  const run = (iterations: number, stopped: boolean, hopeless = true): Trial => ({
    behaviour: "stuck",
    limit: 3,
    slots: 1,
    hopeless,
    onset: hopeless ? 4 : null,
    outcome: stopped ? "stalled" : "max_iterations",
    stopped,
    iterations,
  });
  expect(tallyOf([run(7, true), run(30, false), run(3, true), run(99, true, false)]).wasted).toBe(3);
  expect(tallyOf([run(9, true, false)]).wasted).toBeNaN();
});

test("an interval holds its share, shrinks with the count, and is Wilson's", () => {
  expect(intervalOf(8, 10)).toEqual([49, 94]);
  expect(intervalOf(0, 0)).toBeNull();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (total, some) => {
      const part = some % (total + 1);
      const [low, high] = intervalOf(part, total) ?? [Number.NaN, Number.NaN];
      expect(low).toBeLessThanOrEqual(Math.round((100 * part) / total));
      expect(high).toBeGreaterThanOrEqual(Math.round((100 * part) / total));
      const [lower, higher] = intervalOf(part * 9, total * 9) ?? [Number.NaN, Number.NaN];
      expect(higher - lower).toBeLessThanOrEqual(high - low);
    }),
  );
});

let corpus: Readonly<Record<string, readonly Trial[]>> = {};
let rows: readonly Row[] = [];
beforeAll(() => {
  corpus = trials(ENGINE, COMBINATIONS, { ours: undefined, plain: RULES["plain"] });
  rows = rowsOf(corpus);
});

test("the table: every row has the same runs under each rule, and parts add up to all", () => {
  const all = rows.find((row) => row.runs === "all");
  for (const rule of ["ours", "plain"])
    for (const part of [/^max_stall_count/, /^max_parallel_agents/, new RegExp(`^(${BEHAVIOURS.join("|")})$`)])
      for (const key of ["runs", "hopeless", "right", "wrong", "missed", "spent"] as const) {
        const parts = rows.filter((row) => part.test(row.runs)).map((row) => row.tallies[rule]?.[key] ?? Number.NaN);
        expect([rule, key, parts.reduce((a, b) => a + b, 0)]).toEqual([rule, key, all?.tallies[rule]?.[key]]);
      }
  const lines = stallTable(
    "Title",
    rows.map((row) => ({ ...row, verdict: "pass" })),
  ).split("\n");
  const { right, hopeless, wrong, runs } = tallyOf(corpus["ours"] ?? []);
  const printed = lines.find((line) => line.startsWith("  all "))?.split(/\s+/);
  expect(printed?.slice(2, 5)).toEqual([`${runs}`, `${right}/${hopeless}`, `${wrong}/${runs - hopeless}`]);
});

test("SPEC 4: on the fixed corpus the product decides no worse than the seeds' plain counter", () => {
  const worse = rows.filter((row) => BEHAVIOURS.includes(row.runs) && row.figure > row.most).map((row) => row.runs);
  expect(worse).toEqual([]);
  const all = rows.find((row) => row.runs === "all");
  expect(all?.tallies["ours"]?.precision).toBeGreaterThan(all?.tallies["plain"]?.precision ?? 1);
  expect(all?.tallies["ours"]?.recall).toBeGreaterThan(all?.tallies["plain"]?.recall ?? 1);
});

test("SPEC 4: what is decided on the fixed corpus, in exact counts", () => {
  const counts = BEHAVIOURS.map((behaviour) => {
    const [ours, plain] = ["ours", "plain"].map((rule) => {
      const { right, missed, wrong } = tallyOf((corpus[rule] ?? []).filter((trial) => trial.behaviour === behaviour));
      return `${right}, ${missed}, ${wrong}`;
    });
    return `${behaviour}: ${ours}; ${plain}`;
  });
  // Right, missed and wrong: ours, then the plain counter's.
  expect(counts.toSorted()).toEqual([
    "alternatives: 0, 0, 0; 0, 0, 2",
    "churning: 20, 0, 0; 4, 16, 0",
    "decomposing: 0, 0, 0; 0, 0, 2",
    "exploding: 20, 0, 0; 1, 19, 0",
    "flaky tests: 0, 0, 0; 0, 0, 1",
    "mixed, ends: 0, 0, 8; 0, 0, 13",
    "mixed, hopeless: 20, 0, 0; 14, 6, 0",
    "oscillating: 20, 0, 0; 18, 2, 0",
    "reworking: 0, 0, 0; 0, 0, 1",
    "slow: 0, 0, 5; 0, 0, 12",
    "steady: 0, 0, 0; 0, 0, 0",
    "stuck atom: 20, 0, 0; 20, 0, 0",
    "stuck: 20, 0, 0; 20, 0, 0",
  ]);
});
