/** The counts of the study as rows with a target, and as a table. */
import { APART, BEHAVIOURS, intervalOf, tallyOf } from "./study.mjs";

/**
 * @param found trials by rule, of all behaviours; `ours` and `plain` among the rules
 * @param apart of behaviours that are counted apart
 */
export function rowsOf(found, apart = {}) {
  return [
    ...BEHAVIOURS.map((behaviour) => rowOf(behaviour, found, (trial) => trial.behaviour === behaviour)),
    rowOf("all", found, () => true),
    ...[1, 2, 3, 4, 5].map((limit) => rowOf(`max_stall_count ${limit}`, found, (trial) => trial.limit === limit)),
    ...[1, 2, 3, 4].map((slots) => rowOf(`max_parallel_agents ${slots}`, found, (trial) => trial.slots === slots)),
    ...("ours" in apart ? rowsApart(apart) : []),
  ];
}

function rowsApart(apart) {
  return [
    ...APART.map((behaviour) => rowOf(`apart: ${behaviour}`, apart, (trial) => trial.behaviour === behaviour)),
    rowOf("apart: all", apart, () => true),
  ];
}

/** Target: no more wrong decisions, of either kind, than the plain counter makes on the same runs. */
function rowOf(runs, found, belongs) {
  const tallies = Object.fromEntries(
    Object.entries(found).map(([rule, trials]) => [rule, tallyOf(trials.filter(belongs))]),
  );
  const { ours, plain } = tallies;
  return {
    what: `decisions on stalls, ${runs}`,
    runs,
    figure: ours.wrong + ours.missed,
    unit: "wrong",
    most: plain.wrong + plain.missed,
    tallies,
  };
}

/** @param rows of `rowsOf`, each with its verdict */
export function stallTable(title, rows) {
  const all = rows.find((row) => row.runs === "all");
  return [
    `\n${title}`,
    ...columns([
      ["", "", "ours", "", "", "plain counter", "", "", ""],
      ["", "runs", ...[0, 1].flatMap(() => ["stopped/hopeless", "stopped/ending", "wasted"]), ""],
      ...rows.map(({ runs, tallies, verdict }) => [
        runs,
        `${tallies.ours.runs}`,
        ...[tallies.ours, tallies.plain].flatMap((tally) => [
          `${tally.right}/${tally.hopeless}`,
          `${tally.wrong}/${tally.runs - tally.hopeless}`,
          Number.isNaN(tally.wasted) ? "" : `${tally.wasted}`,
        ]),
        verdict,
      ]),
    ]),
    "",
    ...columns([
      ["over all runs", "precision", "recall", "wasted", "early", "iterations"],
      ...Object.entries(all.tallies).map(([rule, tally]) => totalsOf(rule, tally)),
    ]),
  ].join("\n");
}

function totalsOf(rule, { right, wrong, hopeless, wasted, early, spent }) {
  return [
    rule,
    shareOf(right, right + wrong),
    shareOf(right, hopeless),
    `${wasted}`,
    `${early}`,
    spent.toLocaleString("en-US"),
  ];
}

function shareOf(part, total) {
  const interval = intervalOf(part, total);
  if (interval === null) return "";
  return `${((100 * part) / total).toFixed(1)} % (${interval.join("-")}) of ${total}`;
}

function columns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd());
}
