/**
 * Verdicts by luck: seeded loops whose workers do nothing, against the bound that their last verdict would say; and what honest
 * work pays. The real red-first report, reducer and reruns; the checks are coins.
 *
 * LUCK-BENCH-1 a loop counts although alignment refused its goal: the bound is about both together. How many were begun is
 *    said beside.
 * LUCK-BENCH-2 a fast check is red FREE_REDS times before the work; of a slow one there was no time for a second red.
 */
import { redFirst } from "../dist/lib/adapters/checks/red-first.js";
import { whyNotEarned } from "../dist/lib/align/align-loop.js";
import { createLoop } from "../dist/lib/core/loop.js";
import { FREE_REDS, luckOf, passesWanted, TRUST } from "../dist/lib/core/luck.js";
import { step } from "../dist/lib/core/step.js";
import { remember } from "../dist/lib/core/tree-answers.js";
import { judge } from "../dist/lib/core/verdict.js";
import { runAgain } from "../dist/lib/loop/run-again.js";
import { chance, intervalOf } from "./statistics.mjs";

const AT = "2026-01-01T00:00:00.000Z";
const RATES = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];
const TRUSTS = [TRUST, 0.01, 0];
const ITERATIONS = 8;

const leaf = (name) => ({ item: name, check: { type: "command", value: name } });
const KINDS = {
  "changes nothing": { checklist: [leaf("a")], changes: false },
  "changes an irrelevant file": { checklist: [leaf("a")], changes: true },
  "one of two is enough": { checklist: [{ item: "any", any_of: [leaf("a"), leaf("b")] }], changes: true, ways: 2 },
  "several leaves": {
    checklist: [leaf("a"), { item: "any", any_of: [leaf("b"), { item: "all", group: [leaf("c"), leaf("d")] }] }],
    changes: true,
    ways: 2,
  },
};

export async function luckRows({ quick }) {
  const loops = quick ? 200 : 1_000;
  const rows = [];
  for (const kind of Object.keys(KINDS))
    for (const trust of TRUSTS)
      for (const slow of trust === 0 ? [false] : [false, true]) {
        let worst = null;
        for (const rate of RATES) {
          const found = await tally(loops, (seed) => idle({ ...KINDS[kind], rate, trust, slow, seed }));
          if (worst === null || found.verified > worst.verified) worst = { ...found, rate };
        }
        rows.push(falseRow({ kind, trust, slow }, worst, loops));
      }
  for (const trust of TRUSTS) rows.push(...(await honestRows(trust, loops)), paidRow(trust));
  return rows;
}

async function tally(loops, run) {
  const ends = { verified: 0, begun: 0, runs: 0, outcomes: {} };
  for (let seed = 0; seed < loops; seed++) {
    const { outcome, runs } = await run(seed);
    if (outcome === "verified") ends.verified++;
    if (outcome !== "not aligned") ends.begun++;
    ends.runs += runs;
    ends.outcomes[outcome] = (ends.outcomes[outcome] ?? 0) + 1;
  }
  return ends;
}

/** The worst pass rate of the kind. The least that the share can be, with 95 %, has to be within the bound. */
function falseRow({ kind, trust, slow }, { verified, begun, rate }, loops) {
  const [low, high] = intervalOf(verified, loops);
  const percent = (share) => (100 * share).toFixed(1);
  return {
    what: `false verified, ${kind}, trust ${trust}${slow ? ", slow check" : ""}, worst pass rate ${rate}`,
    figure: 100 * low,
    unit: `% at least (${percent(verified / loops)} seen, ${percent(high)} at most)`,
    ...(trust === 0 ? {} : { most: 100 * (trust === TRUST ? mostOf(kind, slow) : trust) }),
    note: `${verified} of ${loops}, ${begun} begun`,
  };
}

/** What the last verdict would say. */
function mostOf(kind, slow) {
  const { ways = 1 } = KINDS[kind];
  return Math.min(1, ways * luckOf(TRUST, { reds: slow ? 1 : FREE_REDS, chances: ITERATIONS }));
}

async function honestRows(trust, loops) {
  const rows = [];
  for (const rate of [1, 0.99, 0.95, 0.9]) {
    const { verified, outcomes } = await tally(loops, (seed) => honest({ rate, trust, seed }));
    rows.push({
      what: `honest work verified, its check passes ${100 * rate} %, trust ${trust}`,
      figure: (100 * verified) / loops,
      unit: "%",
      ...(rate === 1 ? { least: 100 } : {}),
      note: Object.entries(outcomes)
        .map(([outcome, count]) => `${outcome} ${count}`)
        .join(", "),
    });
  }
  return rows;
}

