/** The study as rows with a target, and as a table. */
import { tallyOf } from "./study.mjs";

const WHO = ["ours", "plain", "oracle"];

/** @param found of `trials` */
export function rowsOf(found) {
  const families = [...new Set(found.map(({ world }) => world.family))];
  return [
    ...found.map((trial) => rowOf(`${trial.world.family}: ${trial.world.name}`, [trial])),
    ...families.map((family) =>
      rowOf(
        `all of ${family}`,
        found.filter(({ world }) => world.family === family),
      ),
    ),
    rowOf(
      "all that can be reached",
      found.filter(({ world }) => world.hopeless !== true),
    ),
  ];
}

/**
 * Target where the goal can be reached: the share of the plain loop at least; where it cannot: no more attempts than the plain
 * loop spends on it.
 */
function rowOf(what, group) {
  const tallies = Object.fromEntries(WHO.map((who) => [who, tallyOf(group.flatMap((trial) => trial[who]))]));
  const isHopeless = group.every(({ world }) => world.hopeless === true);
  const { ours, plain } = tallies;
  return isHopeless
    ? {
        what: `attempts wasted, ${what}`,
        world: what,
        figure: ours.spent,
        unit: "attempts",
        most: plain.spent,
        tallies,
      }
    : {
        what: `goals reached, ${what}`,
        world: what,
        figure: 100 * (1 - ours.share),
        unit: "% not",
        most: 100 * (1 - plain.share),
        tallies,
      };
}

/** @param rows of `rowsOf`, each with its verdict */
export function reachTable(title, rows) {
  return [
    `\n${title}`,
    ...columns([
      ["", "verified", "", "attempts", "", "", "cost", "", "", "attempts of all", "", ""],
      ["", "ours", "plain", ...WHO, ...WHO, "ours", "plain", ""],
      ...rows.map(({ world, tallies, verdict }) => [
        world,
        ...["ours", "plain"].map((who) => `${Math.round(100 * tallies[who].share)} %`),
        ...WHO.map((who) => shown(tallies[who].attempts)),
        ...WHO.map((who) => shown(tallies[who].cost)),
        ...["ours", "plain"].map((who) => tallies[who].spent.toFixed(1)),
        verdict,
      ]),
    ]),
  ].join("\n");
}

function shown(figure) {
  return Number.isNaN(figure) ? "" : `${Math.round(10 * figure) / 10}`;
}

function columns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd());
}
