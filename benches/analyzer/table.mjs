/** The analyzer's judgements as rows with a target, and as a table. */
import { intervalOf } from "../stall/study.mjs";
import { tallyOf } from "./score.mjs";

const PARTS = ["tuned", "held-out"];
/** Shares that are held, of the part that nothing was tuned on. */
const PRECISION = 0.85;
const RECALL = 0.8;

/** @param judged of `judgements` */
export function rowsOf(judged) {
  const groups = PARTS.flatMap((part) => {
    const own = judged.filter((judgement) => judgement.part === part);
    const languages = [...new Set(own.map(({ language }) => language))];
    return [
      { part, group: "all", own },
      ...languages.map((language) => ({ part, group: language, own: own.filter((one) => one.language === language) })),
    ];
  });
  return groups.flatMap(({ part, group, own }) => {
    const tally = tallyOf(own);
    const aimed = part === "held-out" && group === "all";
    const row = (what, share, least) => ({
      what: `${what}, ${part}, ${group}`,
      figure: share,
      unit: "of 1",
      part,
      group,
      tally,
      ...(aimed ? { least } : {}),
    });
    return [
      row("precision", tally.right / (tally.right + tally.wrong), PRECISION),
      row("recall", tally.met / tally.expected, RECALL),
    ];
  });
}

/** @param rows of `rowsOf`, each with its verdict */
export function analyzerTable(title, rows) {
  const lines = rows
    .filter(({ what }) => what.startsWith("precision"))
    .map(({ part, group, tally, verdict }, index) => {
      const recall = rows.filter(({ what }) => what.startsWith("recall"))[index];
      return [
        part,
        group,
        `${tally.transcripts}`,
        `${tally.fooled}/${tally.traps}`,
        shareOf(tally.right, tally.right + tally.wrong),
        shareOf(tally.met, tally.expected),
        shareOf(tally.kinds, tally.met),
        [verdict, recall?.verdict].includes("MISS") ? "MISS" : verdict,
      ];
    });
  const all = [
    ["part", "language", "transcripts", "traps fell for", "precision", "recall", "kind right", ""],
    ...lines,
  ];
  const widths = all[0].map((_, column) => Math.max(...all.map((line) => line[column].length)));
  return [
    `\n${title}`,
    ...all.map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd()),
  ].join("\n");
}

function shareOf(part, total) {
  const interval = intervalOf(part, total);
  if (interval === null) return "";
  return `${((100 * part) / total).toFixed(0)} % (${interval.join("-")}) of ${total}`;
}
