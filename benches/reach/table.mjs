/** The study as rows with a target, and as a table. */
import { median } from "../statistics.mjs";
import { ratiosOf, tallyOf } from "./study.mjs";

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
 * Target where the goal can be reached: the share of the oracle at least, which has the same luck and fuel; where it cannot: no
 * more attempts than the plain loop spends on it.
 */
function rowOf(what, group) {
  const tallies = Object.fromEntries(WHO.map((who) => [who, tallyOf(group.flatMap((trial) => trial[who]))]));
  const isHopeless = group.every(({ world }) => world.hopeless === true);
  const { ours, plain, oracle } = tallies;
  const ratios = ratiosOf(Object.fromEntries(WHO.map((who) => [who, group.flatMap((trial) => trial[who])])));
  return isHopeless
    ? {
        what: `attempts wasted, ${what}`,
        world: what,
        figure: ours.spent,
        unit: "attempts",
        most: plain.spent,
        ratios,
        tallies,
      }
    : {
        what: `goals reached, ${what}`,
        world: what,
        figure: 100 * (1 - ours.share),
        unit: "% not",
        most: 100 * (1 - oracle.share),
        ratios,
        tallies,
      };
}

/** @param rows of `rowsOf`, each with its verdict */
export function reachTable(title, rows) {
  return [
    `\n${title}`,
    ...columns([
      ["", "verified", "", "", "attempts", "", "", "ours to", "", "cost", "", "", "attempts of all", "", ""],
      ["", ...WHO, ...WHO, "oracle", "finding out", ...WHO, "ours", "plain", ""],
      ...rows.map(({ world, tallies, ratios, verdict }) => [
        world,
        ...WHO.map((who) => `${Math.round(100 * tallies[who].share)} %`),
        ...WHO.map((who) => shown(tallies[who].attempts)),
        ...[ratios.oracle, ratios.finding].map((ratio) => (Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)}x`)),
        ...WHO.map((who) => shown(tallies[who].cost)),
        ...["ours", "plain"].map((who) => tallies[who].spent.toFixed(1)),
        verdict,
      ]),
    ]),
    aboveAim(rows),
  ].join("\n");
}

/** The aim of attempts, to those of the oracle. */
const MOST_RATIO = 1.3;

function aboveAim(rows) {
  const worlds = rows.filter(({ world, ratios }) => !world.startsWith("all ") && !Number.isNaN(ratios.oracle));
  const said = ["oracle", "finding"].map((than) => {
    const ratios = worlds.map((row) => row.ratios[than]);
    return `${ratios.filter((ratio) => ratio > MOST_RATIO).length} of ${worlds.length} worlds, median ${median(ratios).toFixed(2)}x`;
  });
  return `  attempts above ${MOST_RATIO}x the oracle's: ${said[0]}; above ${MOST_RATIO}x what finding out takes: ${said[1]}`;
}

function shown(figure) {
  return Number.isNaN(figure) ? "" : `${Math.round(10 * figure) / 10}`;
}

function columns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd());
}