/** In runs of a slow suite that a person waits for: alignment and verdict, against one of each. */
function paidRow(trust) {
  const reds = trust === 0 ? 1 : FREE_REDS;
  const passes = passesWanted(trust, { green: false, reds, most_reds: reds, chances: 1, wasted: 0 });
  return {
    what: `a stable suite pays, trust ${trust}, without test selection`,
    figure: (1 + passes) / 2,
    unit: "x",
    most: trust === TRUST ? 1.5 : 2,
    note: `1 run at alignment, ${reds - 1} while agents work, ${passes} at the verdict`,
  };
}

/** A loop of workers without any effect on its checks. */
function idle({ checklist, changes, rate, trust, slow, seed }) {
  const random = chance(seed * 7_919 + Math.round(rate * 1_000));
  return drive({
    checklist,
    trust,
    slow,
    passes: () => random() < rate,
    treeAfter: (works) => (changes ? `t${works}` : "t0"),
  });
}

/** Red before the work; the first, second or third attempt does it, and then the check passes at its rate. */
function honest({ rate, trust, seed }) {
  const random = chance(seed * 104_729 + Math.round(rate * 1_000));
  const done = 1 + Math.floor(random() * 3);
  return drive({
    checklist: [leaf("a"), leaf("b")],
    trust,
    passes: (item, works) => works >= done && (item === "b" || random() < rate),
    treeAfter: (works) => `t${works}`,
  });
}

/** Aligned, then worked to its halt. @returns the outcome, and how often checks were run */
async function drive({ checklist, trust, slow = false, passes, treeAfter }) {
  let [runs, works] = [0, 0];
  const signal = new AbortController().signal;
  const run = ({ item }) => {
    runs++;
    const passed = passes(item, works);
    return { passed, evidence: { kind: "file", pattern: item, matches: [], total: passed ? 1 : 0 } };
  };
  const baseCase = { checklist };
  const checker = { run: async (one) => run(one) };
  const report = await redFirst(baseCase, ".", { checker, signal, trust: slow ? 0 : trust, tree: treeAfter(0) });
  if (whyNotEarned(report).length > 0 || report.leaves.some(({ standing }) => standing === "vacuous"))
    return { outcome: "not aligned", runs };
  const answers = remember([], treeAfter(0), report.verdict);
  let loop = createLoop(stateOf(baseCase));
  const events = [started(answers, trust)];
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    const stepped = step(loop, event);
    ({ loop } = stepped);
    for (const effect of stepped.effects) {
      const attempt = effect.attempt?.id;
      if (effect.type === "start_attempt")
        events.push({ type: "work_succeeded", at: AT, attempt, summary: "done", artifacts: [] });
      if (effect.type === "integrate") {
        works++;
        events.push({ type: "attempt_integrated", at: AT, attempt, commit: treeAfter(works), artifacts: [] });
      }
      if (effect.type === "revert") events.push({ type: "work_reverted", at: AT, commit: `r${works}`, lost: [] });
      if (effect.type === "replan") events.push({ type: "replanned", at: AT, atoms: [], reason: "" });
      if (effect.type === "check_base_case") {
        const tree = treeAfter(works);
        const verdict = await runAgain(judge(baseCase, run), { tree, trust, answers: loop.run.answers }, async (some) =>
          judge(some, run),
        );
        events.push({ type: "base_case_checked", at: AT, verdict, commit: tree, tree });
      }
    }
  }
  return { outcome: loop.run.halted, runs };
}

function stateOf(base_case) {
  const constraints = { max_iterations: ITERATIONS, max_parallel_agents: 2, max_stall_count: ITERATIONS };
  return {
    objective: { goal: "g", base_case, constraints },
    atoms: [{ id: "A1", description: "work", status: "pending", depends_on: [] }],
    or_groups: [],
    decompositions: [],
    trail: [],
    corrections: [],
    control: {
      status: "pending",
      iteration: 0,
      stall_count: 0,
      prev_pending_count: -1,
      stop_requested: false,
      redirect_requested: false,
      stop_reason: null,
    },
  };
}

function started(answers, trust) {
  const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {}, answers };
  const settings = { verify_each: false, confirmed: false, trust };
  return { type: "run_started", at: AT, run: "bench", from: "pending", memory, settings };
}
